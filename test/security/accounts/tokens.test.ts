import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { openApp } from '../../../src/app.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { createServer } from '../../../src/http/server.ts'
import { createLog } from '../../../src/log/create-log.ts'
import { loadProject } from '../../../src/project/project.ts'
import { TEST_START, type TestApp } from '../../helpers/api/app.ts'
import { decode, encode, forger, type Part, without } from '../../helpers/api/forge.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { ask, withApp } from '../access.ts'

const KEY = 'a-signing-key-of-more-than-64-bytes-so-that-it-would-do-for-HS512-as-well'
const NOW = TEST_START / 1000
const forge = forger(KEY)

/** A token that is signed with the right key, by the right algorithm, under another header. */
const headed = (header: unknown) => (claims: Part) => forge(claims, { header })
const unsigned = (alg: unknown) => (claims: Part) => `${encode({ alg, typ: 'JWT' })}.${encode(claims)}.`
const claiming = (change: Part) => (claims: Part) => forge({ ...claims, ...change })

function withEs256(claims: Part): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createSign('SHA256').update(signed).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
}

type Forgery = readonly [string, (claims: Part) => string]

const ALGORITHMS = ['none', 'NoNe', 'NONE', '', null, 0, true, ['HS256'], ['none'], { alg: 'HS256' }, 'hs256', 'HS256 ', 'EdDSA']
const ASYMMETRIC = ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA']

const HEADERS: readonly Forgery[] = [
  ...ALGORITHMS.map((alg): Forgery => [`alg ${JSON.stringify(alg)}, unsigned`, unsigned(alg)]),
  ...ALGORITHMS.map((alg): Forgery => [`alg ${JSON.stringify(alg)}, signed`, headed({ alg, typ: 'JWT' })]),
  ['HS512 with the right secret', (claims) => forge(claims, { header: { alg: 'HS512', typ: 'JWT' }, hash: 'sha512' })],
  ['HS384 with the right secret', (claims) => forge(claims, { header: { alg: 'HS384', typ: 'JWT' }, hash: 'sha384' })],
  ['ES256 with a key of its own', withEs256],
  ...ASYMMETRIC.flatMap((alg): Forgery[] => [
    [`${alg} with an empty signature`, unsigned(alg)],
    [`${alg} with a signature that is none`, (claims) => `${encode({ alg, typ: 'JWT' })}.${encode(claims)}.AAAA`],
    [`${alg} signed by HMAC`, headed({ alg, typ: 'JWT' })],
  ]),
  ['no alg', headed({ typ: 'JWT' })],
  ['a header that is null', headed(null)],
  ['a header that is a list', headed([{ alg: 'HS256' }])],
  ['a header that is text', headed('HS256')],
  ['extensions that must be understood', headed({ alg: 'HS256', typ: 'JWT', crit: ['b64'], b64: true })],
  ['extensions that must be understood, none', headed({ alg: 'HS256', typ: 'JWT', crit: [] })],
  [
    'a key of its own in the header',
    (claims) => forge(claims, { header: { alg: 'HS256', jwk: { kty: 'oct', k: 'eA' } }, key: 'x' }),
  ],
]

const CLAIMS: readonly Forgery[] = [
  ...['exp', 'iat', 'iss', 'aud', 'sub', 'jti', 'type'].map(
    (name): Forgery => [`no ${name}`, (claims) => forge(without(claims, name))],
  ),
  ...['exp', 'iat'].flatMap((name): Forgery[] => [
    [`${name} as text`, (claims) => forge({ ...claims, [name]: String(claims[name]) })],
    [`${name} in a list`, (claims) => forge({ ...claims, [name]: [claims[name]] })],
    [`${name} with a fraction`, (claims) => forge({ ...claims, [name]: Number(claims[name]) + 0.5 })],
    [`${name} null`, claiming({ [name]: null })],
  ]),
  ['exp without end', (claims) => forge(claims).replace(encode(claims), encode({ ...claims, exp: 1e300 }))],
  ['an exp of ten years, signed', claiming({ exp: NOW + 315_360_000 })],
  ['iat in the far future', claiming({ iat: NOW + 3600, exp: NOW + 5400 })],
  ['iat in the far future, exp soon', claiming({ iat: NOW + 31_536_000, exp: NOW + 600 })],
  ['iat just beyond the skew', claiming({ iat: NOW + 31, exp: NOW + 1831 })],
  ['expired a second ago', claiming({ iat: NOW - 1801, exp: NOW - 1 })],
  ['the type of a refresh token', claiming({ type: 'refresh' })],
  ['sub as a number', claiming({ sub: 1 })],
  ['a refresh token of the shell', claiming({ sub: 'shell', type: 'refresh' })],
  ...['Shell', 'shell ', 'shells', ['shell']].map((sub): Forgery => [`sub ${JSON.stringify(sub)}`, claiming({ sub })]),
  ['aud as a list', claiming({ aud: ['admin-folder'] })],
  ['claims that are a list', (claims) => forge([claims])],
  ['claims that are null', () => forge(null)],
]

