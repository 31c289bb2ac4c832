import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { guardedFetch } from '../../../src/accounts/oidc/guarded-fetch.ts'
import { type Flow, IdentityProvider } from '../../../src/accounts/oidc/provider.ts'
import { SignInFailure, type SignInFailureCode } from '../../../src/accounts/oidc/sign-in-failure.ts'
import type { ProviderSettings } from '../../../src/config/define.ts'
import { UrlGuard } from '../../../src/webhooks/url-guard.ts'
import {
  type ProviderDouble,
  signed,
  signedByHash,
  startDouble,
  strangeKey,
  type Twist,
  unsigned,
} from '../../helpers/oidc/double.ts'

const FLOW: Flow = {
  state: 'the-state-of-this-flow',
  nonce: 'the-nonce-of-this-flow',
  verifier: 'a-verifier-of-at-least-forty-three-characters',
  redirectUri: 'http://127.0.0.1:8000/api/v1/auth/oidc/double/callback',
}

function providerOf(
  double: ProviderDouble,
  settings: Partial<ProviderSettings> = {},
  guard = new UrlGuard(true),
): IdentityProvider {
  const { issuer, clientId, clientSecret } = double
  const given = {
    name: 'double',
    title: 'Double',
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    create: false,
    link: 'explicit',
  } as const
  return new IdentityProvider({ ...given, ...settings }, { fetch: guardedFetch(guard, { timeoutMs: 1000 }), clock: Date.now })
}

/** Visits the provider, and comes back. */
async function visit(double: ProviderDouble, provider = providerOf(double), { claims = {}, flow = FLOW } = {}) {
  const back = double.authorize(await provider.authorizationUrl(flow), claims)
  return provider.identify(back.slice(back.indexOf('?') + 1), flow)
}

const failure = (code: SignInFailureCode, cause?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SignInFailure, String(error))
  const messages = messagesOf(error.cause)
  assert.equal(error.code, code, messages)
  if (cause !== undefined) assert.match(messages, cause)
  return true
}

const messagesOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}; ${messagesOf(error.cause)}`
    : typeof error === 'object'
      ? JSON.stringify(error)
      : String(error)

describe('a visit to a provider', () => {
  test('proves an identity', async () => {
    await using double = await startDouble()
    const claims = {
      sub: 'mike',
      email: 'mike@example.com',
      email_verified: true,
      given_name: 'Mike',
      family_name: 'Young',
      preferred_username: 'mike',
    }
    assert.deepEqual(await visit(double, providerOf(double), { claims }), {
      issuer: double.issuer,
      subject: 'mike',
      email: 'mike@example.com',
      isVerified: true,
      username: 'mike',
      firstName: 'Mike',
      lastName: 'Young',
      groups: [],
    })
  })

  test('asks by the code flow with PKCE, state and nonce', async () => {
    await using double = await startDouble()
    const { searchParams } = new URL(await providerOf(double).authorizationUrl(FLOW))
    const { code_challenge: challenge, ...asked } = Object.fromEntries(searchParams)
    assert.match(challenge ?? '', /^[\w-]{43}$/)
    assert.deepEqual(asked, {
      client_id: double.clientId,
      redirect_uri: FLOW.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: FLOW.state,
      nonce: FLOW.nonce,
      code_challenge_method: 'S256',
    })
  })

  test('sends the verifier and the secret with the code', async () => {
    await using double = await startDouble()
    await visit(double)
    const [request] = double.tokenRequests
    assert.equal(request?.get('code_verifier'), FLOW.verifier)
    assert.equal(request?.get('client_secret'), double.clientSecret)
    assert.equal(request?.get('redirect_uri'), FLOW.redirectUri)
  })

  test('sends the secret in the header where the provider does not say that it takes it in the body', async () => {
    await using double = await startDouble({ metadata: ({ token_endpoint_auth_methods_supported: _, ...metadata }) => metadata })
    await visit(double)
    assert.equal(double.tokenRequests[0]?.get('client_secret'), null)
  })

  test('reads metadata and keys once', async () => {
    await using double = await startDouble()
    const provider = providerOf(double)
    await visit(double, provider)
    await visit(double, provider)
    const counts = (path: string) => double.asked.filter((each) => each.startsWith(path)).length
    assert.deepEqual([counts('/.well-known'), counts('/keys'), counts('/token')], [1, 1, 2])
  })

  test('takes what the ID token lacks from the answer about the user, but no half of an address', async () => {
    await using double = await startDouble({ userInfo: { email: 'mike@example.com', email_verified: true, teams: ['eng'] } })
    const groups = { claim: 'teams', map: { eng: 'Editors', ops: 'Operators' } }
    const known = await visit(double, providerOf(double, { groups }))
    assert.deepEqual([known.email, known.isVerified, known.groups], ['mike@example.com', true, ['Editors']])
    const half = await visit(double, providerOf(double, { groups }), { claims: { email: 'other@example.com' } })
    assert.deepEqual([half.email, half.isVerified], ['other@example.com', false])
  })

  for (const verified of ['true', 1, 'yes', null, [true], { value: true }, false]) {
    test(`does not take ${JSON.stringify(verified)} for a verified address`, async () => {
      await using double = await startDouble()
      const claims = { email: 'mike@example.com', email_verified: verified }
      assert.equal((await visit(double, providerOf(double), { claims })).isVerified, false)
    })
  }
})

describe('an answer is refused', () => {
  const publicKey = (double: ProviderDouble) => double.key.publicKey.export({ type: 'spki', format: 'pem' })
  const ROWS: readonly (readonly [string, Twist, RegExp])[] = [
    ['with another state', { answer: (answer) => answer.set('state', 'the-state-of-another-fl') }, /state/],
    ['without a state', { answer: (answer) => answer.delete('state') }, /state/],
    ['with two states', { answer: (answer) => answer.append('state', FLOW.state) }, /state/],
    ['with another nonce', { claims: (claims) => ({ ...claims, nonce: 'another nonce' }) }, /nonce/],
    ['without a nonce', { claims: ({ nonce: _, ...claims }) => claims }, /nonce/],
    ['of another issuer', { answer: (answer) => answer.set('iss', 'https://accounts.example.com') }, /iss/],
    ['without the issuer, though it is promised', { answer: (answer) => answer.delete('iss') }, /iss/],
    ['whose ID token is of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://accounts.example.com' }) }, /iss/],
    ['whose ID token spells the issuer otherwise', { claims: (claims) => ({ ...claims, iss: `${claims.iss}/` }) }, /iss/],
    ['whose ID token is for another client', { claims: (claims) => ({ ...claims, aud: 'another client' }) }, /aud/],
    [
      'whose ID token is for several clients, and does not say which asked',
      { claims: (claims) => ({ ...claims, aud: [claims.aud, 'b'] }) },
      /aud/,
    ],
    ['whose ID token was asked for by another client', { claims: (claims) => ({ ...claims, azp: 'another client' }) }, /azp/],
    ['whose ID token has no signature', { sign: unsigned }, /alg/],
    [
      'whose ID token has no signature, which is promised',
      {
        sign: unsigned,
        metadata: (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['none', 'RS256'] }),
      },
      /alg|JWS|unsupported/i,
    ],
    [
      'whose ID token is signed with the public key as a secret',
      { sign: (claims, double) => signedByHash(claims, publicKey(double)) },
      /alg/,
    ],
    [
      'whose ID token is signed with the public key as a secret, which is promised',
      {
        sign: (claims, double) => signedByHash(claims, publicKey(double)),
        metadata: (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['RS256', 'HS256'] }),
      },
      /alg|unsupported/i,
    ],
    ['whose ID token has expired', { claims: (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 }) }, /exp/],
    ['whose ID token does not expire', { claims: ({ exp: _, ...claims }) => claims }, /exp/],
    ['whose ID token is signed with another key', { sign: (claims) => signed(claims, strangeKey) }, /signature/],
    [
      'whose ID token brings its key along',
      {
        sign: (claims) => {
          const { privateKey, publicKey: own } = generateKeyPairSync('rsa', { modulusLength: 2048 })
          return signed(claims, privateKey, { jwk: own.export({ format: 'jwk' }) })
        },
      },
      /signature/,
    ],
    [
      'whose ID token was changed',
      {
        sign: (claims, double) => {
          const [header, , signature] = signed(claims, double.key.privateKey).split('.')
          return `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url')}.${signature}`
        },
      },
      /signature/,
    ],
    ['without a subject', { claims: ({ sub: _, ...claims }) => claims }, /sub/],
    ['with a subject that is no text', { claims: (claims) => ({ ...claims, sub: 7 }) }, /sub|claim/i],
    ['with an empty subject', { claims: (claims) => ({ ...claims, sub: '' }) }, /must not be empty/],
    ['without an ID token', { sign: () => '' }, /id_token|JWT/i],
    ['whose user information is of another subject', { userInfo: { sub: 'another', email: 'mike@example.com' } }, /sub/],
  ]
  for (const [name, twist, reason] of ROWS) {
    test(name, async () => {
      await using double = await startDouble(twist)
      await assert.rejects(visit(double), failure('refused', reason))
    })
  }

  test('whose code belongs to another flow', async () => {
    await using double = await startDouble()
    const provider = providerOf(double)
    const stolen = double.authorize(await provider.authorizationUrl({ ...FLOW, verifier: `${FLOW.verifier}-of-another` }))
    await assert.rejects(
      provider.identify(stolen.slice(stolen.indexOf('?') + 1), FLOW),
      failure('refused', /invalid_grant|server responded/),
    )
  })

  test('that says no', async () => {
    await using double = await startDouble({
      answer: (answer) => {
        answer.delete('code')
        answer.set('error', 'access_denied')
      },
    })
    await assert.rejects(visit(double), failure('cancelled'))
  })
})

