import type { Page } from 'playwright-core'

const questionIn = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

/** Answers the question that a form with unsaved values asks before it is left. */
export async function answerLeaving(page: Page, answer: 'Stay' | 'Leave'): Promise<void> {
  await questionIn(page).getByRole('button', { name: answer }).click()
  await questionIn(page).waitFor({ state: 'detached' })
}

/** Tries to leave a form with unsaved values in some ways, each of which has to ask, and stays. */
export async function stayAfter(page: Page, ...ways: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const leave of ways) {
    await leave()
    await answerLeaving(page, 'Stay')
  }
}

/** Reloads the page, which the browser has to ask about, and stays. */
export async function stayAfterReload(page: Page): Promise<void> {
  const question = page.waitForEvent('dialog')
  await page.evaluate('setTimeout(() => location.reload(), 0)')
  await (await question).dismiss()
}
