import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

/** Runs in the page: true if all of an element is in the window, and nothing lies over its corners and its middle. */
const UNCOVERED = `(element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return false
  const points = [[left + 3, top + 3], [right - 3, top + 3], [left + 3, bottom - 3], [(left + right) / 2, (top + bottom) / 2]]
  return points.every(([x, y]) => element.contains(document.elementFromPoint(x, y)))
}`

const isUncovered = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(${UNCOVERED})(document.querySelector(${JSON.stringify(selector)}))`)

for (const width of [360, 1280] as const) {
  inBrowser(
    `at ${width} px the head of a record stays at the top with its title, state and the only “Save”`,
    { at: `/models/post/${width === 360 ? 2 : 3}`, widths: [width] },
    async ({ page }) => {
      const head = page.locator('.record-header')
      const save = page.getByRole('button', { name: 'Save', exact: true })
      await head.getByRole('heading', { level: 1 }).waitFor()
      await assertBecomes(() => head.getByRole('status').innerText(), '')
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Line\n'.repeat(60))
      await head.getByText('Unsaved').waitFor()
      await page.mouse.move(width / 2, 400)
      await page.mouse.wheel(0, 5000)
      await page.waitForFunction('scrollY > 300')
      assert.equal(await isUncovered(page, '.record-header'), true)
      await assertBecomes(() => save.count(), 1)
      await assertBecomes(() => head.getByRole('button', { name: 'More' }).isVisible(), true)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)

      // The focus scrolls the fields back, to below the head.
      await page.evaluate("document.querySelector('[data-field=title] input').focus()")
      assert.equal(await isUncovered(page, '[data-field=title] label'), true)
      assert.equal(await isUncovered(page, '[data-field=title] input'), true)

      await head.getByRole('button', { name: 'Discard changes' }).click()
      await head.getByText('Unsaved').waitFor({ state: 'detached' })
      await page.getByLabel('Title').fill('A shorter title')
      await save.click()
      await page.getByRole('heading', { level: 1, name: 'A shorter title' }).waitFor()
      await page.getByText('Saved', { exact: true }).waitFor()
      await page.getByLabel('Title').fill('A title of medium length')
      await save.click()
      await page.getByRole('heading', { level: 1, name: 'A title of medium length' }).waitFor()
      await page
        .getByText('Saved', { exact: true })
        .nth(1)
        .waitFor({ state: width === 360 ? 'attached' : 'visible' })
      assert.equal(await isUncovered(page, '.record-header'), true)
    },
  )
}

inBrowser(
  'Enter in an input saves, and so does the head while the history is open',
  { at: '/models/tag/4' },
  async ({ page }) => {
    await page.getByLabel('Name').fill('Moorings')
    await page.getByLabel('Name').press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Moorings' }).waitFor()
    await page.getByLabel('Name').fill('Moorings and chains')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Moorings and chains' }).waitFor()
  },
)

inBrowser(
  'a record that is being loaded has the head and the tabs of its page, in their places',
  { at: '/' },
  async ({ page, path }) => {
    const places = () =>
      page.evaluate(`['.record-header', '.record-above a', '.tabs', '.record-main .tab'].map((each) => {
      const { x, y, width, height } = document.querySelector(each).getBoundingClientRect()
      return [x, y, width, height].map(Math.round)
    })`)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/v1/models/post/5*', async (route) => {
      await released
      await route.fallback()
    })
    await page.goto(`${path}/models/post/5`)
    await page.locator('.record-header').getByRole('link', { name: 'Posts' }).waitFor()
    await page.locator('.record-main').getByRole('status', { name: 'Loading…' }).waitFor()
    const before = await places()
    release()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'Details' }).waitFor()
    assert.deepEqual(await places(), before)
  },
)
