import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { argon2id } from '../../../src/auth/password.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { ANNA, appTest, ask, login, refresh, standing, tryLogin } from '../../security/access.ts'
import { Browser } from '../../security/cookies.ts'
import { fieldErrors, UNAUTHENTICATED } from '../records/expected.ts'

const EDITOR = { username: 'm.keller', password: 'harbour-editor-2024' }
const NEXT = 'something-new-18'
const WRONG = 'current_password is wrong, or the account is locked'
const CHANGE = { current_password: ANNA.password, new_password: NEXT }

const changePassword = (app: TestApp, token: string, body: unknown = CHANGE): Promise<Reply> =>
  ask(app, token, 'POST /api/v1/auth/password', body)

describe('a change of the own password', () => {
  appTest('ends all other sessions; the present one goes on', async (app) => {
    const [own, other, editor] = [await login(app), await login(app), await login(app, EDITOR)]
    for (const { access_token } of [own, other]) assert.equal((await ask(app, access_token)).status, 200)
    const reply = await changePassword(app, own.access_token)
    assert.deepEqual([reply.status, reply.json], [200, { message: 'Password changed successfully' }])
    assert.equal((await tryLogin(app, ANNA)).status, 401)
    assert.deepEqual(await standing(app, other), [401, 401])
    assert.deepEqual(await standing(app, own), [200, 200])
    assert.deepEqual(await standing(app, editor), [200, 200])
    await login(app, { ...ANNA, password: NEXT })
  })

  appTest('with the refresh token in a cookie is the same', async (app) => {
    const [own, other] = [new Browser(app), new Browser(app)]
    const token = await own.login()
    await other.login()
    assert.equal((await changePassword(app, token)).status, 200)
    assert.equal((await ask(app, token)).status, 200)
    assert.deepEqual([(await own.refresh()).status, (await other.refresh()).status], [200, 401])
  })

  appTest('is stored: the present session survives a restart', async (app) => {
    const own = await login(app)
    assert.equal((await changePassword(app, own.access_token)).status, 200)
    const reopened = await app.reopen()
    assert.deepEqual(await standing(reopened, own), [200, 200])
    await login(reopened, { ...ANNA, password: NEXT })
    await reopened.close()
  })

  appTest('needs no permission, publishes the change, and is logged with the user', async (app) => {
    const { access_token } = await login(app)
    const before = (await play(app, { request: 'GET /api/v1/models/user/3', status: 200 })).json.data
    app.advance(1000)
    assert.equal((await changePassword(app, access_token)).status, 200)
    const after = (await play(app, { request: 'GET /api/v1/models/user/3', status: 200 })).json.data
    assert.deepEqual(after, { ...before, updated_at: '2026-01-15T12:00:01.000Z' })
    const [line] = app.logged.flatMap((each) => (each.includes('password_changed') ? [JSON.parse(each)] : []))
    assert.deepEqual([line?.username, line?.by], ['anna.lind', 3])
  })

  appTest('of a user without a session changes the password, and ends the token', async (app) => {
    const token = await app.tokenOf('anna.lind')
    assert.equal((await changePassword(app, token)).status, 200)
    assert.equal((await ask(app, token)).status, 401)
  })

  appTest('happens once when it is asked for twice at the same time', async (app) => {
    const own = await login(app)
    const replies = await Promise.all(
      ['first-new-word', 'other-new-word'].map((new_password) =>
        changePassword(app, own.access_token, { ...CHANGE, new_password }),
      ),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400])
    assert.deepEqual(await standing(app, own), [200, 200])
  })

  appTest('while the session is refreshed ends neither', async (app) => {
    const own = await login(app)
    const [changed, refreshed] = await Promise.all([changePassword(app, own.access_token), refresh(app, own.refresh_token)])
    assert.deepEqual([changed.status, refreshed.status], [200, 200])
    assert.deepEqual(await standing(app, refreshed.json), [200, 200])
  })

  appTest(
    'works with argon2id',
    async (app) => {
      const { access_token } = await login(app)
      assert.equal((await changePassword(app, access_token, { ...CHANGE, current_password: 'wrong' })).status, 400)
      assert.equal((await changePassword(app, access_token)).status, 200)
      await login(app, { ...ANNA, password: NEXT })
    },
    { hasher: argon2id() },
  )
})

