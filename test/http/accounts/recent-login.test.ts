import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import type { Reply } from '../../helpers/api/scenario.ts'
import { codeOf, setUpFactor } from '../../helpers/totp.ts'
import { ANNA, appTest, ask, login, refresh, tryLogin } from '../../security/access.ts'

const MINUTE = 60_000
const CONFIRM = 'POST /api/v1/auth/confirm'
const BEGIN = 'POST /api/v1/auth/factors/totp'

const confirm = (app: TestApp, token: string, body: unknown): Promise<Reply> => ask(app, token, CONFIRM, body)

describe('a login of the last 10 minutes', () => {
  appTest('is needed for second factors, and refreshes do not make it recent', async (app) => {
    const { access_token, refresh_token } = await login(app)
    app.advance(10 * MINUTE)
    assert.equal((await ask(app, access_token, BEGIN)).status, 201)
    const renewed = (await refresh(app, refresh_token)).json
    app.advance(1)
    for (const token of [access_token, renewed.access_token]) {
      const { status, json, headers } = await ask(app, token, BEGIN)
      assert.deepEqual(
        [status, json, headers['www-authenticate']],
        [
          401,
          {
            error: 'insufficient_user_authentication',
            status_code: 401,
            details: 'This needs a login within the last 10 minutes; confirm it with POST /auth/confirm, or log in again',
          },
          'Bearer error="insufficient_user_authentication", max_age=600',
        ],
      )
      assert.equal((await ask(app, token)).status, 200)
    }
  })

  appTest('is confirmed by the password, for this session only', async (app) => {
    const [own, other] = [await login(app), await login(app)]
    app.advance(11 * MINUTE)
    const { status, json } = await confirm(app, own.access_token, { password: ANNA.password })
    assert.deepEqual([status, json], [200, { message: 'Login confirmed successfully' }])
    app.advance(10 * MINUTE)
    assert.equal((await ask(app, own.access_token, BEGIN)).status, 201)
    assert.equal((await ask(app, other.access_token, BEGIN)).status, 401)
  })

  appTest('is confirmed by a code, once', async (app) => {
    const { secret, recoveryCodes, grant } = await setUpFactor(app, ANNA)
    const { access_token } = grant
    app.advance(11 * MINUTE)
    const otp = codeOf(app, secret)
    assert.equal((await confirm(app, access_token, { otp })).status, 200)
    assert.equal((await ask(app, access_token, BEGIN)).status, 201)
    const again = await confirm(app, access_token, { otp })
    const wrong = { detail: { error: { otp: ['otp is wrong, or was used before, or too many were wrong lately'] } } }
    assert.deepEqual([again.status, again.json], [400, wrong])
    assert.equal((await confirm(app, access_token, { otp: recoveryCodes[0] })).status, 200)
  })

  appTest('of an earlier version, which stored no time, is not recent', async (app) => {
    const { access_token } = await login(app)
    const page = { filters: [], sort: [], offset: 0, limit: 1 }
    const [session] = (await app.app.store.find('authsession', page)).records
    assert.equal(session?.method, 'password')
    const values = { authenticated_at: null, method: null }
    await app.app.store.transact([{ kind: 'update', table: 'authsession', id: session?.id ?? 0, values }])
    assert.equal((await ask(app, access_token, BEGIN)).status, 401)
    assert.equal((await confirm(app, access_token, { password: ANNA.password })).status, 200)
    assert.equal((await ask(app, access_token, BEGIN)).status, 201)
  })

  appTest('counts from the issue of a token without a session, which cannot be confirmed', async (app) => {
    const token = await app.tokenOf('anna.lind')
    assert.equal((await ask(app, token, BEGIN)).status, 201)
    app.advance(10 * MINUTE + 1)
    assert.equal((await ask(app, token, BEGIN)).status, 401)
    const { status, json } = await confirm(app, token, { password: ANNA.password })
    assert.deepEqual([status, json.details], [403, 'The token belongs to no session; log in with POST /auth/token'])
  })
})

describe('a confirmation', () => {
  appTest('with a wrong password is a failed login, and is logged', async (app) => {
    const { access_token } = await login(app)
    const wrong = { detail: { error: { password: ['password is wrong, or the account is locked'] } } }
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, json } = await confirm(app, access_token, { password: 'something-else' })
      assert.deepEqual([status, json], [400, wrong])
    }
    assert.deepEqual((await confirm(app, access_token, { password: ANNA.password })).json, wrong)
    assert.equal((await tryLogin(app, ANNA)).status, 401)
    const lines = app.logged.filter((line) => line.includes('"confirmation_failed"')).map((line) => JSON.parse(line).reason)
    assert.deepEqual(lines, [...Array(5).fill('wrong_password'), 'account_locked'])
    app.advance(1000)
    assert.equal((await confirm(app, access_token, { password: ANNA.password })).status, 200)
  })

  appTest('takes a password or a code', async (app) => {
    const { access_token } = await login(app)
    const errorsOf = async (body: unknown) => (await confirm(app, access_token, body)).json.detail.error
    assert.deepEqual(await errorsOf({}), { password: ['password is mandatory'] })
    assert.deepEqual(await errorsOf({ password: 1 }), { password: ['password must be a string'] })
    assert.deepEqual(await errorsOf({ otp: 123456 }), { otp: ['otp must be a string'] })
    assert.deepEqual(await errorsOf({ password: 'x', otp: '1' }), { password: ["Field 'password' does not exist"] })
    assert.deepEqual(await errorsOf({ otp: '123456' }), {
      otp: ['otp is wrong, or was used before, or too many were wrong lately'],
    })
  })
})