const MANGLED: readonly (readonly [string, string])[] = [
  ['nothing but dots', '..'],
  ['three parts of nonsense', 'a.b.c'],
  ['no base64', '!!!.???.***'],
  ['a header of broken JSON', `${Buffer.from('{').toString('base64url')}.e30.x`],
  ['a header that is a prototype', `${Buffer.from('{"__proto__":{"alg":"none"}}').toString('base64url')}.e30.`],
  ['five parts, as of an encrypted token', 'a.b.c.d.e'],
  ['thousands of dots', '.'.repeat(5000)],
  ['10,000 characters', 'x'.repeat(10_000)],
]

const withKey = (work: (app: TestApp, claims: Part, token: string) => Promise<void>) =>
  withApp(
    async (app) => {
      const token = await app.tokenOf('admin')
      await work(app, decode(token, 1), token)
    },
    { settings: { secret_key: KEY } },
  )

const keyTest = testsOf(withKey)

/** Nobody learns from the answer what was wrong with a token. */
async function isRefused(app: TestApp, token: string, name: string): Promise<void> {
  const { status, json, headers } = await ask(app, token)
  assert.equal(status, 401, name)
  assert.deepEqual(json, UNAUTHENTICATED, name)
  assert.equal(headers['www-authenticate'], 'Bearer', name)
}

keyTest('a token made by the CLI needs no user, and expires like any other', async (app, claims) => {
  const token = forge({ ...claims, sub: 'shell' })
  assert.equal((await ask(app, token)).status, 200)
  for (const id of [1, 2, 3]) {
    const values = { is_active: false, is_superuser: false }
    await app.app.store.transact([{ kind: 'update', table: 'user', id, values }])
  }
  assert.equal((await ask(app, token)).status, 200)
  app.advance(31 * 60_000)
  await isRefused(app, token, 'too old')
})

describe('an invalid token gets the same response, whatever the reason', () => {
  keyTest('a forged token with the right secret and claims is accepted', async (app, claims, token) => {
    assert.equal((await ask(app, token)).status, 200)
    assert.equal((await ask(app, forge(claims))).status, 200)
  })

  for (const [title, forgeries] of [
    ['algorithm and header', HEADERS],
    ['claims', CLAIMS],
  ] as const) {
    keyTest(title, async (app, claims) => {
      for (const [name, make] of forgeries) await isRefused(app, make(claims), name)
    })
  }

  keyTest('no token at all', async (app) => {
    for (const [name, token] of MANGLED) await isRefused(app, token, name)
  })

  keyTest('a refresh is refused in these words too', async (app, claims) => {
    const refreshing = (refresh_token: string) => ({ method: 'POST', url: '/api/v1/auth/refresh', payload: { refresh_token } })
    const forgeries = [...HEADERS, ...CLAIMS].map(([name, make]) => [name, make({ ...claims, type: 'refresh' })] as const)
    for (const [name, token] of [...forgeries, ...MANGLED]) {
      const { statusCode, payload } = await app.server.inject(refreshing(token))
      assert.deepEqual([statusCode, JSON.parse(payload)], [401, UNAUTHENTICATED], name)
    }
  })
})

test('errors thrown during verification are not revealed to the client', async () => {
  const folder = await copyFixture('blog')
  const logged: string[] = []
  const log = ({ level }: Settings['log']) =>
    createLog((line) => logged.push(line), { level, format: 'json', clock: () => TEST_START })
  const project = await loadProject({ folder: folder.path, env: {}, flags: {} })
  const open = () => {
    throw new Error('the secret is hunter2')
  }
  const tokenCodec = () => ({ sign: () => 'a.b.c', open })
  const app = await openApp(project, 'write', { tokenCodec, clock: () => TEST_START, log })
  try {
    const server = await createServer(app)
    const headers = { authorization: 'Bearer a.b.c' }
    const { statusCode, payload } = await server.inject({ url: '/api/v1/models/post', headers })
    assert.equal(statusCode, 500)
    assert.doesNotMatch(payload, /hunter2|secret|stack|\/src\//)
    assert.match(logged.join(''), /hunter2/)
  } finally {
    await app.close()
    await folder.remove()
  }
})
