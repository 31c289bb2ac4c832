import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import type { Account } from '../../helpers/browser-login.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** An author, who has no permission for users. */
const ANNA = { username: 'anna.lind', password: 'lighthouse-keys-17' }

const sessions = (page: Page) => page.getByRole('region', { name: 'Sessions' }).locator('tbody').getByRole('row')

/** Creates a user for one test, since a changed password would fail the others. */
async function newUser(server: RunningServer, { scheme, width }: Variant, name: string): Promise<Account> {
  const account = { username: `${name}-${scheme}-${width}`, password: 'the-first-password' }
  await (await apiOf(server)).model('user').create({ ...account, email: `${account.username}@example.org` })
  return account
}

/** Logs in by the form of the page. */
async function logIn(page: Page, { username, password }: Account): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.locator('input[name=password], input[autocomplete=current-password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
}

inBrowser(
  'a user changes the own password; other sessions end',
  { as: null, at: '/account', allows: ['400 /auth/password'] },
  async ({ page, server, variant, checkAccess }) => {
    const account = await newUser(server, variant, 'changing')
    const elsewhere = await apiOf(server, account)
    await logIn(page, account)
    await sessions(page).nth(1).waitFor()
    const present = page.getByLabel('Current password')
    const next = page.getByLabel('New password')
    const submit = page.getByRole('button', { name: 'Change password' })

    await present.fill('not-the-password')
    await next.fill('the-second-password')
    await submit.click()
    await page.locator('[data-invalid]').waitFor()
    await assertBecomes(() => present.getAttribute('aria-invalid'), 'true')
    await page.locator('input[name=current]:focus').waitFor()
    await page
      .getByText(/^Current password/)
      .nth(1)
      .waitFor()
    await checkAccess()

    await present.fill(account.password)
    await next.fill('short')
    await submit.click()
    await page.locator('input[name=next][aria-invalid]').waitFor()
    // The title of the input stands in the place of `new_password`.
    await page.getByText(/^New password must/).waitFor()

    await next.fill('the-second-password')
    await submit.click()
    await page.getByText('Password changed. Your other sessions have ended').waitFor()
    await assertBecomes(() => present.inputValue(), '')
    await assertBecomes(() => next.inputValue(), '')
    await sessions(page).nth(1).waitFor({ state: 'detached' })
    await assert.rejects(elsewhere.sessions(), { type: 'authentication' })
    await apiOf(server, { ...account, password: 'the-second-password' })
  },
)

inBrowser(
  'a user ends a session of another device',
  { as: null, at: '/account' },
  async ({ page, server, variant, checkAccess }) => {
    const account = await newUser(server, variant, 'ending')
    const elsewhere = await apiOf(server, account)
    await logIn(page, account)
    await sessions(page).nth(1).waitFor()
    const own = sessions(page).filter({ hasText: 'this session' })
    await own.getByText('Chrome, Linux').waitFor()
    assert.equal(await own.getByRole('button').count(), 0)
    await checkAccess()
    await sessions(page).filter({ hasNotText: 'this session' }).getByRole('button', { name: 'End' }).click()
    await page.getByText('Session ended').waitFor()
    await sessions(page).nth(1).waitFor({ state: 'detached' })
    await assert.rejects(elsewhere.sessions(), { type: 'authentication' })
  },
)

inBrowser('all other sessions are ended at once', { as: null, at: '/account' }, async ({ page, server, variant }) => {
  const account = await newUser(server, variant, 'ending-all')
  for (let number = 0; number < 3; number++) await apiOf(server, account)
  await logIn(page, account)
  await sessions(page).nth(3).waitFor()
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByText('3 sessions ended').waitFor()
  await sessions(page).nth(1).waitFor({ state: 'detached' })
  await assertBecomes(() => sessions(page).count(), 1)
})

inBrowser('the menu of the user leads to the account', { as: ANNA }, async ({ page }) => {
  await page.getByRole('button', { name: /anna\.lind/ }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  await page.getByRole('main').getByText('anna.lind', { exact: true }).waitFor()
  await sessions(page).filter({ hasText: 'this session' }).waitFor()
})
