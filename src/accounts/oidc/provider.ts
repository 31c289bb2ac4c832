import type * as OpenIdClient from 'openid-client'
import type { ProviderSettings } from '../../config/define.ts'
import type { Clock } from '../../util/clock.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { SignInFailure } from './sign-in-failure.ts'

/** Time after which the metadata of a provider is read again. */
const METADATA_MS = 3_600_000
/** Maximum length of a subject (OpenID Connect Core 1.0, section 2). */
const MAX_SUBJECT = 255
/** An address of which more would not fit into the field. */
const MAX_EMAIL = 254

/** A flow: one visit to a provider, which its user comes back from. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
  /** The address that the provider sends the user back to. */
  readonly redirectUri: string
}

/** What a provider says about a user. Issuer and subject are the identity; nothing else names a user. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  /** True if the provider says, as a boolean, that the user has proved to own the address. */
  readonly isVerified: boolean
  /** Suggests a name of an account. */
  readonly username?: string
  readonly firstName?: string
  readonly lastName?: string
  /** The names of the groups that the claims of the user stand for. */
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

/** The library is loaded on first use: few processes need it. */
const load = (): Promise<typeof OpenIdClient> => import('openid-client')

/** A provider of identities: OpenID Connect, by the code flow with PKCE. All requests to it go through the guard. */
export class IdentityProvider {
  readonly settings: ProviderSettings
  readonly #fetch: GuardedFetch
  readonly #clock: Clock
  #metadata: { readonly at: number; readonly configuration: Promise<OpenIdClient.Configuration> } | undefined

  constructor(settings: ProviderSettings, { fetch, clock }: { fetch: GuardedFetch; clock: Clock }) {
    this.settings = settings
    this.#fetch = fetch
    this.#clock = clock
  }