describe('a wrong present password', () => {
  const wrong = { ...CHANGE, current_password: 'guess' }

  appTest('changes nothing and ends nothing', async (app) => {
    const [own, other] = [await login(app), await login(app)]
    const reply = await changePassword(app, own.access_token, wrong)
    assert.deepEqual([reply.status, reply.json], [400, fieldErrors({ current_password: [WRONG] })])
    for (const grant of [own, other]) assert.deepEqual(await standing(app, grant), [200, 200])
    await login(app)
    assert.ok(app.logged.some((line) => line.includes('password_change_failed') && line.includes('wrong_password')))
  })

  appTest('counts like a failed login, so a stolen token does not help to guess', async (app) => {
    const { access_token } = await login(app)
    for (let guess = 0; guess < 5; guess++) assert.equal((await changePassword(app, access_token, wrong)).status, 400)
    const locked = await changePassword(app, access_token)
    assert.deepEqual([locked.status, locked.json], [400, fieldErrors({ current_password: [WRONG] })])
    assert.equal((await tryLogin(app, ANNA)).status, 401, 'the account is locked')
    app.advance(1000)
    assert.equal((await changePassword(app, access_token)).status, 200)
    await login(app, { ...ANNA, password: NEXT })
  })

  appTest(
    'counts towards the logins of the address',
    async (app) => {
      const tokens = [await app.tokenOf('anna.lind'), await app.tokenOf('m.keller')]
      for (const token of tokens) assert.equal((await changePassword(app, token, wrong)).status, 400)
      assert.equal((await changePassword(app, tokens[0] ?? '')).status, 429)
      assert.equal((await tryLogin(app, ANNA)).status, 429)
      assert.equal((await changePassword(app, 'no token')).status, 401)
    },
    { settings: { rate_limits: { default: 0, auth: 2, upload: 0 } } },
  )
})

const change = (name: string, body: unknown, expect: object, as: string | null = 'anna.lind'): Scenario =>
  scenario(name, 'POST /api/v1/auth/password', 400, { as, body, expect })

scenarios('a change of the own password', [
  change(
    'without its members',
    {},
    fieldErrors({ current_password: ['current_password is mandatory'], new_password: ['new_password is mandatory'] }),
  ),
  change(
    'with values of another type',
    { current_password: 1, new_password: ['x'] },
    fieldErrors({ current_password: ['current_password must be a string'], new_password: ['new_password must be a string'] }),
  ),
  change(
    'with a member that it does not have',
    { ...CHANGE, new_pasword: 'x' },
    fieldErrors({ new_pasword: ["Field 'new_pasword' does not exist; did you mean 'new_password'?"] }),
  ),
  change(
    'to one that breaks the model',
    { ...CHANGE, new_password: 'short' },
    fieldErrors({ new_password: ['new_password must be at least 8 characters long'] }),
  ),
  change(
    'with two faults',
    { current_password: 'guess', new_password: 'short' },
    fieldErrors({ current_password: [WRONG], new_password: ['new_password must be at least 8 characters long'] }),
  ),
  scenario('as a form', 'POST /api/v1/auth/password', 415, {
    rawBody: 'current_password=x&new_password=y',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  scenario('without a token', 'POST /api/v1/auth/password', 401, { as: null, body: CHANGE, expect: UNAUTHENTICATED }),
])

scenarios('with validation_status 422, a change of the own password', { settings: { validation_status: 422 } }, [
  {
    ...change(
      'to one that breaks the model',
      { ...CHANGE, new_password: 'short' },
      {
        error: 'Validation failed',
        status_code: 422,
        details: { new_password: ['new_password must be at least 8 characters long'] },
        timestamp: '2026-01-15T12:00:00.000Z',
      },
    ),
    status: 422,
  },
])
