import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, TEST_START } from '../../helpers/api/app.ts'
import { decode, encode, forger, type Part, without } from '../../helpers/api/forge.ts'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { UNAUTHENTICATED, UNLIMITED } from '../records/expected.ts'

const KEY = 'a-signing-key-of-more-than-32-bytes-for-tests'
const NOW = TEST_START / 1000

const forge = forger(KEY)

/** Tokens that are no good, made of the claims of one that is. */
const FORGERIES: readonly (readonly [string, (claims: Part, token: string) => string])[] = [
  ['unsigned, algorithm none', (claims) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`],
  ['algorithm none with a signature', (claims) => forge(claims, { header: { alg: 'none', typ: 'JWT' } })],
  ['another algorithm with the same key', (claims) => forge(claims, { header: { alg: 'HS512', typ: 'JWT' }, hash: 'sha512' })],
  ['signed with another key', (claims) => forge(claims, { key: `${KEY}!` })],
  ['signed with no key', (claims) => forge(claims, { key: '' })],
  ['claims changed after signing', (claims, token) => token.replace(/\.[^.]+\./, `.${encode({ ...claims, sub: '2' })}.`)],
  ['signature cut off', (_, token) => token.slice(0, token.lastIndexOf('.') + 1)],
  ...['exp', 'iat', 'iss', 'aud', 'sub', 'jti', 'type'].map(
    (name) => [`without ${name}`, (claims: Part) => forge(without(claims, name))] as const,
  ),
  ['of another issuer', (claims) => forge({ ...claims, iss: 'somebody-else' })],
  ['for another audience', (claims) => forge({ ...claims, aud: 'somebody-else' })],
  ['of the type refresh', (claims) => forge({ ...claims, type: 'refresh' })],
  ['expired', (claims) => forge({ ...claims, iat: NOW - 1801, exp: NOW - 1 })],
  ['expiring at this moment', (claims) => forge({ ...claims, iat: NOW - 1800, exp: NOW })],
  ['expiring as text', (claims) => forge({ ...claims, exp: String(NOW + 600) })],
  ['of a user who is not there', (claims) => forge({ ...claims, sub: '999' })],
  ['of an inactive user', (claims) => forge({ ...claims, sub: '8' })],
  ['of no user', (claims) => forge({ ...claims, sub: '' })],
]

describe('a forged access token', () => {
  test('is refused unless it is right in every respect, always in the same words', async () => {
    await using app = await openTestApp({ settings: { ...UNLIMITED, secret_key: KEY } })
    const status = async (token: string) =>
      send(app, { request: 'GET /api/v1/models/post/1', as: null, headers: { authorization: `Bearer ${token}` } })
    const token = await app.tokenOf('admin')
    const claims = decode(token, 1)
    assert.equal(decode(token, 0).alg, 'HS256')
    assert.deepEqual(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sub', 'type'])
    assert.equal(Number(claims.exp) - Number(claims.iat), 1800)
    assert.equal((await status(token)).status, 200)
    assert.equal((await status(forge(claims))).status, 200)
    for (const [name, make] of FORGERIES) {
      const reply = await status(make(claims, token))
      assert.equal(reply.status, 401, name)
      assert.deepEqual(reply.json, UNAUTHENTICATED, name)
      assert.equal(reply.headers['www-authenticate'], 'Bearer', name)
    }
    assert.deepEqual(app.reported, [])
  })

  test('is verified with the configured algorithm', async () => {
    await using app = await openTestApp({ settings: { secret_key: KEY, jwt: { algorithm: 'HS384' } } })
    const ask = async (token: string) =>
      (await send(app, { request: 'GET /api/v1/models/post/1', as: null, headers: { authorization: `Bearer ${token}` } })).status
    const token = await app.tokenOf('admin')
    assert.equal(decode(token, 0).alg, 'HS384')
    assert.equal(await ask(token), 200)
    assert.equal(await ask(forge(decode(token, 1))), 401)
  })
})

const withHeader = (name: string, authorization: string | undefined): Scenario =>
  scenario(name, 'GET /api/v1/models/post/1', 401, {
    as: null,
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    expect: UNAUTHENTICATED,
    expectHeaders: { 'www-authenticate': 'Bearer', 'content-type': /^application\/json/ },
  })

const shut = (request: Scenario['request'], body?: unknown): Scenario =>
  scenario('wants a token', request, 401, {
    as: null,
    ...(body === undefined ? {} : { body }),
    expect: UNAUTHENTICATED,
    expectHeaders: { 'www-authenticate': 'Bearer' },
  })

scenarios('a request without a good token', [
  withHeader('has no header', undefined),
  withHeader('has an empty header', ''),
  withHeader('has no token in it', 'Bearer'),
  withHeader('has an empty token in it', 'Bearer '),
  withHeader('uses another scheme', 'Basic YWRtaW46aGFyYm91ci1hZG1pbi0yMDI0'),
  withHeader('has nonsense in it', 'Bearer nonsense'),
  withHeader('has three parts of nonsense in it', 'Bearer a.b.c'),
  withHeader('has two tokens in it', 'Bearer a.b.c d.e.f'),
])

scenarios('every operation of the Models API', [
  shut('POST /api/v1/models/tag', { data: { name: 'Knots', slug: 'knots' } }),
  shut('GET /api/v1/models/tag'),
  shut('GET /api/v1/models/tag/1'),
  shut('PUT /api/v1/models/tag/1', { data: {} }),
  shut('DELETE /api/v1/models/tag/1'),
  shut('POST /api/v1/models/tag/bulk', { records: [] }),
  shut('PUT /api/v1/models/tag/bulk', { updates: [] }),
  shut('DELETE /api/v1/models/tag/bulk', { ids: [1] }),
  shut('GET /api/v1/models/spaceship'),
  shut('PUT /api/v1/models/spaceship/1', { data: {} }),
  shut('POST /api/v1/models/tag', { colour: 1 }),
])
