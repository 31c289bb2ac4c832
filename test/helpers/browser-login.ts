import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'

/** Someone who logs in. */
export interface Account {
  readonly username: string
  readonly password: string
}

/** Script that leaves in the page what a login leaves there. Once only, since a test may log out. */
export const LOGIN_HINT = `if (!sessionStorage.wasLoggedIn) localStorage['admin.hasSession'] = sessionStorage.wasLoggedIn = 'true'\n`

/** Logs in through the API of a server: the cookie of the session is that of the context. */
export async function logIn(context: BrowserContext, address: string, { username, password }: Account): Promise<void> {
  const data = { username, password, refresh: 'cookie' }
  const response = await context.request.post(`${address}/api/v1/auth/token`, { data })
  assert.equal(response.status(), 200, await response.text())
}
