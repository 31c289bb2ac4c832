import { SESSIONS } from '../../auth/account-models.ts'
import { LoginFailure } from '../../auth/login-failure.ts'
import type { Actor } from '../../auth/permissions.ts'
import type { Sealer } from '../../auth/sealing.ts'
import { publicUrl } from '../../config/account-settings.ts'
import type { ProviderSettings, Settings } from '../../config/define.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import type { Store, StoredRecord } from '../../store/store.ts'
import type { Clock } from '../../util/clock.ts'
import { type Random, uniqueId } from '../../util/ids.ts'
import type { OneTimeTokens } from '../one-time-tokens.ts'
import type { RecentLogin } from '../recent-login.ts'
import type { SessionStart } from '../session-start.ts'
import type { LoginClient, Sessions } from '../sessions.ts'
import type { TokenGrant } from '../token-grants.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import type { Identities } from './identities.ts'
import { IdentityProvider, type ProvenIdentity } from './provider.ts'
import { safeReturnPath } from './return-path.ts'
import { SignInFailure } from './sign-in-failure.ts'

/** Time for which a flow may take, in milliseconds. */
export const FLOW_MS = 600_000
/** Time within which the page takes up an identity, in milliseconds. */
export const IDENTITY_MS = 300_000
const VERIFIER_BYTES = 32
/** The form of a state. */
const STATE = /^[\w-]{22}$/
/** What a sealed identity belongs to. */
const IDENTITY_CONTEXT = 'identity'

/** A flow that has begun. */
export interface BegunFlow {
  /** Where the browser goes. */
  readonly url: string
  /** Names the flow. */
  readonly state: string
  /** The flow, sealed; kept by the browser. */
  readonly sealed: string
}

/** Where a user comes back to. */
export interface Arrival {
  /** The page that goes on. */
  readonly page: 'sign-in' | 'account'
  /** Tells the page what to do. */
  readonly fragment: string
  /** The identity, sealed; kept by the browser. */
  readonly identity?: string
}

/** A flow as it is sealed. */
interface SealedFlow {
  readonly provider: string
  readonly nonce: string
  readonly verifier: string
  readonly to: string
  /** When it began, in milliseconds. */
  readonly at: number
  /** The user who links an identity, and their session. */
  readonly link?: { readonly user: number; readonly session: string }
}

/** An identity as it is sealed. */
interface SealedIdentity {
  /** Names this proof of the identity. */
  readonly id: string
  readonly provider: string
  readonly to: string
  /** When it was proven, in milliseconds. */
  readonly at: number
  readonly identity: ProvenIdentity
}

interface SingleSignOnParts {
  readonly settings: Settings
  readonly identities: Identities
  readonly starts: Pick<SessionStart, 'start'>
  /** Notes which flows and identities were used. A browser is told to forget them; this is for copies. */
  readonly tokens: Pick<OneTimeTokens, 'use' | 'isUsed'>
  readonly sessions: Pick<Sessions, 'ofFamily'>
  readonly recent: RecentLogin
  readonly store: Pick<Store, 'get'>
  readonly sealer: Sealer
  readonly fetch: GuardedFetch
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Single sign-on by OpenID Connect. A flow is kept by the browser that began it, sealed under its state, so that no other browser can end
 * it. What ends it is an identity, sealed as well; a page of this server exchanges it for a session.
 */
export class SingleSignOn {
  readonly #parts: SingleSignOnParts
  readonly #providers: ReadonlyMap<string, IdentityProvider>

  constructor(parts: SingleSignOnParts) {
    this.#parts = parts
    const { providers = [] } = parts.settings.accounts
    this.#providers = new Map(providers.map((provider) => [provider.name, new IdentityProvider(provider, parts)]))
  }

  /**
   * Begins a flow.
   *
   * @param callback the address that the provider sends users back to, below the public address of the server
   * @throws {AppError} RECORD_NOT_FOUND without such a provider
   * @throws {SignInFailure} `unavailable`
   */
  async begin(
    name: string,
    { to, callback, link }: { readonly to?: string | undefined; readonly callback: string; readonly link?: SealedFlow['link'] },
  ): Promise<BegunFlow> {
    const provider = this.#expect(name)
    const { random, clock, sealer, log } = this.#parts
    const state = uniqueId(random)
    const nonce = uniqueId(random)
    const verifier = random(VERIFIER_BYTES).toString('base64url')
    const flow: SealedFlow = { provider: name, nonce, verifier, to: safeReturnPath(to), at: clock(), ...(link && { link }) }
    try {
      const url = await provider.authorizationUrl({ state, nonce, verifier, redirectUri: callback })
      return { url, state, sealed: sealer.seal(JSON.stringify(flow), flowContext(state)) }
    } catch (error) {
      tell(log, name, error)
      throw error
    }
  }

