import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const heightOf = async (area: Locator): Promise<number> => (await area.boundingBox())?.height ?? 0

inBrowser(
  'a text grows its input, and is edited over the whole window: Escape leads back and keeps what was typed',
  { at: '/models/post/new' },
  async ({ page, checkAccess, variant }) => {
    const text = page.getByRole('textbox', { name: 'Text', exact: true })
    const before = await heightOf(text)
    await text.fill('Line\n'.repeat(12))
    assert.ok((await heightOf(text)) > before + 100)

    await page.locator('[data-field=body]').getByRole('button', { name: 'Full screen' }).click()
    const dialog = page.getByRole('dialog', { name: 'Text', exact: true })
    const large = dialog.getByRole('textbox')
    await large.and(page.locator(':focus')).waitFor()
    await assertBecomes(() => large.inputValue(), 'Line\n'.repeat(12))
    const box = await large.boundingBox()
    assert.ok(box !== null && box.height > 400 && box.width > variant.width - 80, JSON.stringify(box))
    await large.press('Control+End')
    await large.pressSequentially('The end')
    await checkAccess()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await assertBecomes(() => text.inputValue(), `${'Line\n'.repeat(12)}The end`)
    assert.equal(new URL(page.url()).pathname, '/admin/models/post/new')
  },
)

inBrowser('where the browser does not grow an input of text, the page does', { at: '/models/post/new' }, async ({ page }) => {
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.waitFor()
  await page.evaluate(
    "CSS.supports = () => false; document.querySelector('[data-field=body] textarea').style.fieldSizing = 'fixed'",
  )
  const before = await heightOf(text)
  await text.fill('Line\n'.repeat(12))
  assert.ok((await heightOf(text)) > before + 100)
  await text.fill('Line')
  assert.equal(await heightOf(text), before)
})

inBrowser(
  'JSON has line numbers that scroll with it, the line of a fault is marked, and Tab leaves the editor',
  { at: '/models/post/new' },
  async ({ page, checkAccess }) => {
    await page.getByText('Figures').click()
    const editor = page.getByLabel('Metadata')
    const field = page.locator('[data-field=metadata]')
    await editor.fill(`[\n${'1,\n'.repeat(60)}oops\n]`)
    await field.getByText('This is not valid JSON: line 62, column 1.').waitFor()
    await assertBecomes(() => field.locator('.json-fault').innerText(), '62')
    assert.equal((await field.locator('.json-lines').innerText()).split('\n').at(-1), '63')
    await field.getByRole('button', { name: 'Go to the error' }).click()
    // The number is beside its line: both are scrolled by the same distance.
    await page.waitForFunction("document.querySelector('.json-input').scrollTop > 100")
    await page.waitForFunction(
      "document.querySelector('.json-input').scrollTop === document.querySelector('.json-lines').scrollTop",
    )
    await assertBecomes(() => field.getByRole('button', { name: 'Format' }).getAttribute('aria-disabled'), 'true')
    await checkAccess()
    await editor.fill('{"b":[1]}')
    await editor.press('Tab')
    await assertBecomes(() => page.evaluate('document.activeElement.textContent'), 'Format')
    await page.keyboard.press('Enter')
    await assertBecomes(() => editor.inputValue(), '{\n  "b": [\n    1\n  ]\n}')
  },
)
