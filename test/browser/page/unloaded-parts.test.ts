import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

/** The texts of German are in its chunk. */
const GERMAN = /\/assets\/de-[^/]*\.js$/

/** Lets the chunks of some names fail, in a page that has loaded none of them, until the returned function is called. */
async function without(page: Page, chunks: RegExp): Promise<() => Promise<void>> {
  await page.route(chunks, (route) => route.abort('connectionrefused'))
  await page.reload()
  return () => page.unroute(chunks)
}

const chunksOf = (...names: readonly string[]) => new RegExp(`/assets/(?:${names.join('|')})-[^/]*\\.js$`)

/** Waits for a message at the edge of the page, and closes it. */
async function closeToast(page: Page, text: string): Promise<void> {
  const toast = page.locator('.toast').filter({ hasText: text })
  await toast.locator('.icon-button').click()
  await toast.waitFor({ state: 'detached' })
}

const NOT_LOADED = 'This could not be loaded.'

inBrowser(
  'a language that cannot be loaded leaves the page and what is typed, and can be chosen again',
  { at: '/models/tag/4' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Name').waitFor()
    const recover = await without(page, GERMAN)
    await page.getByLabel('Name').fill('Typed before')
    const german = page.getByRole('menuitemradio', { name: 'Deutsch' })
    const menu = page.getByRole('button', { name: 'Account' })
    await menu.click()
    await german.click()
    await closeToast(page, 'Deutsch could not be loaded. Check your connection and choose it again.')
    await checkAccess()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await recover()
    if (!(await german.isVisible())) await menu.click()
    await german.click()
    await page.locator('html[lang=de]').waitFor()
    assert.equal(await page.locator('#content input').first().inputValue(), 'Typed before')
  },
)

inBrowser('a page whose language cannot be loaded is in English and says so', {}, async ({ page }) => {
  await page.addInitScript({ content: "Object.defineProperty(navigator, 'languages', { get: () => ['de-AT', 'en'] })" })
  const recover = await without(page, GERMAN)
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await closeToast(page, 'Deutsch could not be loaded')
  await recover()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.locator('html[lang=de]').waitFor()
})

inBrowser(
  'dialogs that cannot be loaded leave the form, and open once they can be',
  { at: '/models/tag/5', allows: ['412 /models/tag/5'] },
  async ({ page, server, checkAccess }) => {
    await page.getByLabel('Name').waitFor()
    const recover = await without(page, chunksOf('conflict-dialog', 'delete-dialog'))
    await page.getByLabel('Colour').fill('#123456')
    await (await apiOf(server)).model('tag').update(5, { name: 'Their tag' })
    await page.getByText('This record has been changed elsewhere').waitFor()
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await closeToast(page, NOT_LOADED)
    await checkAccess()
    await assertBecomes(() => page.getByLabel('Colour').inputValue(), '#123456')
    await recover()
    await save.click()
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' })
    await dialog.getByRole('button', { name: 'Save selected values' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete' }).waitFor()
  },
)

inBrowser(
  'an input and the conditions of a form that cannot be loaded say so in their place, and can be tried again',
  { at: '/models/post/12' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Title').waitFor()
    let recover = await without(page, chunksOf('lib'))
    const message = page.getByRole('alert').filter({ hasText: NOT_LOADED })
    await message.waitFor()
    await checkAccess()
    await recover()
    await message.getByRole('button', { name: 'Try again' }).click()
    await page.getByLabel('Title').waitFor()

    recover = await without(page, chunksOf('files-input'))
    await page.getByLabel('Title').fill('Typed before')
    await message.waitFor()
    await recover()
    await message.getByRole('button', { name: 'Try again' }).click()
    await message.waitFor({ state: 'detached' })
    await page.locator('[data-field=cover] input[type=file]').waitFor({ state: 'attached' })
    assert.equal(await page.getByLabel('Title').inputValue(), 'Typed before')
  },
)

inBrowser(
  'lists of options and menus that cannot be loaded stay closed, and open once they can be',
  { at: '/models/post/12' },
  async ({ page }) => {
    await page.getByLabel('Title').waitFor()
    const recover = await without(page, chunksOf('select-popup', 'account-choices'))
    await page.getByLabel('Title').fill('Typed before')
    const status = page.getByLabel('Status')
    const account = page.getByRole('button', { name: 'Account' })
    for (const button of [status, account]) {
      await button.click()
      await closeToast(page, NOT_LOADED)
    }
    await recover()
    await choose(status, 'Archived')
    await account.click()
    await page.getByRole('menuitem', { name: 'API documentation' }).waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Typed before')
  },
)

inBrowser(
  'a page that cannot be loaded says so in its place, and can be tried again',
  {},
  async ({ page, path, checkAccess }) => {
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    const recover = await without(page, chunksOf('history'))
    await page.goto(`${path}/history`)
    const message = page.getByRole('alert').filter({ hasText: NOT_LOADED })
    await message.waitFor()
    await checkAccess()
    await recover()
    await message.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
  },
)
