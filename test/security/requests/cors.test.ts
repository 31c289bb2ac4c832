import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openTestApp } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const FRONT_END = 'https://app.example.com'
const preflight = (origin: string, method = 'PUT', headers = 'authorization,content-type,if-match') => ({
  request: 'OPTIONS /api/v1/models/tag/1' as const,
  as: null,
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
})

const CORS = ['access-control-allow-origin', 'access-control-allow-credentials', 'access-control-allow-methods']
const nothingAllowed: Scenario['check'] = ({ headers }) => {
  for (const name of CORS) assert.equal(headers[name], undefined, name)
}
const listed = (value: unknown) => String(value).toLowerCase().split(/, */)

scenarios('without origins, CORS', [
  { name: 'answers no preflight', ...preflight(FRONT_END), status: 405, check: nothingAllowed },
  scenario('is in no answer', 'GET /api/v1/models/tag', 200, { headers: { origin: FRONT_END }, check: nothingAllowed }),
])

scenarios('with origins, CORS', { settings: { cors: [FRONT_END] } }, [
  {
    name: 'are answered preflight requests',
    ...preflight(FRONT_END),
    status: 200,
    check({ headers }) {
      assert.equal(headers['access-control-allow-origin'], FRONT_END)
      assert.equal(headers['access-control-allow-methods'], 'PUT')
      assert.equal(headers['access-control-allow-credentials'], undefined)
      assert.ok(listed(headers.vary).includes('origin'), `Vary is ${headers.vary}`)
      for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'if-range', 'last-event-id', 'range']) {
        assert.ok(listed(headers['access-control-allow-headers']).includes(name), name)
      }
    },
  },
  { name: 'other origins are allowed nothing', ...preflight('https://evil.example'), status: 200, check: nothingAllowed },
  {
    name: 'allows no origin that only begins alike',
    ...preflight(`${FRONT_END}.evil.example`),
    status: 200,
    check: nothingAllowed,
  },
  { name: 'allows no page without an origin', ...preflight('null'), status: 200, check: nothingAllowed },
  { name: 'allows no other header', ...preflight(FRONT_END, 'PUT', 'x-anything'), status: 200, check: nothingAllowed },
  scenario('may read the headers of the API', 'GET /api/v1/models/tag/1', 200, {
    headers: { origin: FRONT_END },
    check({ headers }) {
      assert.equal(headers['access-control-allow-origin'], FRONT_END)
      assert.ok(listed(headers.vary).includes('origin'), `Vary is ${headers.vary}`)
      for (const name of ['accept-ranges', 'content-range', 'etag', 'location', 'retry-after', 'ratelimit']) {
        assert.ok(listed(headers['access-control-expose-headers']).includes(name), name)
      }
    },
  }),
  scenario('adds Vary for other origins too', 'GET /api/v1/models/tag/1', 200, {
    headers: { origin: 'https://evil.example' },
    check(reply, app) {
      nothingAllowed(reply, app)
      assert.ok(listed(reply.headers.vary).includes('origin'), `Vary is ${reply.headers.vary}`)
    },
  }),
  scenario('shows them errors', 'GET /api/v1/models/tag', 401, {
    as: null,
    headers: { origin: FRONT_END },
    expectHeaders: { 'access-control-allow-origin': FRONT_END },
  }),
])

scenarios('with every origin, CORS', { settings: { cors: ['*'] } }, [
  scenario('still allows no credentials', 'GET /api/v1/models/tag', 200, {
    headers: { origin: 'https://anybody.example' },
    check({ headers }) {
      assert.ok(['*', 'https://anybody.example'].includes(String(headers['access-control-allow-origin'])), 'anybody may call')
      assert.equal(headers['access-control-allow-credentials'], undefined)
    },
  }),
])

test('a refused origin is logged, at most once a minute', async () => {
  await using app = await openTestApp({ settings: { cors: [FRONT_END] } })
  const ask = async (origin: string) => {
    await app.server.inject({ url: '/healthz', headers: { origin, host: 'api.example:8000' } })
    await setImmediate()
  }
  const refusals = () => app.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'origin_refused')
  for (const origin of [FRONT_END, 'http://api.example:8000']) await ask(origin)
  assert.deepEqual(refusals(), [])
  for (const origin of ['https://evil.example', 'https://other.example']) await ask(origin)
  app.advance(60_000)
  await ask('null')
  assert.deepEqual(valuesOf(refusals(), 'origin', 'level'), [
    ['https://evil.example', 'warn'],
    ['null', 'warn'],
  ])
})

describe('an invalid origin prevents the start', () => {
  for (const origin of [
    'https://app.example.com/',
    'https://App.example.com',
    'http://x:80',
    'https://*.example.com',
    'null',
    'localhost:5173',
    '',
  ]) {
    test(JSON.stringify(origin), () =>
      assert.rejects(openTestApp({ settings: { cors: [FRONT_END, origin] } }), /'cors' contains|'cors.*empty/),
    )
  }
  test("'*' beside others", () =>
    assert.rejects(openTestApp({ settings: { cors: ['*', FRONT_END] } }), /'\*' in 'cors' already allows every origin/))
})

test("'*' is warned of", async () => {
  await using app = await openTestApp({ settings: { cors: ['*'] } })
  assert.match(app.app.project.warnings.join('\n'), /cors is '\*': pages of every site may call the API/)
})
