import type { Locator, Page } from 'playwright-core'

/** Runs in the page, where a timer that is due earlier runs first, however busy the machine is. */
const TYPE = `async (input, text) => {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  for (const letter of text) {
    set.call(input, input.value + letter)
    input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: letter }))
    await new Promise((resolve) => setTimeout(resolve))
  }
}`

/** Types a text without a pause that the page could notice, for tests of what waits for a pause. */
export async function typeFast(input: Locator, text: string): Promise<void> {
  await input.focus()
  await input.page().evaluate(`(${TYPE})(document.activeElement, ${JSON.stringify(text)})`)
}

/** Chooses an option of a select by its label. */
export async function choose(select: Locator, option: string): Promise<void> {
  await select.click()
  const chosen = select.page().getByRole('option', { name: option, exact: true })
  await chosen.click()
  await chosen.waitFor({ state: 'detached' })
}

/** Types into the search of a popup when it has the focus, a moment after it is visible. What is typed before goes to the page. */
export async function typeSearch(page: Page, text: string): Promise<void> {
  await page.locator('input[role=combobox]:focus').waitFor()
  await page.keyboard.type(text)
}