  /** Where the browser goes to log in. @throws {SignInFailure} `unavailable` */
  async authorizationUrl({ state, nonce, verifier, redirectUri }: Flow): Promise<string> {
    try {
      const [client, configuration] = await Promise.all([load(), this.#configuration()])
      const url = client.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, scope: this.#scope(configuration), response_type: 'code', state, nonce },
        ...{ code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      })
      return url.href
    } catch (error) {
      throw new SignInFailure('unavailable', { cause: error })
    }
  }

  /**
   * Exchanges the code that the user came back with.
   *
   * @param query as sent to the address of `flow`
   * @throws {SignInFailure}
   */
  async identify(query: string, flow: Flow): Promise<ProvenIdentity> {
    const client = await load()
    const configuration = await this.#configuration().catch((error: unknown) => {
      throw new SignInFailure('unavailable', { cause: error })
    })
    try {
      const answer = await client.authorizationCodeGrant(configuration, new URL(`${flow.redirectUri}?${query}`), {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
      })
      const claims: Claims | undefined = answer.claims()
      if (claims === undefined) throw new Error('There is no ID token')
      return this.#identityOf(claims, await this.#userInfo(client, configuration, answer.access_token, claims))
    } catch (error) {
      throw new SignInFailure(codeOf(client, error), { cause: error })
    }
  }

  /** A provider on this machine, whose addresses may all be unencrypted. */
  get #isUnencrypted(): boolean {
    return this.settings.issuer.startsWith('http:')
  }

  /** The metadata of the provider, and the keys that were read by it. */
  #configuration(): Promise<OpenIdClient.Configuration> {
    const now = this.#clock()
    const known = this.#metadata
    if (known !== undefined && Math.abs(now - known.at) < METADATA_MS) return known.configuration
    const configuration = this.#discover()
    this.#metadata = { at: now, configuration }
    configuration.catch(() => {
      if (this.#metadata?.configuration === configuration) this.#metadata = undefined
    })
    return configuration
  }

  async #discover(): Promise<OpenIdClient.Configuration> {
    const client = await load()
    const { issuer, client_id: id, client_secret: secret } = this.settings
    const configuration = await client.discovery(new URL(issuer), id, undefined, authentication(client, secret), {
      [client.customFetch]: this.#fetch,
      // Without it, the signature of an ID token from the token endpoint is not verified.
      execute: [client.enableNonRepudiationChecks, ...(this.#isUnencrypted ? [client.allowInsecureRequests] : [])],
    })
    // The library takes other spellings, and for Microsoft Entra ID the tokens of any tenant.
    const named = configuration.serverMetadata().issuer
    if (named !== issuer) throw new Error(`The provider calls itself '${named.slice(0, 200)}', and the settings '${issuer}'`)
    return configuration
  }

  #scope(configuration: OpenIdClient.Configuration): string {
    const { scopes_supported: known = [] } = configuration.serverMetadata()
    const claim = this.settings.groups?.claim
    return ['openid', 'profile', 'email', ...(claim !== undefined && known.includes(claim) ? [claim] : [])].join(' ')
  }

  /** Claims that the ID token lacks; many providers have these in their answer about the user only. */
  async #userInfo(
    client: typeof OpenIdClient,
    configuration: OpenIdClient.Configuration,
    accessToken: string,
    claims: Claims,
  ): Promise<Claims> {
    const claim = this.settings.groups?.claim
    const isComplete = claims.email !== undefined && (claim === undefined || claims[claim] !== undefined)
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
    return await client.fetchUserInfo(configuration, accessToken, String(claims.sub))
  }

  #identityOf(claims: Claims, further: Claims): ProvenIdentity {
    const { iss, sub, azp } = claims
    // The library looks at the client that asked for the token only where it is for several.
    if (azp !== undefined && azp !== this.settings.client_id)
      throw new Error("The claim 'azp' of the ID token names another client")
    if (iss !== this.settings.issuer || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) {
      throw new Error('The ID token names no user of this provider')
    }
    // An address and whether it is verified are of one answer.
    const { email, email_verified: isVerified } = claims.email === undefined ? further : claims
    const all = { ...further, ...claims }
    const address = textOf(email, MAX_EMAIL)
    const username = textOf(all.preferred_username, MAX_EMAIL)
    const firstName = textOf(all.given_name, 150)
    const lastName = textOf(all.family_name, 150)
    return {
      ...{ issuer: iss, subject: sub, isVerified: isVerified === true, groups: this.#groupsOf(all) },
      ...(address === undefined ? {} : { email: address }),
      ...(username === undefined ? {} : { username }),
      ...(firstName === undefined ? {} : { firstName }),
      ...(lastName === undefined ? {} : { lastName }),
    }
  }

  #groupsOf(claims: Claims): string[] {
    const { groups } = this.settings
    if (groups === undefined) return []
    const values = [claims[groups.claim] ?? []].flat()
    const mapped = values.flatMap((value) =>
      typeof value === 'string' && Object.hasOwn(groups.map, value) ? [groups.map[value] ?? ''] : [],
    )
    return [...new Set(mapped)]
  }
}

/** By the header where the provider does not take the secret in the body, which is the default of OpenID Connect Discovery 1.0. */
function authentication(client: typeof OpenIdClient, secret: string | undefined): OpenIdClient.ClientAuth {
  if (secret === undefined) return client.None()
  const [inBody, inHeader] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported
    return Array.isArray(methods) && methods.includes('client_secret_post')
      ? inBody(server, ...others)
      : inHeader(server, ...others)
  }
}

/** A text that fits; longer ones and other values are left out. */
const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= max ? value : undefined

/** Errors by which a provider says that its user did not log in. */
const DECLINED: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

/** Errors that have to do with neither the user nor the answer. */
const OUT_OF_ORDER: ReadonlySet<string> = new Set([
  'server_error',
  'temporarily_unavailable',
  'invalid_client',
  'unauthorized_client',
])

function codeOf(client: typeof OpenIdClient, error: unknown): SignInFailure['code'] {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    if (DECLINED.has(error.error)) return 'cancelled'
    return OUT_OF_ORDER.has(error.error) ? 'unavailable' : 'refused'
  }
  return isUnreachable(error) ? 'unavailable' : 'refused'
}

/** Answers that are no answers of the protocol, such as a page of a proxy or a redirect. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_TIMEOUT'])

/** True for an error of a connection, or of what the guard does not allow. */
function isUnreachable(error: unknown): boolean {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  // The library wraps what `fetch` throws, and gives its own errors a code.
  return NO_ANSWER.has(code) || (code === undefined && cause instanceof Error && !String(Object(cause).code).startsWith('OAUTH'))
}