  /**
   * Begins a flow that links an identity with the account of the actor.
   *
   * @throws {AppError} INSUFFICIENT_USER_AUTHENTICATION; FORBIDDEN without a session; RECORD_NOT_FOUND without such a provider, PROVIDER_UNAVAILABLE
   */
  async beginLink(actor: Actor, name: string, callback: string): Promise<BegunFlow> {
    await this.#parts.recent.require(actor)
    const { userId: user, session } = actor
    if (user === undefined || session === undefined) {
      throw new AppError('FORBIDDEN', 'Identities are linked in a session; log in')
    }
    return this.begin(name, { callback, link: { user, session } }).catch((error: unknown) => {
      if (!(error instanceof SignInFailure)) throw error
      const { title } = this.#expect(name).settings
      throw new AppError(
        'PROVIDER_UNAVAILABLE',
        `${title} cannot be reached, or is set up wrongly; the log of the server says more`,
        {
          cause: error,
        },
      )
    })
  }

  /**
   * Ends a flow: has the provider prove the identity of the user who came back. Begins no session.
   *
   * @param query as sent
   * @param client of the request
   * @param flowOf the sealed flow that the browser has for a state
   * @throws {AppError} RECORD_NOT_FOUND without such a provider
   */
  async arrive(
    name: string,
    query: string,
    {
      callback,
      client,
      flowOf,
    }: { readonly callback: string; readonly client: LoginClient; readonly flowOf: (state: string) => string | undefined },
  ): Promise<Arrival> {
    const provider = this.#expect(name)
    const state = stateIn(query)
    const flow = state === undefined ? undefined : this.#openFlow(name, state, flowOf(state))
    const page = flow?.link === undefined ? 'sign-in' : 'account'
    try {
      if (state === undefined || flow === undefined) throw new SignInFailure('expired')
      if (!(await this.#parts.tokens.use(state, flow.at + FLOW_MS))) throw new SignInFailure('expired')
      const identity = await provider.identify(query, {
        state,
        redirectUri: callback,
        nonce: flow.nonce,
        verifier: flow.verifier,
      })
      if (flow.link !== undefined) {
        await this.#link(provider.settings, identity, flow.link, client)
        return { page, fragment: 'identity-linked' }
      }
      return { page, fragment: 'oidc', identity: this.#sealIdentity(name, identity, flow.to) }
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error
      tell(this.#parts.log, name, error)
      return { page, fragment: `oidc-error=${error.code}` }
    }
  }

  /** When a flow began, in milliseconds; undefined for one that is over. */
  beginningOf(state: string, sealed: string): number | undefined {
    return this.#open<SealedFlow>(sealed, flowContext(state), FLOW_MS)?.at
  }

  /**
   * Begins a session for a proven identity.
   *
   * @param sealed what `arrive` returned
   * @returns the session, and the path of the page that goes on
   * @throws {AppError} UNAUTHENTICATED, also without the code of a second factor; IDENTITY_NOT_LINKED
   */
  async finish(
    sealed: string | undefined,
    { otp, client }: { readonly otp?: string | undefined; readonly client: LoginClient },
  ): Promise<{ grant: TokenGrant; to: string; user: StoredRecord }> {
    const { identities, starts, tokens } = this.#parts
    const proof = sealed === undefined ? undefined : this.#open<SealedIdentity>(sealed, IDENTITY_CONTEXT, IDENTITY_MS)
    const provider = proof && this.#providers.get(proof.provider)?.settings
    if (proof === undefined || provider?.issuer !== proof.identity.issuer || (await tokens.isUsed(proof.id))) throw signInOver()
    const { identity, to } = proof
    const { user, isLinked } = await identities.admit(provider, identity, client)
    const onAdmitted = async () => {
      // Not before: with the code of a second factor it is sent again.
      if (!(await tokens.use(proof.id, proof.at + IDENTITY_MS))) throw signInOver()
      if (!isLinked) await identities.linkByAddress(user, provider, identity, client)
      await identities.followGroups(user, provider, identity)
    }
    const grant = await starts.start(user, { method: 'oidc', otp, client, inCookie: true, onAdmitted })
    return { grant, to, user }
  }

  async #link(
    provider: ProviderSettings,
    identity: ProvenIdentity,
    link: NonNullable<SealedFlow['link']>,
    client: LoginClient,
  ): Promise<void> {
    const { store, sessions, identities } = this.#parts
    const present = async () => {
      const [user] = await store.get('user', [link.user])
      const session = await sessions.ofFamily(link.session)
      if (user?.is_active !== true || session?.user_id !== user.id) throw new SignInFailure('expired')
      return { user, session }
    }
    const conditions = async () => {
      const { user, session } = await present()
      return [
        { kind: 'assert', table: 'user', id: user.id, expect: user } as const,
        { kind: 'assert', table: SESSIONS, id: session.id, expect: session } as const,
      ]
    }
    const { user, session } = await present()
    const options = { client, session: session.id, conditions }
    if (!(await identities.link(user, provider, identity, options))) throw new SignInFailure('taken')
  }

  #openFlow(name: string, state: string, sealed: string | undefined): SealedFlow | undefined {
    if (sealed === undefined) return undefined
    const flow = this.#open<SealedFlow>(sealed, flowContext(state), FLOW_MS)
    return flow?.provider === name ? flow : undefined
  }

  #sealIdentity(provider: string, identity: ProvenIdentity, to: string): string {
    const { random, clock, sealer } = this.#parts
    const proof: SealedIdentity = { id: uniqueId(random), provider, to, at: clock(), identity }
    return sealer.seal(JSON.stringify(proof), IDENTITY_CONTEXT)
  }

  #open<T extends { readonly at: number }>(sealed: string, context: string, maxAge: number): T | undefined {
    const opened = this.#parts.sealer.open(sealed, context)
    if (opened === undefined) return undefined
    const value = JSON.parse(opened.text) as T
    return Math.abs(this.#parts.clock() - value.at) < maxAge ? value : undefined
  }

  #expect(name: string): IdentityProvider {
    const provider = this.#providers.get(name)
    if (provider === undefined)
      throw new AppError('RECORD_NOT_FOUND', `There is no provider '${name.slice(0, 40)}'; see GET /auth/methods`)
    return provider
  }
}

const flowContext = (state: string): string => `flow ${state}`

/** The error of an identity that has expired, was used, or is not there. */
const signInOver = (): AppError =>
  new AppError('UNAUTHENTICATED', 'The sign-in at the provider has expired or was used; begin it again', {
    cause: new LoginFailure('token_invalid'),
  })

/** The state in the query of a callback; undefined without one, with several, and if it is none of ours. */
export function stateIn(query: string): string | undefined {
  const [state = '', ...others] = new URLSearchParams(query).getAll('state')
  return others.length === 0 && STATE.test(state) ? state : undefined
}

/** Logs why a sign-in failed. Error texts of providers are untrusted. */
function tell(log: Log, provider: string, error: unknown): void {
  if (!(error instanceof SignInFailure)) return
  const { code, cause } = error
  const reasons = causesOf(cause)
  const said = { event: 'sign_in_failed', provider, reason: code, ...(reasons.length === 0 ? {} : { cause: reasons.join(': ') }) }
  if (code === 'unavailable') log.warn('A provider cannot be used', said)
  else log.info('A sign-in by a provider failed', said)
}

const MAX_REASON = 300

/** The messages of an error and its causes. */
function causesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { error: oauthError, error_description: description } = error as { error?: unknown; error_description?: unknown }
  const own = [error.message, oauthError, description].filter((each): each is string => typeof each === 'string' && each !== '')
  return [...own.map((each) => each.slice(0, MAX_REASON)), ...causesOf(error.cause)].slice(0, 6)
}

/** The address that a provider sends users back to: below the public address of the server, never what a request says. */
export function callbackUrl(settings: Settings, auth: string, provider: string, port: number): string {
  return `${publicUrl(settings, port)}${auth}/oidc/${provider}/callback`
}
