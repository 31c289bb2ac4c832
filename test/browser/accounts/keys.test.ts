import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { newAccount, newFactor } from '../../helpers/browser-accounts.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first()

/** The status of a list of the API for a key. */
const statusOf = async (address: string, key: string, model: string): Promise<number> =>
  (await fetch(`${address}/api/v1/models/${model}`, { headers: { Authorization: `Bearer ${key}` } })).status

inBrowser(
  'a key is created after a confirmation, works within its rights, and is revoked; the activity tells all of it',
  { at: '/account', allows: ['401 /auth/keys', '400 /auth/confirm'] },
  async ({ page, server, checkAccess }) => {
    const keys = section(page, 'API keys')
    await keys.getByText('No keys', { exact: true }).waitFor()
    await keys.getByRole('button', { name: 'Create key' }).click()
    const form = dialog(page, 'Create key')
    await form.getByLabel('Name').fill('Website')
    await choose(form.getByRole('combobox', { name: 'Rights' }), 'Chosen permissions')
    await form.getByRole('button', { name: 'Create key' }).click()
    await form.getByText('Choose a permission.').waitFor()
    await form.getByRole('checkbox', { name: 'Tags: View' }).check()
    await checkAccess()

    // As if the login were long ago.
    let isStale = true
    await page.route('**/auth/keys', (route) => {
      if (route.request().method() !== 'POST' || !isStale) return route.fallback()
      return route.fulfill({
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer error="insufficient_user_authentication", max_age=600' },
        json: { error: 'insufficient_user_authentication', details: ['Confirm'] },
      })
    })
    await form.getByRole('button', { name: 'Create key' }).click()
    const confirming = dialog(page, 'Confirm it is you')
    await confirming.getByRole('button', { name: 'Cancel' }).click()
    await form.getByText('This needs a confirmation that it is you').waitFor()
    await form.getByRole('button', { name: 'Create key' }).click()
    await confirming.getByRole('button', { name: 'Confirm' }).click()
    await confirming.getByText('Enter your password.').waitFor()
    await confirming.locator('input[aria-invalid]:focus').waitFor()
    await confirming.getByLabel('Password', { exact: true }).fill('not-the-password')
    await confirming.getByRole('button', { name: 'Confirm' }).click()
    await confirming.locator('[data-invalid]').waitFor()
    await checkAccess()
    isStale = false
    await confirming.getByLabel('Password', { exact: true }).fill('harbour-admin-2024')
    await confirming.getByRole('button', { name: 'Confirm' }).click()

    const created = dialog(page, 'Your new key')
    const key = await created.getByLabel('Key').inputValue()
    assert.match(key, /^adm_/)
    await checkAccess()
    await page.keyboard.press('Escape')
    await created.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal(await page.getByText(key).count(), 0)
    assert.equal(await statusOf(server.address, key, 'tag'), 200)
    assert.equal(await statusOf(server.address, key, 'post'), 403)

    const row = keys.getByRole('row').filter({ hasText: 'Website' })
    await row.getByText('view_tag').waitFor()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await dialog(page, 'Revoke').getByRole('button', { name: 'Revoke' }).click()
    await keys.getByText('No keys', { exact: true }).waitFor()
    await assertBecomes(() => statusOf(server.address, key, 'tag'), 401)

    const log = section(page, 'Activity')
    await log.getByText('API key revoked').waitFor()
    await log.getByText('API key created').waitFor()
    await log.getByText('Signed in by password').first().waitFor()
  },
)

inBrowser(
  'a superuser sees keys and activity of a user, and resets a second factor that was lost',
  {},
  async ({ page, server, variant, path, checkAccess }) => {
    const account = await newAccount(server, variant, 'watched')
    await newFactor(server, account)
    await page.goto(`${path}/models/user/${account.id}`)
    const panel = page.getByRole('region', { name: 'Account', exact: true })
    await panel.getByText('No keys').waitFor()
    await panel.getByText('Two-step sign-in turned on').waitFor()
    await panel.getByRole('button', { name: 'Reset two-step sign-in' }).click()
    await checkAccess()
    await dialog(page, 'Reset two-step sign-in').getByRole('button', { name: 'Reset two-step sign-in' }).click()
    await page.getByText('Two-step sign-in reset').waitFor()
    await panel.getByRole('button', { name: 'Reset two-step sign-in' }).waitFor({ state: 'detached' })
    await panel.getByText('Two-step sign-in removed by another user').waitFor()
    // The password alone is enough again.
    await apiOf(server, account)
  },
)
