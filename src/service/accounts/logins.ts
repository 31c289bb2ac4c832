import { DUMMY_HASH, type PasswordHasher } from '../../auth/password.ts'
import { ACTIONS, type Actor, codename, SHELL } from '../../auth/permissions.ts'
import { type Claims, SHELL_SUBJECT, type Tokens, type TokenType } from '../../auth/token.ts'
import { Lockout } from '../../limit/lockout.ts'
import type { Store, StoredRecord } from '../../store/store.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import { type Random, uniqueId } from '../../util/ids.ts'
import type { AccessRules } from '../access/access-rules.ts'
import type { Records } from '../records/records.ts'
import { grantsOf } from './account-guards.ts'
import { LoginFailure, unauthenticated } from './login-failure.ts'
import { isOf, Sessions, succeeds, tokenIdFor } from './sessions.ts'
import { userNamed } from './users.ts'

/** Response of a login (RFC 6749, section 5.1); `expires_in` in seconds. */
export interface TokenGrant {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
}

/** Superusers need no permissions. */
const NO_GRANTS = { permissions: new Set<string>(), groups: new Set<string>() }

/** Logs users in and out, and resolves access tokens to actors. Every rejection is the same error. */
export class Logins {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #records: Records
  readonly #sessions: Sessions
  readonly #tokens: Tokens
  readonly #hasher: PasswordHasher
  readonly #lockout: Lockout
  readonly #clock: Clock
  readonly #random: Random

  constructor(parts: {
    access: AccessRules
    store: Store
    records: Records
    tokens: Tokens
    hasher: PasswordHasher
    clock: Clock
    random: Random
  }) {
    this.#access = parts.access
    this.#store = parts.store
    this.#records = parts.records
    this.#tokens = parts.tokens
    this.#hasher = parts.hasher
    this.#clock = parts.clock
    this.#random = parts.random
    this.#sessions = new Sessions(parts)
    this.#lockout = new Lockout({ clock: parts.clock })
    parts.records.guardAccess({
      relatedOperations: (users) => this.#sessions.endingOf(users),
      changed: (users) => this.#accessChanged(users),
    })
  }

