import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ListeningApp, type RawReply, speak, withListening } from '../../helpers/api/raw.ts'

const FIXED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

const ask = (line: string, ...more: string[]) => `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more.join('')}\r\n`
const json = (body: string) => `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
const ORIGIN = 'Origin: https://app.example.com\r\n'
const TAG = '{"data":{"name":"Knots","slug":"knots"}}'

/** One answer of each kind: its name, its status, what to send for it. */
const ANSWERS: readonly (readonly [string, number, (app: ListeningApp) => string])[] = [
  ['a record', 200, ({ authorization }) => ask('GET /api/v1/models/tag/1', authorization)],
  ['a list', 200, ({ authorization }) => ask('GET /api/v1/models/tag', authorization)],
  ['a created record', 201, ({ authorization }) => ask('POST /api/v1/models/tag', authorization, json(TAG)) + TAG],
  ['a head', 200, ({ authorization }) => ask('HEAD /api/v1/models/tag/1', authorization)],
  ['an unchanged record', 304, ({ authorization }) => ask('GET /api/v1/models/tag/1', authorization, 'If-None-Match: *\r\n')],
  ['views', 200, () => ask('GET /admin/api/v1/views/')],
  ['a failed validation', 400, ({ authorization }) => `${ask('POST /api/v1/models/tag', authorization, json('{}'))}{}`],
  ['no JSON', 400, ({ authorization }) => `${ask('POST /api/v1/models/tag', authorization, json('{'))}{`],
  ['no token', 401, () => ask('GET /api/v1/models/tag')],
  ['a failed login', 401, () => ask('POST /api/v1/auth/token', json(LOGIN)) + LOGIN],
  ['no such record', 404, ({ authorization }) => ask('GET /api/v1/models/tag/99', authorization)],
  ['no such path', 404, () => ask('GET /nope')],
  ['a path that cannot be read', 404, () => ask('GET /%FF')],
  [
    'another media type',
    415,
    ({ authorization }) =>
      `${ask('POST /api/v1/models/tag', authorization, 'Content-Type: text/plain\r\nContent-Length: 1\r\n')}x`,
  ],
  ['a preflight', 200, () => ask('OPTIONS /api/v1/models/tag', ORIGIN, 'Access-Control-Request-Method: GET\r\n')],
  [
    'a preflight from elsewhere',
    200,
    () => ask('OPTIONS /api/v1/models/tag', 'Origin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\n'),
  ],
  ['no preflight', 405, () => ask('OPTIONS /api/v1/models/tag')],
  ['what is no request', 400, () => 'NONSENSE\r\n\r\n'],
  ['no Host', 400, () => 'GET / HTTP/1.1\r\n\r\n'],
  ['an Expect that nobody knows', 400, () => ask('GET /healthz', 'Expect: wonders\r\n')],
  ['headers without end', 431, () => ask('GET /', `X: ${'x'.repeat(50_000)}\r\n`)],
  [
    'a body that is no chunk',
    400,
    ({ authorization }) => `${ask('POST /api/v1/models/tag', authorization, 'Transfer-Encoding: chunked\r\n')}zz\r\n`,
  ],
  [
    'a length and chunks',
    400,
    ({ authorization }) => ask('POST /api/v1/models/tag', authorization, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
  ],
]
const LOGIN = '{"username":"admin","password":"wrong"}'

const check = (name: string, { status, headers, text }: RawReply, expected: number): void => {
  assert.equal(status, expected, `${name}: ${text}`)
  for (const [header, value] of Object.entries(FIXED)) assert.equal(headers[header], value, `${name}: ${header}`)
  assert.equal(headers['cache-control'], 'no-store', name)
  if (status >= 400) assert.match(text, /\{"(?:error":".*","status_code":\d+,"details"|detail":\{"error")/, name)
  for (const header of ['server', 'x-powered-by']) assert.equal(headers[header], undefined, `${name}: ${header}`)
  for (const header of Object.keys(FIXED))
    assert.equal(text.toLowerCase().split(`\n${header}:`).length, 2, `${name}: ${header} once`)
}

test('every response carries the security headers, and none names the software', () =>
  withListening({ settings: { cors: ['https://app.example.com'] } }, async (app) => {
    for (const [name, status, request] of ANSWERS) check(name, await speak(app.port, request(app)), status)
  }))

test('an answer over the limit of requests, and one to a fault inside, do too', () =>
  withListening({ settings: { rate_limits: { default: 1, auth: 0, upload: 0 } } }, async (app) => {
    const list = ask('GET /api/v1/models/tag', app.authorization)
    check('the first', await speak(app.port, list), 200)
    check('the second', await speak(app.port, list), 429)
    Object.assign(app.app.views, {
      all: () => {
        throw new Error('inside')
      },
    })
    check('a fault', await speak(app.port, ask('GET /admin/api/v1/views/')), 500)
  }))

describe('no-store', () => {
  test('allows a client to revalidate its own copy', () =>
    withListening({}, async (app) => {
      const first = await speak(app.port, ask('GET /api/v1/models/tag/1', app.authorization))
      assert.ok(first.headers.etag, 'a record has an entity tag')
      const again = ask('GET /api/v1/models/tag/1', app.authorization, `If-None-Match: ${first.headers.etag}\r\n`)
      assert.equal((await speak(app.port, again)).status, 304)
    }))
})
