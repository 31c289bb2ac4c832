import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { send } from '../helpers/api/scenario.ts'
import { valuesOf } from '../helpers/values-of.ts'

const TOKEN = 'POST /api/v1/auth/token'
const GOOD = { username: 'admin', password: 'harbour-admin-2024' }
const FROM = { address: '127.0.0.1' }

/** Plays something at the default level, and gives what was logged of it, without times and ids. */
async function eventsOf(play: (app: TestApp) => Promise<unknown>): Promise<object[]> {
  await using app = await openTestApp({ settings: { log: { level: 'info' } } })
  app.logged.length = 0
  await play(app)
  return app.logged.map((line) => {
    const { time, msg, request_id, ...event } = JSON.parse(line)
    assert.ok(typeof time === 'string' && typeof msg === 'string', line)
    if (event.address !== undefined) assert.match(request_id, /^[\w-]{22}$/)
    return event
  })
}

const event = (name: string, more: object) => ({ level: 'info', event: name, ...more })

describe('the log at its default level contains', () => {
  test('logins, with user and address', async () => {
    const events = await eventsOf((app) => send(app, { request: TOKEN, as: null, body: GOOD }))
    assert.deepEqual(events, [event('login_succeeded', { username: 'admin', ...FROM })])
  })

  test('failed logins, with the reason', async () => {
    const events = await eventsOf((app) => send(app, { request: TOKEN, as: null, body: { ...GOOD, password: 'wrong' } }))
    const known = { reason: 'wrong_password', user_id: 1, username: 'admin' }
    assert.deepEqual(events, [event('login_failed', { ...known, ...FROM })])
  })

  test('an unknown name is not logged, since it may be a mistyped password', async () => {
    const body = { username: 'my-password-by-mistake', password: 'x' }
    const events = await eventsOf((app) => send(app, { request: TOKEN, as: null, body }))
    assert.deepEqual(events, [event('login_failed', { reason: 'unknown_user', ...FROM })])
  })

  test('that a disabled user tried to log in', async () => {
    const events = await eventsOf(async (app) => {
      await send(app, { request: 'PUT /api/v1/models/user/3', body: { data: { is_active: false } } })
      await send(app, { request: TOKEN, as: null, body: { username: 'anna.lind', password: 'lighthouse-keys-17' } })
    })
    const who = { user_id: 3, username: 'anna.lind' }
    assert.deepEqual(events, [
      event('user_disabled', { ...who, by: 1 }),
      event('login_failed', { reason: 'user_inactive', ...who, ...FROM }),
    ])
  })

  test('that an account is locked, from the failure on that locks it', async () => {
    const events = await eventsOf(async (app) => {
      for (let attempt = 1; attempt <= 5; attempt++) {
        await send(app, { request: TOKEN, as: null, body: { ...GOOD, password: 'wrong' } })
      }
      await send(app, { request: TOKEN, as: null, body: GOOD })
    })
    const failed = (reason: string) => event('login_failed', { reason, user_id: 1, username: 'admin', ...FROM })
    assert.deepEqual(events, [...Array(4).fill(failed('wrong_password')), failed('account_locked'), failed('account_locked')])
  })

  test('reuse of a refresh token, and invalid ones', async () => {
    const events = await eventsOf(async (app) => {
      const { json } = await send(app, { request: TOKEN, as: null, body: GOOD })
      const refresh = { request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token: json.refresh_token } } as const
      assert.equal((await send(app, refresh)).status, 200)
      assert.equal((await send(app, refresh)).status, 401)
      await send(app, { ...refresh, body: { refresh_token: 'nonsense' } })
    })
    assert.deepEqual(events, [
      event('login_succeeded', { username: 'admin', ...FROM }),
      event('refresh_token_reused', { user_id: 1, username: 'admin', ...FROM }),
      event('refresh_failed', { reason: 'token_invalid', ...FROM }),
    ])
  })

  test('changes of accounts, with the actor', async () => {
    const events = await eventsOf(async (app) => {
      const user = { username: 'passenger', email: 'n@example.org', password: 'a-long-password' }
      const { json } = await send(app, { request: 'POST /api/v1/models/user', body: { data: user } })
      const path = `/api/v1/models/user/${json.data.id}` as const
      for (const data of [
        { password: 'another-a-long-password' },
        { is_superuser: true },
        { first_name: 'Ann' },
        { is_active: false },
        { is_active: true },
      ]) {
        assert.equal((await send(app, { request: `PUT ${path}`, body: { data } })).status, 200)
      }
      assert.equal((await send(app, { request: `DELETE ${path}` })).status, 200)
    })
    const names = ['created', 'password', 'rights', 'disabled', 'enabled', 'deleted']
    const called = names.map((name) => (['password', 'rights'].includes(name) ? `${name}_changed` : `user_${name}`))
    const [{ user_id = 0 } = {}] = events as { user_id?: number }[]
    assert.deepEqual(
      events,
      called.map((name) => event(name, { user_id, username: 'passenger', by: 1 })),
    )
  })

  test('the client address behind a proxy', async () => {
    await using app = await openTestApp({ settings: { trusted_proxies: 1 } })
    await send(app, { request: TOKEN, as: null, body: GOOD, headers: { 'x-forwarded-for': '9.9.9.9, 5.5.5.5' } })
    const line = app.logged.find((each) => each.includes('login_succeeded'))
    assert.equal(JSON.parse(line ?? '{}').address, '5.5.5.5')
  })

  test('nothing of requests that end well or are refused', async () => {
    const events = await eventsOf(async (app) => {
      await send(app, { request: 'GET /api/v1/models/post' })
      await send(app, { request: 'GET /api/v1/models/post/999' })
      await send(app, { request: 'GET /api/v1/models/post', as: null })
      await send(app, { request: 'POST /api/v1/models/tag', body: { data: {} } })
    })
    assert.deepEqual(events, [])
  })
})

test('at level debug every request is a line: route, status, time, id and user, and no values', async () => {
  await using app = await openTestApp({ settings: { log: { level: 'debug' } } })
  await send(app, { request: 'GET /api/v1/models/user/3?fields=email' })
  await send(app, { request: 'GET /private/ann@example.org?card=4111', as: null })
  const lines = app.logged.map((line) => JSON.parse(line)).filter(({ route }) => route !== undefined)
  const expected = [
    ['GET', '/api/v1/models/{model}/{record_id}', 200, 1],
    ['other', 'other', 404, undefined],
  ]
  assert.deepEqual(valuesOf(lines, 'method', 'route', 'status', 'user_id'), expected)
  for (const { ms, request_id, level } of lines) {
    assert.ok(Number.isInteger(ms) && ms >= 0, `${ms}`)
    assert.match(request_id, /^[\w-]{22}$/)
    assert.equal(level, 'debug')
  }
  assert.doesNotMatch(app.logged.join(''), /4111|example\.org|fields=/)
})
