import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { ask, type Grant, login, tryLogin } from '../security/access.ts'
import type { TestApp } from './api/app.ts'
import type { Reply } from './api/scenario.ts'

/** A second factor that was set up in a test. */
export interface SetUpFactor {
  readonly id: number
  readonly secret: string
  readonly recoveryCodes: readonly string[]
  /** The session that has set it up. */
  readonly grant: Grant
}

/** Length of a time step, in milliseconds. */
export const STEP = 30_000

/** The code of an authenticator with this secret, at a time of the application's clock. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

/** The present code; with `shift`, that of another time, in milliseconds. */
export const codeOf = (app: TestApp, secret: string, shift = 0): string => codeAt(secret, app.time.clock() + shift)

/** Logs a user in and sets up an authenticator. Time goes on by a step, so that the next code differs from the one used. */
export async function setUpFactor(app: TestApp, user: { username: string; password: string }): Promise<SetUpFactor> {
  const grant = await login(app, user)
  const begun = await ask(app, grant.access_token, 'POST /api/v1/auth/factors/totp')
  assert.equal(begun.status, 201, begun.text)
  const { id, secret } = begun.json.data
  const body = { otp: codeOf(app, secret) }
  const confirmed = await ask(app, grant.access_token, 'POST /api/v1/auth/factors/totp/confirm', body)
  assert.equal(confirmed.status, 200, confirmed.text)
  app.advance(STEP)
  return { id, secret, recoveryCodes: confirmed.json.recovery_codes, grant }
}

/** Tries to log in with a code. */
export const tryCode = (app: TestApp, user: object, otp: unknown): Promise<Reply> => tryLogin(app, { ...user, otp })