describe('a provider is not asked', () => {
  const reject = (settings: Partial<ProviderSettings>, guard: UrlGuard, double: ProviderDouble, reason: RegExp) =>
    assert.rejects(providerOf(double, settings, guard).authorizationUrl(FLOW), failure('unavailable', reason))

  for (const address of ['169.254.169.254', '[fe80::1]', '100.100.100.200', '168.63.129.16', '0.0.0.0', '[fd00:ec2::254]']) {
    test(`at ${address}, wherever private addresses are allowed`, async () => {
      await using double = await startDouble()
      await reject({ issuer: `https://${address}` }, new UrlGuard(true), double, /which webhooks never call|leads to/)
    })
  }

  test('at a name that leads to a link-local address', async () => {
    await using double = await startDouble()
    const guard = new UrlGuard(true, async () => [{ address: '169.254.169.254', family: 4 }])
    await reject({ issuer: 'https://login.example.com' }, guard, double, /link/)
  })

  test('on this machine, where webhooks do not call it', async () => {
    await using double = await startDouble()
    await reject({}, new UrlGuard(false), double, /loopback/)
    assert.deepEqual(double.asked, [])
  })

  test('behind a redirect', async () => {
    await using other = await startDouble()
    await using double = await startDouble({
      respond: (_, response) => {
        response.writeHead(302, { location: `${other.issuer}/.well-known/openid-configuration` }).end()
        return true
      },
    })
    await reject({}, new UrlGuard(true), double, /status/)
    assert.deepEqual(other.asked, [])
  })

  for (const endpoint of ['token_endpoint', 'jwks_uri']) {
    test(`at a link-local ${endpoint}`, async () => {
      await using double = await startDouble({
        metadata: (metadata) => ({ ...metadata, [endpoint]: 'http://169.254.169.254/latest' }),
      })
      await assert.rejects(visit(double), failure('unavailable', /never call/))
    })
  }

  test('that calls itself otherwise', async () => {
    await using double = await startDouble({ metadata: (metadata) => ({ ...metadata, issuer: 'https://accounts.example.com' }) })
    await reject({}, new UrlGuard(true), double, /issuer/)
  })

  test('that spells its issuer otherwise', async () => {
    await using double = await startDouble({ metadata: (metadata) => ({ ...metadata, issuer: `${metadata.issuer}/` }) })
    await reject({}, new UrlGuard(true), double, /calls itself/)
  })

  test('that leads the browser to something else than https', async () => {
    await using double = await startDouble({
      metadata: (metadata) => ({ ...metadata, authorization_endpoint: 'javascript:alert(1)' }),
    })
    await reject({}, new UrlGuard(true), double, /HTTPS/)
  })

  test('that answers too much', async () => {
    await using double = await startDouble({ metadata: (metadata) => ({ ...metadata, padding: 'x'.repeat(600_000) }) })
    await reject({}, new UrlGuard(true), double, /larger/)
  })

  test('that does not answer', async () => {
    await using double = await startDouble({ respond: () => true })
    await reject({}, new UrlGuard(true), double, /within 1 seconds/)
  })

  test('that closes the connection', async () => {
    await using double = await startDouble({
      respond: (_, response) => {
        response.destroy()
        return true
      },
    })
    await reject({}, new UrlGuard(true), double, /./)
  })

  for (const status of [999, 600]) {
    test(`that answers with the status ${status}, without waiting for ever`, { timeout: 5000 }, async () => {
      await using double = await startDouble({
        respond: (_, response) => {
          response.writeHead(status).end('{}')
          return true
        },
      })
      await reject({}, new UrlGuard(true), double, new RegExp(`the status ${status}`))
    })
  }

  test('for ever: a failure is not remembered', async () => {
    let isBroken = true
    await using double = await startDouble({
      respond: (_, response) => {
        if (isBroken) response.writeHead(500).end()
        return isBroken
      },
    })
    const provider = providerOf(double)
    await assert.rejects(provider.authorizationUrl(FLOW), failure('unavailable'))
    isBroken = false
    assert.match(await provider.authorizationUrl(FLOW), /^http:/)
  })
})

test('the library is loaded on first use', async () => {
  const folder = join(import.meta.dirname, '../../../src')
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const imports = texts.flatMap((text) => text.match(/^.*(?:from|import\() ?'openid-client'.*$/gm) ?? [])
  assert.deepEqual(imports, [
    "import type * as OpenIdClient from 'openid-client'",
    "const load = (): Promise<typeof OpenIdClient> => import('openid-client')",
  ])
})
