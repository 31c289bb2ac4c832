import assert from 'node:assert/strict'
import { ACCOUNTS } from './browser.ts'
import type { RunningServer } from './cli/process.ts'

/** Calls the API of `fixtures/blog` as the superuser, from elsewhere than the page under test; fails for a response of 400 and above. */
export async function asAdmin<Answer>({ address }: RunningServer, method: string, path: string, body?: object): Promise<Answer> {
  const json = { 'Content-Type': 'application/json' }
  const login = await fetch(`${address}/api/v1/auth/token`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(ACCOUNTS.superuser),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  const headers = { ...json, Authorization: `Bearer ${access_token}` }
  const response = await fetch(`${address}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  assert.ok(response.ok, await response.clone().text())
  return (await response.json()) as Answer
}
