import type { Page } from 'playwright-core'
import type { Variant } from './browser.ts'
import { apiOf } from './browser-api.ts'
import type { Account } from './browser-login.ts'
import type { RunningServer } from './cli/process.ts'
import { codeAt } from './totp.ts'

/** An account for one test. */
export interface NewAccount extends Account {
  readonly id: number
  readonly email: string
}

/** Creates a user for one test, since what it changes of an account would fail the others. */
export async function newAccount(server: RunningServer, { scheme, width }: Variant, name: string): Promise<NewAccount> {
  const account = { username: `${name}-${scheme}-${width}`, password: 'the-first-password' }
  const email = `${account.username}@example.org`
  const { data } = await (await apiOf(server)).model('user').create({ ...account, email })
  return { ...account, email, id: data.id }
}

/** Sets up a second factor for an account. The present code is used up by it. */
export async function newFactor(server: RunningServer, account: Account): Promise<{ secret: string; codes: readonly string[] }> {
  const api = await apiOf(server, account)
  const begun = await api.request('/auth/factors/totp', { method: 'POST', body: {} })
  const { secret } = (begun as { data: { secret: string } }).data
  const body = { otp: codeAt(secret, Date.now()) }
  const confirmed = await api.request('/auth/factors/totp/confirm', { method: 'POST', body })
  return { secret, codes: (confirmed as { recovery_codes: readonly string[] }).recovery_codes }
}

/** Fills in the form of the login and sends it. */
export async function logInByForm(page: Page, { username, password }: Account): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Logs out by the menu of the user. */
export async function signOut(page: Page, { username }: Account): Promise<void> {
  await page.getByRole('button', { name: `${username}: Your account` }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Username').waitFor()
}
