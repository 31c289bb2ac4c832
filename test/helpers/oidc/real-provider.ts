import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** The client of a real provider. */
export const CLIENT = { clientId: 'admin', clientSecret: 'a-secret-of-the-client-and-the-provider' }

/** A certified implementation of OpenID Connect, on this machine. */
export interface RealProvider extends AsyncDisposable {
  readonly issuer: string
  /** Who browsers log in as; undefined for somebody who says no. */
  user: string | undefined
  /**
   * Logs a user in as a browser would that was sent to `url`.
   *
   * @param subject the user; without one they say no
   * @returns the address that the browser is sent back to
   */
  authorize(url: string, subject: string | undefined): Promise<string>
}

/**
 * @param redirectUris those of `http://127.0.0.1` without a port stand for any port, as of native applications (RFC 8252)
 * @param claimsOf what the provider says about a user
 */
export async function startRealProvider(
  redirectUris: readonly string[],
  claimsOf: (subject: string) => Readonly<Record<string, unknown>>,
): Promise<RealProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [...redirectUris] },
        ...(redirectUris.every((each) => each.startsWith('http://127.0.0.1/')) ? { application_type: 'native' as const } : {}),
        ...{ response_types: ['code'], grant_types: ['authorization_code'], token_endpoint_auth_method: 'client_secret_post' },
      },
    ],
    cookies: { keys: ['a key of cookies in tests'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'preferred_username', 'teams'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(id) }) }),
    loadExistingGrant: async (context) => {
      const { oidc } = context
      const grant = new oidc.provider.Grant({ accountId: oidc.session?.accountId, clientId: oidc.client?.clientId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) handle(request, response)
    else {
      const { user } = running
      const result = user === undefined ? { error: 'access_denied' } : { login: { accountId: user }, consent: {} }
      void provider.interactionFinished(request, response, result)
    }
  })
  const running: RealProvider = {
    issuer,
    user: undefined,
    async authorize(url, user) {
      running.user = user
      const cookies = new Map<string, string>()
      let next = url
      for (let steps = 0; steps < 10; steps++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          if (value === '') cookies.delete(name)
          else cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null)
          throw new Error(`The provider answered ${response.status}: ${(await response.text()).slice(0, 2000)}`)
        next = new URL(location, next).href
        if (!next.startsWith(`${issuer}/`)) return next
      }
      throw new Error('The provider leads nowhere')
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return running
}
