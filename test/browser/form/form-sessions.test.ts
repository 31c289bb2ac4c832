import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** Ends the session of the page. */
async function endSession(server: RunningServer): Promise<void> {
  const api = await apiOf(server)
  for (const { id, current } of await api.sessions()) if (!current) await api.endSession(id)
}

async function logInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' })
  await dialog.getByLabel('Password', { exact: true }).fill(ACCOUNTS.superuser.password)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

inBrowser(
  'a form whose session has ended keeps what was typed, asks for the password in place, and saves',
  { at: '/models/tag/5', allows: ['401 /api/'] },
  async ({ page, server, checkAccess }) => {
    await page.getByLabel('Name').fill('Typed before')
    await endSession(server)
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor()
    await checkAccess()
    await logInAgain(page)
    await assertBecomes(() => page.getByLabel('Name').inputValue(), 'Typed before')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.equal((await (await apiOf(server)).model('tag').read(5)).data.name, 'Typed before')
  },
)

inBrowser(
  'a save that meets an ended session is done after the password, without a second one',
  { at: '/models/tag/new', allows: ['401 /api/'] },
  async ({ page, server }) => {
    // Without the stream of changes the page does not know that the session has ended.
    await page.route('**/events**', (route) => route.abort())
    await page.reload()
    await page.getByLabel('Name').fill('Harbour lights')
    await page.getByLabel('Slug').fill('harbour-lights')
    await endSession(server)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await logInAgain(page)
    await page.getByRole('heading', { name: 'Harbour lights' }).waitFor()
    const { total } = await (await apiOf(server)).model('tag').list({ filters: { slug: 'harbour-lights' } })
    assert.equal(total, 1)
  },
)

inBrowser(
  'the password is asked for over an open dialog, which keeps what was typed',
  { at: '/models/post/9', allows: ['401 /api/'] },
  async ({ page, server }) => {
    await page.getByLabel('Category').click()
    await page.getByRole('button', { name: 'Create category and select' }).click()
    const dialog = page.getByRole('dialog', { name: 'New category' })
    await dialog.getByLabel('Name').fill('Signals')
    await endSession(server)
    await logInAgain(page)
    await assertBecomes(() => dialog.getByLabel('Name').inputValue(), 'Signals')
    await dialog.getByLabel('Slug').fill('signals')
    await dialog.getByRole('button', { name: 'Save and select' }).click()
    await page.getByLabel('Category').getByText('Signals').waitFor()
  },
)
