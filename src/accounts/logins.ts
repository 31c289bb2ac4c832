import type { AccessRules } from '../access/access-rules.ts'
import { actorOfUser } from '../access/present-rights.ts'
import { LoginFailure, unauthenticated } from '../auth/login-failure.ts'
import { DUMMY_HASH, type PasswordHasher } from '../auth/password.ts'
import { type Actor, codename, SHELL } from '../auth/permissions.ts'
import { type Claims, SHELL_SUBJECT, type TokenIssuer } from '../auth/token.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import type { AccountEvents } from './account-events.ts'
import type { ActorCache } from './actor-cache.ts'
import type { ApiKeys } from './api-keys.ts'
import { enrolmentNeeded, type SecondFactors } from './second-factors.ts'
import type { SessionStart } from './session-start.ts'
import { isOf, type LoginClient, type Sessions, sessionFamilyOf, tokenIdFor } from './sessions.ts'
import { type TokenGrant, TokenGrants } from './token-grants.ts'
import { hasPassword, userNamed } from './users.ts'

/** Options of a login or a refresh. */
export interface LoginOptions {
  readonly client?: LoginClient
  /** True if the refresh token is sent in a cookie. Such a token is accepted from the cookie only, and others only from a body. */
  readonly inCookie?: boolean
}

/** Options of a login with a password. */
export interface PasswordLogin extends LoginOptions {
  /** A code of the second factor. */
  readonly otp?: string | undefined
}

export interface RefreshOptions extends LoginOptions {
  /** Called with the user of a good token before it is exchanged; if it throws, the token stays valid. */
  readonly admit?: (userId: number) => Promise<void>
}

/** Maximum number of times that a refresh is repeated because the session changed between read and write. */
const MAX_REPETITIONS = 5

/** Stands for the id of a token, none of which is the same. */
const WITHOUT_TOKEN = ' '

/** Logs users in and out, and resolves access tokens to actors. Every rejection is the same error. */
export class Logins {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #sessions: Sessions
  readonly #starts: SessionStart
  readonly #grants: TokenGrants
  readonly #factors: Pick<SecondFactors, 'mustEnrol'>
  readonly #tokens: TokenIssuer
  readonly #hasher: PasswordHasher
  readonly #lockout: AccountLockout
  readonly #events: AccountEvents
  readonly #random: Random
  /** The actors of access tokens. */
  readonly actors: ActorCache
  readonly keys: ApiKeys

  constructor(parts: {
    access: AccessRules
    store: Store
    starts: SessionStart
    factors: Pick<SecondFactors, 'mustEnrol'>
    actors: ActorCache
    tokens: TokenIssuer
    sessions: Sessions
    lockout: AccountLockout
    events: AccountEvents
    hasher: PasswordHasher
    random: Random
    keys: ApiKeys
  }) {
    this.#access = parts.access
    this.#store = parts.store
    this.#starts = parts.starts
    this.#grants = new TokenGrants(parts)
    this.#tokens = parts.tokens
    this.#hasher = parts.hasher
    this.#random = parts.random
    this.#sessions = parts.sessions
    this.#lockout = parts.lockout
    this.#events = parts.events
    this.#factors = parts.factors
    this.actors = parts.actors
    this.keys = parts.keys
  }

