import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { typeFast, typeSearch } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

/** Opens the palette by its key. */
async function openPalette(page: Page) {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  const dialog = page.getByRole('dialog', { name: 'Search or jump' })
  await dialog.getByRole('combobox').waitFor()
  return dialog
}

inBrowser('the palette finds records with one request a pause, and opens one by keyboard', {}, async ({ page, checkAccess }) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/search?')) asked.push(request.url())
  })
  const dialog = await openPalette(page)
  await typeFast(dialog.getByRole('combobox'), 'abernathy')
  const records = dialog.getByRole('group', { name: 'Records' })
  await records.getByRole('option').first().waitFor()
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get('q')),
    ['abernathy'],
  )
  await checkAccess()
  const label = await records.getByRole('option').first().locator('.command-label').innerText()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/models\/\w+\/\d+$/)
  await page.getByRole('main').getByText(label).first().waitFor()
  await assertBecomes(() => dialog.count(), 0)
})

inBrowser('the palette opens models, creates records and runs actions', {}, async ({ page }) => {
  let dialog = await openPalette(page)
  await typeSearch(page, 'categories')
  await dialog.getByRole('option', { name: 'Categories', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/models\/category$/)

  await page.keyboard.press('ControlOrMeta+k')
  dialog = page.getByRole('dialog', { name: 'Search or jump' })
  await dialog.getByRole('combobox').fill('new tag')
  await dialog.getByRole('option', { name: 'New tag', exact: false }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/models\/tag\/new/)

  await page.keyboard.press('ControlOrMeta+k')
  await dialog.getByRole('combobox').fill('dark')
  await dialog.getByRole('option', { name: 'Dark theme' }).click()
  await page.locator('html[data-theme=dark]').waitFor()
})

inBrowser('Escape closes the palette and the focus returns to where it was', {}, async ({ page }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  const account = page.getByRole('button', { name: /Your account/ })
  await account.focus()
  await page.keyboard.press('ControlOrMeta+k')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').fill('qqqqzzzz')
  await dialog.getByText('No matches').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await assertBecomes(() => page.locator(':focus').getAttribute('aria-label'), await account.getAttribute('aria-label'))
})

inBrowser('the palette offers only what the user may open', { as: ACCOUNTS.newcomer }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.getByRole('button', { name: 'Search or jump to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('option').first().waitFor()
  await assertBecomes(() => dialog.locator('.menu-label').allInnerTexts(), ['Models', 'Pages', 'Settings'])
  await assertBecomes(() => dialog.getByRole('group', { name: 'Models' }).getByRole('option').allInnerTexts(), ['Fees'])
  assert.equal(await dialog.getByRole('option', { name: /Tools|New / }).count(), 0)
})
