import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import de from '../../../src/ui/text/de.ts'
import deLater from '../../../src/ui/text/de-later.ts'
import deSignIn from '../../../src/ui/text/de-sign-in.ts'
import { en } from '../../../src/ui/text/en.ts'
import { enLater } from '../../../src/ui/text/en-later.ts'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

/** Makes German the first language of the browser. */
async function preferGerman(page: Page): Promise<void> {
  await page.addInitScript({ content: "Object.defineProperty(navigator, 'languages', { get: () => ['de-AT', 'en'] })" })
  await page.reload()
  await page.locator('html[lang=de]').waitFor()
}

/** All texts without arguments. */
function* wordsOf(texts: object): Generator<string> {
  for (const text of Object.values(texts)) {
    if (typeof text === 'object') yield* wordsOf(text)
    else if (typeof text === 'string') yield text
  }
}

/** What the page shows or names. */
const SHOWN = `[...document.querySelectorAll('body *')].flatMap((each) => [
  ...[...each.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((child) => child.data.trim()),
  ...['aria-label', 'placeholder', 'title'].map((name) => each.getAttribute(name) ?? ''),
]).filter(Boolean)`

inBrowser('the page has the language of the browser, and the one that the user has chosen', {}, async ({ page }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await preferGerman(page)
  await page.getByRole('heading', { name: de.dashboard.title }).waitFor()
  await page.getByRole('button', { name: new RegExp(de.shell.account) }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.locator('html[lang=en]').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
})

inBrowser('a visitor reads the login in the language of the browser', { as: null }, async ({ page }) => {
  await preferGerman(page)
  await page.getByRole('button', { name: deSignIn.submit }).waitFor()
})

inBrowser('the number of a page is typed and refused in the language of the page', { at: '/models/post' }, async ({ page }) => {
  await page.getByRole('navigation', { name: en.list.pages }).waitFor()
  await preferGerman(page)
  const pager = page.getByRole('navigation', { name: de.list.pages })
  const number = pager.getByLabel(de.list.page, { exact: true })
  await number.fill('1,5')
  await pager.getByText(de.form.faultNotNumber).waitFor()
  await number.fill('1.000')
  await number.press('Enter')
  const message = pager.getByText(de.form.faultAmbiguousNumber(['1000', '1,000']))
  await message.waitFor()
  const [below, above] = [await message.boundingBox(), await number.boundingBox()]
  assert.ok(below !== null && above !== null && below.y >= above.y + above.height, 'the message has a line of its own')
  assert.ok(!page.url().includes('page='))
  await number.fill('99')
  await number.press('Enter')
  await page.waitForURL(/page=2$/)
  await assertBecomes(() => number.inputValue(), '2')
  // The last page is shown already.
  await number.fill('99')
  await number.press('Enter')
  await assertBecomes(() => number.inputValue(), '2')
})

inBrowser('numbers of mock data are refused in the language of the page', { at: '/tools?tab=mock' }, async ({ page }) => {
  await page.getByLabel(enLater.tools.count).waitFor()
  await preferGerman(page)
  await page.getByLabel(deLater.tools.count).fill('1.000')
  await page.getByText(de.form.faultAmbiguousNumber(['1000', '1,000'])).waitFor()
  await page.getByLabel(deLater.tools.seed).fill('4711 m')
  await page.getByText(de.form.faultNotNumber).waitFor()
})

inBrowser(
  'the messages of the server are in the language of the page',
  { at: '/models/tag/new', allows: ['400 /models/tag'] },
  async ({ page }) => {
    await page.getByLabel('Name').waitFor()
    await preferGerman(page)
    await page.getByRole('button', { name: de.common.save, exact: true }).click()
    await page.getByRole('link', { name: 'Name ist ein Pflichtfeld' }).waitFor()
    await assertBecomes(() => page.getByText(/is mandatory/).count(), 0)
    await assertBecomes(() => page.locator('[data-field=name] .field-errors').innerText(), 'Name ist ein Pflichtfeld')
  },
)

inBrowser('no page in German shows a text in English', {}, async ({ page, path, checkAccess }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await preferGerman(page)
  // Words of the project itself, such as the label of a field, stay as they are.
  const site = page.waitForResponse((response) => response.url().endsWith('/site'))
  await page.reload()
  const own = await (await site).text()
  const german = new Set([...wordsOf(de), ...wordsOf(deLater)])
  const texts = new Set(
    [...wordsOf(en), ...wordsOf(enLater)].filter((text) => !german.has(text) && !own.includes(JSON.stringify(text))),
  )
  assert.ok(texts.size > 200, String(texts.size))
  const pages = [
    '/',
    '/models/tag',
    '/models/post/1',
    '/models/tag/new',
    '/models/tag/import',
    '/history',
    '/webhooks',
    '/account',
  ]
  const tools = ['metrics', 'lint', 'snapshots', 'mock', 'reset'].map((tab) => `/tools?tab=${tab}`)
  for (const address of [...pages, ...tools, '/nosuch']) {
    await page.goto(path + address)
    await page.locator('main :is(h1, h2)').first().waitFor()
    await checkAccess()
    const shown = (await page.evaluate(SHOWN)) as string[]
    assert.deepEqual(
      shown.filter((text) => texts.has(text)),
      [],
      address,
    )
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: de.shell.keys }).waitFor()
})