  /**
   * Logs a user in. Response and duration are the same for an unknown user, a wrong password, an inactive user and a locked
   * account. Only after the right password a second factor is asked for.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async login(username: string, password: string, { client, inCookie, otp }: PasswordLogin = {}): Promise<TokenGrant> {
    const user = await userNamed(this.#store, username)
    // A user without a password costs as much time, too.
    const matches =
      (await this.#hasher.verify(String(user?.password ?? DUMMY_HASH), password)) && user !== undefined && hasPassword(user)
    const admitted = await this.#lockout.admit(username, matches && user?.is_active === true)
    if (user === undefined || !admitted) {
      if (user !== undefined) this.#events.note('login_failed', { user, client, method: 'password' })
      throw unauthenticated(await this.#refusal(username, user, matches))
    }
    return this.#starts.start(user, { method: 'password', otp, client, inCookie })
  }

  /**
   * Exchanges a refresh token for a new pair of tokens. Reuse of an exchanged token, also a concurrent one, ends the session
   * with all its tokens (RFC 9700, section 4.14.2). So does a changed password.
   *
   * A token from a cookie stays good for 10 seconds after its exchange, since the tabs of a browser share the cookie and may
   * refresh at the same time. It gets the token that replaced it.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async refresh(token: string, options: RefreshOptions = {}): Promise<TokenGrant> {
    const { client = {}, inCookie = false, admit = () => {} } = options
    const claims = this.#refreshClaims(token)
    for (let attempt = 0; ; attempt++) {
      const { session, user } = await this.#sessionOf(claims, inCookie)
      const isOpen = isOf(session, user)
      const isLast = session.token_id === claims.jti
      const isShared = isOpen && !isLast && this.#sessions.isJustReplaced(session, claims.jti)
      if (!isOpen || !(isLast || isShared) || attempt === MAX_REPETITIONS) {
        await this.#sessions.end(session)
        // The token was exchanged before or concurrently, unless the password has changed.
        throw unauthenticated(new LoginFailure(isLast && !isOpen ? 'session_over' : 'token_reused', user))
      }
      if (attempt === 0) await admit(user.id)
      const { grant, next } = this.#grants.issue(
        user.id,
        String(session.family),
        client,
        isShared ? String(session.token_id) : undefined,
      )
      if (isShared || (await this.#sessions.rotate(session, next))) return grant
    }
  }

  /**
   * Ends the session of a refresh token with all its tokens.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async logout(token: string, { client, inCookie = false }: LoginOptions = {}): Promise<void> {
    const session = await this.#sessions.of(this.#refreshClaims(token))
    if (session === undefined || (session.in_cookie === true) !== inCookie) throw unauthenticated()
    await this.#sessions.end(session)
    this.#events.note('logout', { user: { id: Number(session.user_id) }, client, session: session.id })
  }

  /** The claims of an access token. @throws {AppError} UNAUTHENTICATED */
  claimsOf(token: string): Claims {
    const claims = this.#tokens.verify(token, 'access')
    if (claims === undefined) throw unauthenticated()
    return claims
  }

