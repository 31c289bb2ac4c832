import assert from 'node:assert/strict'
import type { Route } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** Ends all sessions of the superuser but the one that ends them. */
async function endSessions(server: RunningServer): Promise<void> {
  const client = await apiOf(server)
  for (const { id, current } of await client.sessions()) if (!current) await client.endSession(id)
}

const EXPIRED = 'Your session has expired'

inBrowser(
  'a save after the session has ended asks for the password in place and then saves what was typed',
  { at: '/models/tag/7', allows: ['401 /api/'] },
  async ({ page, server, variant, checkAccess }) => {
    const name = `Kept ${variant.scheme} ${variant.width}`
    await page.getByLabel('Name').fill(name)
    // The session ends while the request is on its way, so that the answer to the save is the first to say so.
    const endFirst = async (route: Route) => {
      await endSessions(server)
      await route.continue()
    }
    await page.route('**/models/tag/7', endFirst, { times: 1 })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: EXPIRED })
    await dialog.getByLabel('Password', { exact: true }).fill('wrong-password')
    await checkAccess()
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByText('The username or the password is wrong').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(ACCOUNTS.superuser.password)
    await page.keyboard.press('Enter')
    await page.getByText('Saved', { exact: true }).first().waitFor()
    const { data } = await (await apiOf(server)).model('tag').read(7)
    assert.equal(data.name, name)
    await assertBecomes(() => dialog.count(), 0)
  },
)

inBrowser(
  'a list after the session has ended waits for the password and then shows its records',
  { at: '/models/tag', allows: ['401 /api/'] },
  async ({ page, server, variant }) => {
    await page.locator('tbody tr').first().waitFor()
    await page.route(
      '**/models/post?*',
      async (route) => {
        await endSessions(server)
        await route.continue()
      },
      { times: 1 },
    )
    if (variant.width < 900) await page.getByRole('button', { name: 'Open menu' }).click()
    await page
      .getByRole('link', { name: /^Posts/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog', { name: EXPIRED })
    await dialog.getByLabel('Password', { exact: true }).fill(ACCOUNTS.superuser.password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('status').getByText('46 records', { exact: true }).waitFor()
    assert.match(page.url(), /\/models\/post$/)
  },
)

inBrowser(
  'another user can log in instead, and sees nothing of the former one',
  { at: '/models/fee', allows: ['401 /api/'] },
  async ({ page, server }) => {
    await page.getByRole('heading', { name: /Fees/ }).first().waitFor()
    await endSessions(server)
    await page.getByRole('button', { name: 'Sign in as another user' }).click()
    await page.getByLabel('Username').fill(ACCOUNTS.newcomer.username)
    await page.getByLabel('Password', { exact: true }).fill(ACCOUNTS.newcomer.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    // The newcomer may view own fees only, and has none.
    await page.getByRole('heading', { name: 'No fees yet' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Tools' }).count(), 0)
  },
)
