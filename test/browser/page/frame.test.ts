import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'

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
      ['Groups', 'Permissions', 'History', 'Webhooks', 'Tools'],
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
  assert.equal(await page.title(), `${name} · Tags · The Harbour Journal`)
})