  /**
   * The present actor of verified claims. Deletion, deactivation, changed permissions and logout take effect immediately; where several
   * processes share the store, within 500 ms on the others.
   *
   * @param options.enrolling true for what a user may do who has to set up a second factor first
   * @throws {AppError} UNAUTHENTICATED; FORBIDDEN with `second_factor` for such a user
   */
  async actorOf(claims: Claims, { enrolling = false }: { enrolling?: boolean } = {}): Promise<Actor> {
    if (claims.sub === SHELL_SUBJECT) return SHELL
    const actor = await this.actors.of(claims, () => this.#readActor(claims))
    if (actor.mustEnrol === true && !enrolling) throw enrolmentNeeded()
    return actor
  }

  /**
   * The present actor of a bearer token, an access token or an API key. A key needs no second factor, and its owner none.
   *
   * @throws {AppError} as `actorOf`
   */
  async actorOfToken(token: string, options?: { enrolling?: boolean }): Promise<Actor> {
    return this.keys.isKey(token) ? this.keys.actorOf(token) : this.actorOf(this.claimsOf(token), options)
  }

  /** The end of a bearer token that has just been accepted, in milliseconds; undefined for a key that does not expire. */
  endOf(token: string, { key }: Actor): number | undefined {
    return key === undefined ? this.claimsOf(token).exp * 1000 : key.expiresAt
  }

  async #readActor(claims: Claims): Promise<Actor> {
    const [user] = await this.#store.get('user', [Number(claims.sub)])
    if (user?.is_active !== true || !(await this.#sessions.isOpen(claims, user))) throw unauthenticated()
    const session = sessionFamilyOf(claims.jti)
    const actor = await actorOfUser(this.#store, user, session)
    // Tokens without a session are issued with the server's secret.
    if (session === undefined) return { ...actor, issuedAt: claims.iat * 1000 }
    return (await this.#factors.mustEnrol(user)) ? { ...actor, mustEnrol: true } : actor
  }

  /**
   * Issues the token by which a browser reads files during the session of a refresh token.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  issueFilesToken(refreshToken: string): string {
    const { sub, jti } = this.#refreshClaims(refreshToken)
    return this.#tokens.issue('files', Number(sub), `${sessionFamilyOf(jti)}.${uniqueId(this.#random)}`).token
  }

  /**
   * The present actor of a token that reads files: as `actorOf`.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async fileReaderOf(token: string): Promise<Actor> {
    const claims = this.#tokens.verify(token, 'files')
    if (claims === undefined) throw unauthenticated()
    return await this.actorOf(claims)
  }

  /**
   * The present actor of a user, without a token: for links that the user has signed. Changes of the account take effect as in `actorOf`.
   *
   * @param keyId the API key that a link was signed with, whose scopes and end hold for it
   * @throws {AppError} UNAUTHENTICATED
   */
  actorOfUser(id: number, keyId?: number): Promise<Actor> {
    if (keyId !== undefined) return this.keys.actorOfId(id, keyId)
    return this.actors.of({ sub: String(id), jti: WITHOUT_TOKEN }, async () => {
      const user = await this.#activeUser(id)
      if (user === undefined) throw unauthenticated()
      return actorOfUser(this.#store, user)
    })
  }

  /** Issues an access token without a login, for `admin token`: the caller can read the secret anyway. */
  issueAccessToken(user: StoredRecord): string {
    return this.#tokens.issue('access', user.id, tokenIdFor(user, this.#random)).token
  }

  /** The codenames of all permissions of an actor; of actions with an access rule of the project, if some records pass it. */
  permissionsOf(actor: Actor): string[] {
    const access = this.#access
    const actions = access.registry.public.flatMap((model) =>
      access.registry.actionsOf(model).map((action) => ({ action, model })),
    )
    const ruled = new Set(
      actions.filter(({ action, model }) => access.hasRule(action, model)).map(({ action, model }) => codename(action, model)),
    )
    // Every user may do something with saved views; the permissions for them allow more.
    const allowed = actions.filter(
      ({ action, model }) => (actor.isSuperuser || model.key !== SAVED_VIEWS) && access.may(actor, action, model),
    )
    const held = [...actor.permissions].filter((name) => !ruled.has(name))
    return [...new Set([...held, ...allowed.map(({ action, model }) => codename(action, model))])].sort()
  }

  /** The reason of a rejected login, for the log. */
  async #refusal(username: string, user: StoredRecord | undefined, matches: boolean): Promise<LoginFailure> {
    if (await this.#lockout.locks(username)) return new LoginFailure('account_locked', user)
    if (user === undefined) return new LoginFailure('unknown_user')
    return new LoginFailure(matches ? 'user_inactive' : 'wrong_password', user)
  }

  #refreshClaims(token: string): Claims {
    const claims = this.#tokens.verify(token, 'refresh')
    if (claims === undefined) throw unauthenticated(new LoginFailure('token_invalid'))
    return claims
  }

  /** @throws {AppError} UNAUTHENTICATED if the session has ended, or gives its refresh token out the other way */
  async #sessionOf(claims: Claims, inCookie: boolean): Promise<{ session: StoredRecord; user: StoredRecord }> {
    const session = await this.#sessions.of(claims)
    const user = session === undefined ? undefined : await this.#activeUser(Number(session.user_id))
    if (session !== undefined && user !== undefined && (session.in_cookie === true) === inCookie) return { session, user }
    throw unauthenticated(new LoginFailure('session_over', user))
  }

  async #activeUser(id: number): Promise<StoredRecord | undefined> {
    const [user] = await this.#store.get('user', [id])
    return user?.is_active === true ? user : undefined
  }
}
