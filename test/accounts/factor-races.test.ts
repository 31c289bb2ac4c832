import assert from 'node:assert/strict'
import { describe, mock } from 'node:test'
import { SESSIONS } from '../../src/auth/account-models.ts'
import { FACTORS } from '../../src/auth/factor-models.ts'
import type { TestApp } from '../helpers/api/app.ts'
import { codeOf } from '../helpers/totp.ts'
import { ANNA, appTest, ask, login, tryLogin } from '../security/access.ts'

const TOTP = 'POST /api/v1/auth/factors/totp'

/** Does something between the next read of all records of a user in a table, and what follows from it. */
function interrupt({ app }: TestApp, table: string, meanwhile: () => Promise<void>): void {
  const { store } = app
  const find = store.find.bind(store)
  const mocked = mock.method(store, 'find', async (...args: Parameters<typeof find>) => {
    const found = await find(...args)
    const [read, { filters }] = args
    if (read !== table || JSON.stringify(filters.map((each) => Object(each).field)) !== '["user_id"]') return found
    mocked.mock.restore()
    await meanwhile()
    return found
  })
}

/** Begins to set up an authenticator. Returns its confirmation. */
async function beginFactor(app: TestApp) {
  const { access_token } = await login(app)
  const { secret } = (await ask(app, access_token, TOTP)).json.data
  return async () => {
    const { status, text } = await ask(app, access_token, `${TOTP}/confirm`, { otp: codeOf(app, secret) })
    assert.equal(status, 200, text)
    return access_token
  }
}

const sessionsOf = async (app: TestApp, token: string): Promise<number> =>
  (await ask(app, token, 'GET /api/v1/auth/sessions')).json.total

describe('a login with the password only, while a second factor is set up,', () => {
  appTest('is asked for the factor if it is confirmed after the login has read that there is none', async (app) => {
    const confirm = await beginFactor(app)
    let own = ''
    interrupt(app, FACTORS, async () => {
      own = await confirm()
    })
    const { status, json } = await tryLogin(app, ANNA)
    assert.deepEqual([status, json.second_factor], [401, { methods: ['totp', 'recovery'] }])
    assert.equal(await sessionsOf(app, own), 1)
  })

  appTest('loses its session if the sessions to end were read before it began', async (app) => {
    const confirm = await beginFactor(app)
    let token = ''
    interrupt(app, SESSIONS, async () => {
      token = (await login(app)).access_token
    })
    const own = await confirm()
    assert.notEqual(token, '')
    assert.equal((await ask(app, token, 'GET /api/v1/auth/me')).status, 401)
    assert.equal(await sessionsOf(app, own), 1)
  })
})
