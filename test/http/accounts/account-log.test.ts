import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountEvents } from '../../../src/accounts/account-events.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { ANNA, appTest, ask, login, logout, tryLogin } from '../../security/access.ts'
import { FORBIDDEN, UNAUTHENTICATED } from '../records/expected.ts'

const LOG = 'GET /api/v1/auth/log'

const logOf = async (app: TestApp, query = '?user_id=3') => (await play(app, { request: `${LOG}${query}`, status: 200 })).json

const NEXT = { current_password: ANNA.password, new_password: 'another-lighthouse-18' }

describe('the log of an account', () => {
  appTest('says when, from where and how its user has logged in and out', async (app) => {
    const headers = { 'user-agent': 'x'.repeat(300), 'x-request-id': 'r-1' }
    const { json } = await play(app, { request: 'POST /api/v1/auth/token', as: null, body: ANNA, headers, status: 200 })
    app.advance(1000)
    await logout(app, json.refresh_token)
    const { data, total } = await logOf(app)
    const common = { user: { id: 3, username: 'anna.lind' }, address: '127.0.0.1', session: 1, count: 1 }
    assert.equal(total, 2)
    assert.equal(typeof data[0].request_id, 'string')
    const [at, out] = ['2026-01-15T12:00:00.000Z', '2026-01-15T12:00:01.000Z']
    assert.deepEqual(data, [
      { id: data[0].id, event: 'logout', at: out, ...common, user_agent: 'shot', method: null, request_id: data[0].request_id },
      { id: data[1].id, event: 'login', at, ...common, user_agent: 'x'.repeat(200), method: 'password', request_id: 'r-1' },
    ])
  })

  appTest('is read by its user, and has changed passwords and ended sessions', async (app) => {
    const [own, other] = [await login(app), await login(app)]
    assert.equal((await ask(app, own.access_token, 'DELETE /api/v1/auth/sessions/2')).status, 200)
    assert.equal((await ask(app, own.access_token, 'POST /api/v1/auth/password', NEXT)).status, 200)
    assert.equal((await ask(app, other.access_token, LOG)).status, 401)
    const { json } = await ask(app, own.access_token, LOG)
    assert.deepEqual(valuesOf(json.data, 'event', 'session', 'method'), [
      ['password_changed', 1, null],
      ['session_ended', 2, null],
      ['login', 2, 'password'],
      ['login', 1, 'password'],
    ])
  })

  appTest('has what others change, without their addresses', async (app) => {
    await login(app)
    await play(app, { request: 'DELETE /api/v1/auth/sessions?user_id=3', status: 200 })
    const data = { password: 'set-by-somebody-else-1', email: 'anna@example.org' }
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data }, status: 200 })
    const { data: events } = await logOf(app)
    assert.deepEqual(valuesOf(events, 'event', 'method', 'address'), [
      ['email_changed', 'other_user', null],
      ['password_changed', 'other_user', null],
      ['session_ended', 'other_user', null],
      ['login', 'password', '127.0.0.1'],
    ])
  })

  appTest(
    'has failed logins by the minute and the address',
    async (app) => {
      const fail = (address: string) =>
        play(app, {
          request: 'POST /api/v1/auth/token',
          as: null,
          body: { ...ANNA, password: 'wrong' },
          headers: { 'x-forwarded-for': address },
          status: 401,
        })
      for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1']) await fail(address)
      // Counted on where the entry is stored already.
      await logOf(app)
      await fail('192.0.2.1')
      app.advance(60_000)
      await fail('192.0.2.1')
      const { data } = await logOf(app)
      assert.deepEqual(valuesOf(data, 'event', 'address', 'count', 'at'), [
        ['login_failed', '192.0.2.1', 1, '2026-01-15T12:01:00.000Z'],
        ['login_failed', '192.0.2.2', 1, '2026-01-15T12:00:00.000Z'],
        ['login_failed', '192.0.2.1', 4, '2026-01-15T12:00:00.000Z'],
      ])
    },
    { settings: { trusted_proxies: 1 } },
  )

  appTest('never has a name that does not exist', async (app) => {
    const secret = 'lighthouse-keys-17-typed-as-a-name'
    assert.equal((await tryLogin(app, { username: secret, password: 'x' })).status, 401)
    assert.equal((await logOf(app, '?all=true')).total, 0)
    const { records } = await app.app.store.find('accountevent', { filters: [], sort: [], offset: 0, limit: 10 })
    assert.deepEqual(records, [])
  })

  appTest('is stored soon, without a request, and when the server stops', async (app) => {
    const stored = async (which: TestApp) =>
      (await which.app.store.find('accountevent', { filters: [], sort: [], offset: 0, limit: 10 })).total
    await login(app)
    assert.equal(await stored(app), 0)
    app.advance(250)
    await app.app.accountEvents.flush()
    assert.equal(await stored(app), 1)
    await login(app)
    const again = await app.reopen()
    try {
      assert.equal(await stored(again), 2)
    } finally {
      await again.close()
    }
  })

  appTest(
    'is kept for the days of the setting',
    async (app) => {
      await login(app)
      await logOf(app)
      app.advance(7 * 86_400_000)
      await login(app)
      await logOf(app)
      app.advance(1)
      await app.app.begin()
      assert.deepEqual(valuesOf((await logOf(app)).data, 'at'), ['2026-01-22T12:00:00.000Z'])
    },
    { settings: { accounts: { log_days: 7 } } },
  )

  appTest('goes with its user', async (app) => {
    const user = { username: 'short.lived', password: 'a-password-for-a-day', email: 'short@example.org' }
    const { json } = await play(app, { request: 'POST /api/v1/models/user', body: { data: user }, status: 201 })
    const { username, password } = user
    await login(app, { username, password })
    assert.equal((await logOf(app, `?user_id=${json.data.id}`)).total, 1)
    await play(app, { request: `DELETE /api/v1/models/user/${json.data.id}`, status: 200 })
    assert.deepEqual((await logOf(app, '?all=true')).data, [])
  })

  appTest('stays at a reset that keeps accounts', async (app) => {
    await login(app)
    await logOf(app)
    await play(app, { request: 'POST /api/v1/reset', body: { seed_data: false }, status: 200 })
    assert.equal((await logOf(app)).total, 1)
  })
})

