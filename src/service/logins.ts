import { createHash } from 'node:crypto'
import { NOBODYS_HASH, type PasswordHasher } from '../auth/password.ts'
import { ACTIONS, type Actor, codename, SYSTEM } from '../auth/permissions.ts'
import type { Claims, Tokens } from '../auth/token.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { versionOf } from '../store/version.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import { grantsOf } from './accounts.ts'
import type { Records } from './records.ts'
import { Refusal } from './refusal.ts'
import { userNamed } from './users.ts'

/** What a login is answered with (RFC 6749, section 5.1); `expires_in` in seconds. */
export interface TokenGrant {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
}

const SESSION = 'authsession'
/** The permissions of a superuser, who needs none. */
const NONE: ReadonlySet<string> = new Set()

/** Logs users in and out and finds out on whose behalf a request comes. Every refusal is the same error. */
export class Logins {
  readonly #registry: Registry
  readonly #store: Store
  readonly #records: Records
  readonly #tokens: Tokens
  readonly #hasher: PasswordHasher
  readonly #clock: Clock
  readonly #random: Random

  constructor(parts: {
    registry: Registry
    store: Store
    records: Records
    tokens: Tokens
    hasher: PasswordHasher
    clock: Clock
    random: Random
  }) {
    this.#registry = parts.registry
    this.#store = parts.store
    this.#records = parts.records
    this.#tokens = parts.tokens
    this.#hasher = parts.hasher
    this.#clock = parts.clock
    this.#random = parts.random
  }

