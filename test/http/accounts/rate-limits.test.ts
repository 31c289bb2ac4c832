import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, TEST_START, type TestApp } from '../../helpers/api/app.ts'
import { speak, withListening } from '../../helpers/api/raw.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const LIMITS = { default: 3, auth: 2, upload: 10 }
const LIST = 'GET /api/v1/models/tag'
const LOGIN = { request: 'POST /api/v1/auth/token', as: null, body: { username: 'admin', password: 'wrong' } } as const

async function withApp(
  settings: { trusted_proxies?: number; views_auth?: 'required'; rate_limits?: typeof LIMITS },
  work: (app: TestApp) => Promise<void>,
) {
  await using app = await openTestApp({ settings: { rate_limits: LIMITS, ...settings } })
  await work(app)
}

/** Lets the exchange begin in which the processes that share the records count the requests so far: it is due after 100 ms. */
async function countedByAll(app: TestApp) {
  app.advance(100)
  await new Promise((resolve) => setImmediate(resolve))
}

function limitHeaders({ headers }: { readonly headers: Reply['headers'] }): Record<string, unknown> {
  const names = [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
  ]
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
}

describe('rate limits', () => {
  test('every counted response states the limit and the remaining requests', () =>
    withApp({}, async (app) => {
      assert.deepEqual(limitHeaders(await send(app, { request: LIST })), {
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': '2',
        'x-ratelimit-reset': String(TEST_START / 1000 + 60),
        ratelimit: '"default";r=2;t=60',
        'ratelimit-policy': '"default";q=3;w=60',
      })
      const missing = await send(app, { request: 'GET /api/v1/models/tag/999' })
      assert.equal(missing.status, 404)
      assert.equal(missing.headers['x-ratelimit-remaining'], '1')
    }))

  test('headers over a socket equal those of an injected request, rejected or not', () =>
    withListening({ settings: { rate_limits: { ...LIMITS, default: 1 } } }, async ({ port, authorization, tokenOf, server }) => {
      const ask = `GET /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
      const other = { authorization: `Bearer ${await tokenOf('m.keller')}` }
      for (const status of [200, 429]) {
        const heard = await speak(port, `${ask}${authorization}\r\n`)
        const injected = await server.inject({ url: '/api/v1/models/tag', headers: other })
        assert.deepEqual([heard.status, injected.statusCode], [status, status])
        assert.deepEqual(limitHeaders(heard), limitHeaders(injected))
        assert.equal(Object.keys(limitHeaders(heard)).length, status === 200 ? 5 : 6)
      }
    }))

  test('a request over the limit is 429 with Retry-After, and a minute later all is well', () =>
    withApp({}, async (app) => {
      for (let request = 0; request < 3; request++) assert.equal((await send(app, { request: LIST })).status, 200)
      await countedByAll(app)
      app.advance(20_000)
      const refused = await send(app, { request: LIST })
      assert.equal(refused.status, 429)
      assert.deepEqual(refused.json, {
        error: 'Rate limit exceeded',
        status_code: 429,
        details: 'At most 3 requests a minute (the setting rate_limits.default); try again in 40 seconds',
      })
      assert.equal(refused.headers['retry-after'], '40')
      assert.equal((await send(app, { request: LIST, as: 'm.keller' })).status, 200, 'another user is not affected')
      app.advance(40_000)
      assert.equal((await send(app, { request: LIST })).status, 200)
    }))

  test('imports have a limit of their own, and its message names them and the setting', () =>
    withApp({ rate_limits: { ...LIMITS, upload: 1 } }, async (app) => {
      const file = {
        request: 'POST /api/v1/models/tag/import?dry_run=true',
        rawBody: 'name,slug\r\nA,a\r\n',
        headers: { 'content-type': 'text/csv' },
      } as const
      assert.equal((await send(app, file)).status, 200)
      await countedByAll(app)
      const refused = await send(app, file)
      const details = 'At most 1 upload a minute (the setting rate_limits.upload); try again in 60 seconds'
      assert.deepEqual([refused.status, refused.json.details], [429, details])
      assert.equal((await send(app, { request: LIST })).status, 200)
    }))

  test('a body that cannot be read counts, and is not read any more over the limit', () =>
    withApp({}, async (app) => {
      const broken = {
        request: 'POST /api/v1/models/tag',
        rawBody: '{',
        headers: { 'content-type': 'application/json' },
      } as const
      const replies = []
      for (let request = 0; request < 4; request++) replies.push(await send(app, broken))
      assert.deepEqual(valuesOf(replies, 'status'), [400, 400, 400, 429])
      assert.deepEqual(
        replies.map(({ headers }) => headers['x-ratelimit-remaining']),
        ['2', '1', '0', '0'],
      )
    }))

  test('failed logins count by address, whatever X-Forwarded-For says', () =>
    withApp({}, async (app) => {
      const statuses = []
      for (const claimed of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
        statuses.push((await send(app, { ...LOGIN, headers: { 'x-forwarded-for': claimed } })).status)
      }
      assert.deepEqual(statuses, [401, 401, 429])
    }))

  test('/auth/me counts against the limit of the user, so that reloads of a page leave the logins alone', () =>
    withApp({}, async (app) => {
      const me = { request: 'GET /api/v1/auth/me', as: 'anna.lind' } as const
      for (let reload = 0; reload < 3; reload++) assert.equal((await send(app, me)).status, 200)
      assert.equal((await send(app, me)).status, 429)
      assert.equal((await send(app, LOGIN)).status, 401)
    }))

  test('after one login /auth/me answers a hundred times in a minute, and exactly four more logins are left', () =>
    withApp({ rate_limits: { default: 100, auth: 5, upload: 10 } }, async (app) => {
      const good = { ...LOGIN, body: { username: 'anna.lind', password: 'lighthouse-keys-17' } }
      const { json } = await send(app, good)
      const headers = { authorization: `Bearer ${json.access_token}` }
      for (let call = 0; call < 100; call++) {
        assert.equal((await send(app, { request: 'GET /api/v1/auth/me', as: null, headers })).status, 200)
        app.advance(500)
      }
      assert.equal((await send(app, { request: 'GET /api/v1/auth/me', as: null, headers })).status, 429)
      const statuses = []
      for (let login = 0; login < 5; login++) statuses.push((await send(app, good)).status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 429])
    }))

  test('the site, a search over all models, and views that need a token count as one request each', () =>
    withApp({ views_auth: 'required', rate_limits: { default: 100, auth: 0, upload: 0 } }, async (app) => {
      const left = []
      for (const path of ['/admin/api/v1/site', '/admin/api/v1/views/', '/admin/api/v1/views/tag/', '/api/v1/search?q=harbour']) {
        left.push(limitHeaders(await send(app, { request: `GET ${path}` as 'GET /' })).ratelimit)
      }
      assert.deepEqual(left, ['"default";r=99;t=60', '"default";r=98;t=60', '"default";r=97;t=60', '"default";r=96;t=60'])
    }))

  test('a refresh that succeeds counts against the limit of the user, and keeps its token when it is rejected', () =>
    withApp({}, async (app) => {
      const refresh = async (refresh_token: string) =>
        send(app, { request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token } })
      let { json } = await send(app, { ...LOGIN, body: { username: 'anna.lind', password: 'lighthouse-keys-17' } })
      for (let left = 2; left >= 0; left--) {
        const reply = await refresh(json.refresh_token)
        assert.deepEqual([reply.status, limitHeaders(reply).ratelimit], [200, `"default";r=${left};t=60`])
        json = reply.json
      }
      assert.equal((await refresh(json.refresh_token)).status, 429)
      assert.equal((await send(app, LOGIN)).status, 401, 'the second login of the minute')
      await countedByAll(app)
      app.advance(60_000)
      assert.equal((await refresh(json.refresh_token)).status, 200)
    }))

  test('a refresh that fails counts as a login', () =>
    withApp({}, async (app) => {
      const refresh = { request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token: 'x' } } as const
      const statuses = []
      for (let attempt = 0; attempt < 3; attempt++) statuses.push((await send(app, refresh)).status)
      assert.deepEqual(statuses, [401, 401, 429])
      assert.equal((await send(app, LOGIN)).status, 429)
    }))

  test('behind one trusted proxy the last address of X-Forwarded-For counts', () =>
    withApp({ trusted_proxies: 1 }, async (app) => {
      const from = async (forwarded: string) => (await send(app, { ...LOGIN, headers: { 'x-forwarded-for': forwarded } })).status
      assert.deepEqual(
        [await from('9.9.9.1, 5.5.5.5'), await from('9.9.9.2, 5.5.5.5'), await from('9.9.9.3, 5.5.5.5')],
        [401, 401, 429],
      )
      assert.equal(await from('9.9.9.3, 6.6.6.6'), 401)
    }))

  test('views that need no token are not limited, and 0 turns a limit off', () =>
    withApp({ rate_limits: { default: 0, auth: 0, upload: 0 } }, async (app) => {
      for (let request = 0; request < 6; request++) {
        assert.equal((await send(app, LOGIN)).status, 401)
        const list = await send(app, { request: LIST })
        assert.deepEqual([list.status, limitHeaders(list)], [200, {}])
      }
      assert.deepEqual(limitHeaders(await send(app, { request: 'GET /admin/api/v1/views/', as: null })), {})
    }))
})
