import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const DARK = 'rgb(19, 19, 22)'
const LIGHT = 'rgb(255, 255, 255)'

const ground = (page: Page) => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')

async function chooseTheme(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Your account/ }).click()
  await page.getByRole('menuitemradio', { name, exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
}

inBrowser('the theme follows the system until one is chosen', {}, async ({ page, variant, checkAccess }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  assert.equal(await ground(page), variant.scheme === 'dark' ? DARK : LIGHT)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.equal(await ground(page), DARK)
  await chooseTheme(page, 'Light')
  assert.equal(await ground(page), LIGHT)
  await checkAccess()
  await page.emulateMedia({ colorScheme: 'light' })
  await chooseTheme(page, 'Dark')
  assert.equal(await ground(page), DARK)
  await checkAccess()
  await chooseTheme(page, 'System')
  assert.equal(await ground(page), LIGHT)
})

inBrowser('a chosen theme is there before the first script of the page runs', {}, async ({ page, variant }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  const [name, expected] = variant.scheme === 'dark' ? ['Light', LIGHT] : ['Dark', DARK]
  await chooseTheme(page, name)
  // Without its main script the page shows what it shows at its first paint.
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/index-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  while ((await page.evaluate('document.styleSheets.length')) === 0) await page.waitForTimeout(10)
  assert.equal(await page.locator('main').count(), 0)
  assert.equal(await ground(page), expected)
  release()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  assert.equal(await ground(page), expected)
})

inBrowser('"?" lists the keys, and they do what the list says', { at: '/models/tag' }, async ({ page, checkAccess }) => {
  await page.locator('tbody tr').first().waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('Search or jump to anything').waitFor()
  await checkAccess()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search tags' })
  await assertBecomes(() => page.locator(':focus').getAttribute('aria-label'), await search.getAttribute('aria-label'))
  await page.keyboard.press('?')
  await assertBecomes(() => search.inputValue(), '?')
  await search.fill('')
  await search.blur()
  await page.keyboard.press('n')
  await page.waitForURL(/\/models\/tag\/new$/)
})

inBrowser('the first key press leads past the menu to the content', {}, async ({ page }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.keyboard.press('Tab')
  await assertBecomes(() => page.locator(':focus').innerText(), 'Skip to content')
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()
})

inBrowser(
  'a notice has an icon and lies within the bar, over no button and no pages',
  { at: '/models/tag/2' },
  async ({ page }) => {
    const name = page.getByLabel('Name')
    await name.fill(`${await name.inputValue()} again`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const notice = page.locator('.toast').filter({ hasText: 'Saved' })
    await notice.locator('svg').first().waitFor()
    const [box, bar] = [await notice.boundingBox(), await page.getByRole('banner').boundingBox()]
    assert.ok(box !== null && bar !== null && box.y >= 0 && box.y + box.height <= bar.y + bar.height, JSON.stringify([box, bar]))
  },
)
