import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardedFetch } from '../../../src/accounts/oidc/guarded-fetch.ts'
import { type Flow, IdentityProvider } from '../../../src/accounts/oidc/provider.ts'
import { SignInFailure } from '../../../src/accounts/oidc/sign-in-failure.ts'
import { UrlGuard } from '../../../src/webhooks/url-guard.ts'
import { CLIENT, type RealProvider, startRealProvider } from '../../helpers/oidc/real-provider.ts'

const REDIRECT_URI = 'http://127.0.0.1:8000/api/v1/auth/oidc/real/callback'
const CLAIMS = {
  email: 'mike@example.com',
  email_verified: true,
  given_name: 'Mike',
  family_name: 'Young',
  teams: ['eng', 'all'],
}

const flowOf = (number: number): Flow => ({
  state: `the-state-of-flow-${number}`,
  nonce: `the-nonce-of-flow-${number}`,
  verifier: `a-verifier-of-at-least-forty-three-characters-${number}`,
  redirectUri: REDIRECT_URI,
})

function clientOf({ issuer }: RealProvider): IdentityProvider {
  const client = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret }
  const groups = { claim: 'teams', map: { eng: 'Editors', ops: 'Operators' } }
  const settings = { name: 'real', title: 'Real', issuer, ...client, create: false, link: 'explicit', groups } as const
  return new IdentityProvider(settings, { fetch: guardedFetch(new UrlGuard(true)), clock: Date.now })
}

const queryIn = (url: string): string => url.slice(url.indexOf('?') + 1)

const refused = (error: unknown): boolean => error instanceof SignInFailure && error.code === 'refused'

test('a certified provider proves an identity, once, to the flow that asked for it', async () => {
  await using real = await startRealProvider([REDIRECT_URI], () => CLAIMS)
  const client = clientOf(real)
  const [one, two] = [flowOf(1), flowOf(2)]
  const back = await real.authorize(await client.authorizationUrl(one), 'mike')
  assert.match(back, new RegExp(`^${REDIRECT_URI}\\?.*iss=`))
  assert.deepEqual(await client.identify(queryIn(back), one), {
    ...{ issuer: real.issuer, subject: 'mike', email: 'mike@example.com', isVerified: true },
    ...{ firstName: 'Mike', lastName: 'Young', groups: ['Editors'] },
  })
  await assert.rejects(client.identify(queryIn(back), one), refused, 'a code is good once')

  const stolen = new URLSearchParams(queryIn(await real.authorize(await client.authorizationUrl(two), 'mike')))
  stolen.set('state', one.state)
  await assert.rejects(client.identify(String(stolen), one), refused, 'a code without its verifier is good for nothing')

  const other = await real.authorize(await client.authorizationUrl(two), 'mike')
  await assert.rejects(client.identify(queryIn(other), { ...two, nonce: one.nonce }), refused, 'a nonce of another flow')
})

test('a certified provider says that its user does not want to', async () => {
  await using real = await startRealProvider([REDIRECT_URI], () => CLAIMS)
  const client = clientOf(real)
  const back = await real.authorize(await client.authorizationUrl(flowOf(1)), undefined)
  await assert.rejects(client.identify(queryIn(back), flowOf(1)), (error: unknown) => {
    return error instanceof SignInFailure && error.code === 'cancelled'
  })
})