  /**
   * Logs a user in. Response and duration are the same for an unknown user, a wrong password, an inactive user and a locked
   * account.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async login(username: string, password: string): Promise<TokenGrant> {
    const user = await userNamed(this.#store, username)
    const matches = await this.#hasher.verify(String(user?.password ?? DUMMY_HASH), password)
    const admitted = this.#lockout.admit(username, matches && user?.is_active === true)
    if (user === undefined || !admitted) throw unauthenticated(this.#refusal(username, user, matches))
    const family = uniqueId(this.#random)
    const { grant, tokenId, expiresAt } = this.#grant(user.id, family)
    const noted = await succeeds(this.#records.updateInternal('user', user.id, { last_login: isoTime(this.#clock()) }))
    if (!noted || !(await succeeds(this.#sessions.begin(user, family, tokenId, expiresAt)))) throw unauthenticated()
    return grant
  }

  /**
   * Exchanges a refresh token for a new pair of tokens. Reuse of an exchanged token, also a concurrent one, ends the session
   * with all its tokens (RFC 9700, section 4.14.2). So does a changed password.
   *
   * @param admit called with the user of a good token before it is exchanged; if it throws, the token stays valid
   * @throws {AppError} UNAUTHENTICATED
   */
  async refresh(token: string, admit: (userId: number) => void = () => {}): Promise<TokenGrant> {
    const claims = this.#refreshClaims(token)
    const session = await this.#sessions.of(claims)
    const user = session === undefined ? undefined : await this.#activeUser(Number(session.user_id))
    if (session === undefined || user === undefined) throw unauthenticated(new LoginFailure('session_over', user))
    const next = this.#grant(user.id, String(session.family))
    const isLast = session.token_id === claims.jti
    const isGood = isLast && isOf(session, user)
    if (isGood) admit(user.id)
    if (isGood && (await this.#sessions.rotate(session, next.tokenId, next.expiresAt))) return next.grant
    await this.#sessions.end(session)
    // The token was exchanged before or concurrently, unless the password has changed.
    throw unauthenticated(new LoginFailure(isLast && !isGood ? 'session_over' : 'token_reused', user))
  }

  /**
   * Ends the session of a refresh token with all its tokens.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async logout(token: string): Promise<void> {
    const session = await this.#sessions.of(this.#refreshClaims(token))
    if (session === undefined) throw unauthenticated()
    await this.#sessions.end(session)
  }

  /**
   * Resolves an access token to an actor. The user is read for each request, so deletion, deactivation, changed permissions and
   * logout take effect immediately.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async authenticate(token: string): Promise<Actor> {
    const claims = this.#tokens.verify(token, 'access')
    if (claims === undefined) throw unauthenticated()
    if (claims.sub === SHELL_SUBJECT) return SHELL
    const [user] = await this.#store.get('user', [Number(claims.sub)])
    if (user?.is_active !== true) throw unauthenticated()
    if (!this.#sessions.isKnownOpen(claims) && !(await this.#sessions.isOpen(claims, user))) throw unauthenticated()
    const isSuperuser = user.is_superuser === true
    return { userId: user.id, isSuperuser, user, ...(isSuperuser ? NO_GRANTS : await grantsOf(this.#store, user)) }
  }

  /** Issues an access token without a login, for `admin token`: the caller can read the secret anyway. */
  issueAccessToken(user: StoredRecord): string {
    return this.#tokens.issue('access', user.id, tokenIdFor(user, this.#random)).token
  }

  /** The codenames of all permissions of an actor; those of actions with an access rule if some records pass it. */
  permissionsOf(actor: Actor): string[] {
    const access = this.#access
    const actions = access.registry.public.flatMap((model) => ACTIONS.map((action) => ({ action, model })))
    const ruled = new Set(
      actions.filter(({ action, model }) => access.hasRule(action, model)).map(({ action, model }) => codename(action, model)),
    )
    const allowed = actions.filter(({ action, model }) => access.may(actor, action, model))
    const held = [...actor.permissions].filter((name) => !ruled.has(name))
    return [...new Set([...held, ...allowed.map(({ action, model }) => codename(action, model))])].sort()
  }

  #grant(userId: number, family: string): { grant: TokenGrant; tokenId: string; expiresAt: number } {
    const issue = (type: TokenType) => this.#tokens.issue(type, userId, `${family}.${uniqueId(this.#random)}`)
    const [access, refresh] = [issue('access'), issue('refresh')]
    const grant: TokenGrant = {
      access_token: access.token,
      refresh_token: refresh.token,
      token_type: 'bearer',
      expires_in: this.#tokens.lifetimeSeconds('access'),
    }
    return { grant, tokenId: refresh.claims.jti, expiresAt: Math.max(access.claims.exp, refresh.claims.exp) }
  }

  /** Ends the sessions of the users, and resets their lockouts so that new credentials work immediately. */
  #accessChanged(users: readonly StoredRecord[]): void {
    for (const { username } of users) this.#lockout.forgive(String(username))
    this.#sessions.ended()
  }

  /** The reason of a rejected login, for the log. */
  #refusal(username: string, user: StoredRecord | undefined, matches: boolean): LoginFailure {
    if (this.#lockout.locks(username)) return new LoginFailure('account_locked', user)
    if (user === undefined) return new LoginFailure('unknown_user')
    return new LoginFailure(matches ? 'user_inactive' : 'wrong_password', user)
  }

  #refreshClaims(token: string): Claims {
    const claims = this.#tokens.verify(token, 'refresh')
    if (claims === undefined) throw unauthenticated(new LoginFailure('token_invalid'))
    return claims
  }

  async #activeUser(id: number): Promise<StoredRecord | undefined> {
    const [user] = await this.#store.get('user', [id])
    return user?.is_active === true ? user : undefined
  }
}