  /** @throws {AppError} UNAUTHENTICATED, alike for an unknown user, a wrong password and an inactive user */
  async login(username: string, password: string): Promise<TokenGrant> {
    const user = await userNamed(this.#store, username)
    const matches = await this.#hasher.verify(String(user?.password ?? NOBODYS_HASH), password)
    if (user === undefined) throw unauthenticated(new Refusal('unknown_user'))
    if (!matches) throw unauthenticated(new Refusal('wrong_password', user))
    if (user.is_active !== true) throw unauthenticated(new Refusal('user_inactive', user))
    const family = uniqueId(this.#random)
    const { grant, claims } = this.#grant(user.id, family)
    const expires_at = isoTime(claims.exp * 1000)
    const data = { user_id: user.id, family, token_id: claims.jti, credential: credentialOf(user), expires_at }
    await unlessGone(async () => {
      await this.#dropExpiredSessions(user.id)
      await this.#records.stamp('user', user.id, { last_login: this.#now() })
      await this.#records.create(SYSTEM, SESSION, { data })
    })
    return grant
  }

  /**
   * Changes a refresh token for a new pair. A token that has been changed before gives its whole family away, so the
   * session ends for everybody who holds one of them; so it does when the user has another password by now.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async refresh(token: string): Promise<TokenGrant> {
    const { session, claims } = await this.#session(token)
    const user = session === undefined ? undefined : await this.#activeUser(Number(session.user_id))
    if (session === undefined || user === undefined) throw unauthenticated(new Refusal('session_over', user))
    if (session.token_id !== claims.jti || session.credential !== credentialOf(user)) {
      await unlessGone(() => this.#records.remove(SYSTEM, SESSION, session.id))
      throw unauthenticated(new Refusal(session.token_id === claims.jti ? 'session_over' : 'token_reused', user))
    }
    const next = this.#grant(user.id, String(session.family))
    const data = { token_id: next.claims.jti, expires_at: isoTime(next.claims.exp * 1000) }
    const seen = versionOf(session)
    await unlessGone(() => this.#records.update(SYSTEM, SESSION, session.id, { data }, (version) => version === seen))
    return next.grant
  }

  /** Ends the session that a refresh token belongs to. @throws {AppError} UNAUTHENTICATED */
  async logout(token: string): Promise<void> {
    const { session } = await this.#session(token)
    if (session === undefined) throw unauthenticated()
    await unlessGone(() => this.#records.remove(SYSTEM, SESSION, session.id))
  }

  /**
   * Whom an access token speaks for, looked up anew: who was deleted, disabled or demoted is so at once.
   *
   * @throws {AppError} UNAUTHENTICATED
   */
  async authenticate(token: string): Promise<Actor> {
    const claims = this.#tokens.verify(token, 'access')
    if (claims === undefined) throw unauthenticated()
    const [user] = await this.#store.get('user', [Number(claims.sub)])
    if (user?.is_active !== true) throw unauthenticated()
    const isSuperuser = user.is_superuser === true
    return { userId: user.id, isSuperuser, permissions: isSuperuser ? NONE : await grantsOf(this.#store, user) }
  }

  /** An access token for a user, without a login: for whoever can read the secret anyway. */
  issueAccessToken(userId: number): string {
    return this.#tokens.issue('access', userId).token
  }

  /** Everything an actor may do, by codename. */
  permissionsOf(actor: Actor): string[] {
    if (!actor.isSuperuser) return [...actor.permissions].sort()
    return this.#registry.public.flatMap((model) => ACTIONS.map((action) => codename(action, model))).sort()
  }

  #grant(userId: number, family: string): { grant: TokenGrant; claims: Claims } {
    const { token, claims } = this.#tokens.issue('refresh', userId, `${family}.${uniqueId(this.#random)}`)
    const grant: TokenGrant = {
      access_token: this.issueAccessToken(userId),
      refresh_token: token,
      token_type: 'bearer',
      expires_in: this.#tokens.lifetimeSeconds('access'),
    }
    return { grant, claims }
  }

  async #session(token: string): Promise<{ session: StoredRecord | undefined; claims: Claims }> {
    const claims = this.#tokens.verify(token, 'refresh')
    if (claims === undefined) throw unauthenticated(new Refusal('token_invalid'))
    const family = claims.jti.split('.')[0] ?? ''
    return { session: await this.#first(SESSION, [{ field: 'family', operator: 'eq', value: family }]), claims }
  }

  async #dropExpiredSessions(userId: number): Promise<void> {
    const filters: FieldFilter[] = [
      { field: 'user_id', operator: 'eq', value: userId },
      { field: 'expires_at', operator: 'lt', value: this.#now() },
    ]
    const { records } = await this.#store.find(SESSION, { filters, sort: [], offset: 0, limit: 100 })
    if (records.length === 0) return
    await this.#records.removeMany(SYSTEM, SESSION, { ids: records.map(({ id }) => id) })
  }

  async #activeUser(id: number): Promise<StoredRecord | undefined> {
    const [user] = await this.#store.get('user', [id])
    return user?.is_active === true ? user : undefined
  }

  async #first(table: string, filters: readonly FieldFilter[]): Promise<StoredRecord | undefined> {
    const { records } = await this.#store.find(table, { filters, sort: [], offset: 0, limit: 1 })
    return records[0]
  }

  #now(): string {
    return isoTime(this.#clock())
  }
}

/** Names the password that a session began with, without giving away what is stored of it. */
const credentialOf = (user: StoredRecord): string => createHash('sha256').update(String(user.password)).digest('base64url')

/** The one error for everybody who cannot be told who they are. @param refusal why, for the log */
export const unauthenticated = (refusal?: Refusal): AppError =>
  new AppError('UNAUTHENTICATED', 'Valid token required', { cause: refusal })

const OVERTAKEN: ReadonlySet<string> = new Set([
  'RECORD_NOT_FOUND',
  'UPDATE_TARGET_MISSING',
  'PRECONDITION_FAILED',
  'VALIDATION_FAILED',
])

/**
 * Writes to a session or its user, which another request may have changed or removed meanwhile.
 *
 * @throws {AppError} UNAUTHENTICATED in that case
 */
async function unlessGone(write: () => Promise<unknown>): Promise<void> {
  await write().catch((error: unknown) => {
    throw error instanceof AppError && OVERTAKEN.has(error.code) ? unauthenticated() : error
  })
}