describe('a flood of failures', () => {
  const flood = async (limits: object, work: (events: AccountEvents, app: TestApp) => Promise<void>) => {
    await using app = await openTestApp()
    const { AccountEvents: Events } = await import('../../../src/accounts/account-events.ts')
    const { store, records, log } = app.app
    const { clock, timer } = app.time
    await work(new Events({ store, records, log, clock, timer, days: 90, limits }), app)
  }
  const stored = async (app: TestApp) =>
    (await app.app.store.find('accountevent', { filters: [], sort: [{ field: 'id', order: 'asc' }], offset: 0, limit: 1000 }))
      .records
  const failFrom = (events: AccountEvents, address: string, id = 3) =>
    events.note('login_failed', { user: { id }, client: { address } })

  test('from many addresses makes few entries, one of them for all further addresses', () =>
    flood({ addresses: 2 }, async (events, app) => {
      for (let number = 0; number < 500; number++) failFrom(events, `192.0.2.${number % 50}`)
      await events.flush()
      assert.deepEqual(valuesOf(await stored(app), 'address', 'count'), [
        ['192.0.2.0', 10],
        ['192.0.2.1', 10],
        [null, 480],
      ])
    }))

  test('on many accounts makes a limited number of entries in a minute, and the log of the server says so', () =>
    flood({ aMinute: 3 }, async (events, app) => {
      for (let id = 1; id <= 6; id++) failFrom(events, '192.0.2.1', id)
      await events.flush()
      assert.equal((await stored(app)).length, 3)
      app.advance(60_000)
      assert.match(app.logged.join(''), /"events":3,"msg":"Events were left out of the log of accounts/)
      failFrom(events, '192.0.2.1', 6)
      await events.flush()
      assert.equal((await stored(app)).length, 4)
    }))

  test('keeps the latest failures only, and all other events', () =>
    flood({ failures: 2 }, async (events, app) => {
      events.note('login', { user: { id: 3 } })
      for (let id = 1; id <= 5; id++) failFrom(events, '192.0.2.1', id)
      await events.begin()
      await events.flush()
      await events.begin()
      assert.deepEqual(valuesOf(await stored(app), 'event', 'user_id'), [
        ['login', 3],
        ['login_failed', 4],
        ['login_failed', 5],
      ])
      await events.stop()
    }))

  test('does not take all memory while the store is slow', () =>
    flood({ pending: 2 }, async (events, app) => {
      for (let number = 0; number < 5; number++) events.note('login', { user: { id: 3 } })
      await events.flush()
      assert.equal((await stored(app)).length, 2)
    }))

  test('loses no events of others when an account is deleted meanwhile', () =>
    flood({}, async (events, app) => {
      events.note('login', { user: { id: 3 } })
      events.note('login', { user: { id: 999 } })
      failFrom(events, '192.0.2.1')
      await events.flush()
      assert.deepEqual(valuesOf(await stored(app), 'event', 'user_id'), [
        ['login', 3],
        ['login_failed', 3],
      ])
      assert.deepEqual(app.reported, [])
    }))
})

const refused = (request: Scenario['request'], status: number, expect: unknown, as: string | null = 'anna.lind'): Scenario =>
  scenario(`is a ${status} for ${as ?? 'nobody'}`, request, status, { as, expect })

scenarios('a request for the log', [
  refused(`${LOG}?user_id=1`, 403, FORBIDDEN),
  refused(`${LOG}?all=true`, 403, FORBIDDEN),
  refused(LOG, 401, UNAUTHENTICATED, null),
  scenario('of a user who does not exist', `${LOG}?user_id=999`, 404),
  scenario('of one and of all', `${LOG}?user_id=1&all=true`, 400),
  scenario('of the own account by its id', `${LOG}?user_id=3`, 200, { as: 'anna.lind' }),
  scenario('with a page that is none', `${LOG}?page=0`, 400),
])
