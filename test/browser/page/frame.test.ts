import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

const administration = (page: Page, title: string) =>
  page.locator('.shell-side .menu-group').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

inBrowser(
  'built-in models stand under Administration, in the language of the page',
  { widths: [1280], at: '/models/permission/1' },
  async ({ page }) => {
    const links = administration(page, 'Administration').getByRole('link')
    await links.first().waitFor()
    assert.deepEqual(
      (await links.allInnerTexts()).map((text) => text.split('\n')[0]),
      ['Groups', 'Permissions', 'Saved views', 'History', 'Webhooks', 'Tools'],
    )
    await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await page.keyboard.press('Escape')
    await administration(page, 'Verwaltung').getByRole('link', { name: 'Berechtigungen' }).waitFor()
    await page.getByText('Beschreibung', { exact: true }).waitFor()
  },
)

inBrowser('one click switches between light and dark', { widths: [1280] }, async ({ page, variant }) => {
  const [first, second] = variant.scheme === 'dark' ? ['Light theme', 'Dark theme'] : ['Dark theme', 'Light theme']
  await page.getByRole('button', { name: first }).click()
  await page.getByRole('button', { name: second }).waitFor()
  const scheme = await page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')
  assert.equal(scheme, variant.scheme === 'dark' ? 'light' : 'dark')
})

inBrowser('the tab of a record has its name', { as: ACCOUNTS.editor, at: '/models/tag/1' }, async ({ page }) => {
  const name = await page.getByRole('heading', { level: 1 }).innerText()
  await assertBecomes(() => page.title(), `${name} · Tags · The Harbour Journal`)
})

inBrowser(
  'a list is read once, while its link in the menu is pressed; a press that ends elsewhere opens nothing',
  { widths: [1280], as: ACCOUNTS.editor, at: '/account' },
  async ({ page }) => {
    const reads: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/v1/models/')) reads.push(pathname)
    })
    const press = async (name: string, key: string) => {
      const read = page.waitForResponse((response) => new URL(response.url()).pathname === `/api/v1/models/${key}`)
      await page.locator('.shell-side').getByRole('link', { name }).hover()
      await page.mouse.down()
      await read
    }
    await page.getByRole('heading', { level: 1 }).waitFor()
    await press('Tags', 'tag')
    assert.equal(new URL(page.url()).pathname, '/admin/account')
    await page.mouse.up()
    await page.locator('.list-scroll:not([aria-busy]) tbody tr').first().waitFor()
    assert.equal(new URL(page.url()).pathname, '/admin/models/tag')

    const title = page.getByRole('heading', { level: 1 })
    await press('Categories', 'category')
    await title.hover()
    await page.mouse.up()
    await page.locator('.list-scroll:not([aria-busy]) tbody tr').first().waitFor()
    await assertBecomes(() => title.innerText(), 'Tags')
    assert.deepEqual(reads, ['/api/v1/models/tag', '/api/v1/models/category'])
  },
)
