import { LoginFailure, type LoginFailureReason, unauthenticated } from '../auth/login-failure.ts'
import { DUMMY_HASH, type PasswordHasher } from '../auth/password.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError, type FieldMessages } from '../errors.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Model } from '../model/model.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { readTexts } from '../validate/issues.ts'
import { type AccountEvents, actedBy } from './account-events.ts'
import { otherAccount, ownAccount, updateOwnAccount } from './acting-users.ts'
import { passwordFaults } from './password-resets.ts'
import type { SecondFactors } from './second-factors.ts'
import { changesAccess, type LoginClient, type Sessions } from './sessions.ts'
import { hasPassword } from './users.ts'

/** A session as the API returns it. Sessions of earlier versions lack what is null. */
export interface ShownSession {
  readonly id: number
  readonly created_at: string
  /** Time of the last login or refresh. */
  readonly last_used_at: string | null
  /** Address of the client at that time, as rate limits count it. */
  readonly address: string | null
  readonly user_agent: string | null
  /** True for the session of the request. */
  readonly current: boolean
}

export interface OwnAccountParts {
  readonly records: Records
  readonly store: Store
  readonly sessions: Sessions
  readonly events: AccountEvents
  readonly lockout: AccountLockout
  readonly hasher: PasswordHasher
  readonly user: Model
  readonly factors: Pick<SecondFactors, 'use'>
}

/** Maximum number of sessions in a response. */
const MAX_SESSIONS = 1000

const WRONG = 'password is wrong, or the account is locked'
const WRONG_CODE = 'otp is wrong, or was used before, or too many were wrong lately'
const WRONG_PASSWORD = 'current_password is wrong, or the account is locked'

/** Lets users change their own password, and list and end their sessions. Superusers list and end sessions of others, too. */
export class OwnAccounts {
  readonly #parts: OwnAccountParts

  constructor(parts: OwnAccountParts) {
    this.#parts = parts
  }

  /**
   * Changes the actor's own password and ends the actor's other sessions. A wrong present password counts like a failed login,
   * so that a stolen token cannot be used to guess it.
   *
   * @param body `{current_password, new_password}`
   * @throws {AppError} VALIDATION_FAILED by field; FORBIDDEN for an actor without an account
   */
  async changePassword(actor: Actor, body: unknown, client?: LoginClient): Promise<void> {
    const user = await ownAccount(this.#parts, actor)
    const [current, next] = readTexts(body, ['current_password', 'new_password'], { strict: true })
    const faults = passwordFaults(this.#parts.user, user, next, 'new_password')
    const hash = String(user.password ?? DUMMY_HASH)
    const matches = (await this.#parts.hasher.verify(hash, current)) && hasPassword(user)
    if (!(await this.#parts.lockout.admit(String(user.username), matches))) {
      this.#parts.events.note('login_failed', { user, client, method: 'password' })
      throw wrongPassword(user, matches, faults)
    }
    if (faults.length > 0) throw new AppError('VALIDATION_FAILED', { new_password: faults })
    const session = await this.#currentSession(actor)
    const precondition = (_: string, now: StoredRecord) => !changesAccess(user, now)
    const options = { keptSession: session?.id, isNoted: true, precondition }
    await updateOwnAccount(this.#parts.records, user, { password: next }, options, () => wrongPassword(user, false, []))
    this.#parts.events.note('password_changed', { user, client, session: session?.id })
  }

  /**
   * Confirms the login of the actor's session by the password or a code of the second factor, so that it counts as recent again. A wrong one
   * counts like that of a login.
   *
   * @param body `{password}` or `{otp}`
   * @throws {AppError} VALIDATION_FAILED by field; FORBIDDEN for an actor without an account or a session
   */
  async confirmLogin(actor: Actor, body: unknown, client?: LoginClient): Promise<void> {
    const { factors, events, hasher, lockout, sessions } = this.#parts
    const user = await ownAccount(this.#parts, actor)
    const session = await this.#currentSession(actor)
    let method: string = 'password'
    if (session === undefined) throw new AppError('FORBIDDEN', 'The token belongs to no session; log in with POST /auth/token')
    if (isObject(body) && Object.hasOwn(body, 'otp')) {
      const [otp] = readTexts(body, ['otp'], { strict: true })
      const use = await factors.use(user, otp, client)
      if (use.method === undefined) throw notConfirmed({ otp: [WRONG_CODE] }, user, use.refusal)
      method = use.method
    } else {
      const [password] = readTexts(body, ['password'], { strict: true })
      const hash = String(user.password ?? DUMMY_HASH)
      const matches = (await hasher.verify(hash, password)) && hasPassword(user)
      if (!(await lockout.admit(String(user.username), matches))) {
        events.note('login_failed', { user, client, method })
        throw notConfirmed({ password: [WRONG] }, user, matches ? 'account_locked' : 'wrong_password')
      }
    }
    if (!(await sessions.confirm(session))) throw unauthenticated(new LoginFailure('session_over', user))
    events.note('confirmed', { user, client, method, session: session.id })
  }

  /**
   * The newest sessions, newest first, and their total.
   *
   * @param userId another user, for superusers; the actor's own sessions by default
   * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
   */
  async sessions(actor: Actor, userId?: number): Promise<{ data: readonly ShownSession[]; total: number }> {
    const { id } = userId === undefined ? await ownAccount(this.#parts, actor) : await otherAccount(this.#parts, actor, userId)
    const { records, total } = await this.#parts.sessions.listOf(id, MAX_SESSIONS)
    return { data: records.map((session) => shown(session, actor)), total }
  }

  /**
   * Ends one of the actor's own sessions.
   *
   * @returns the ended session
   * @throws {AppError} RECORD_NOT_FOUND also for a session of another user; FORBIDDEN for an actor without an account
   */
  async endSession(actor: Actor, id: number, client?: LoginClient): Promise<ShownSession> {
    const user = await ownAccount(this.#parts, actor)
    const session = await this.#parts.sessions.ofUser(user.id, id)
    if (session === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Session' }, id))
    await this.#parts.sessions.end(session)
    this.#parts.events.note('session_ended', { user, client, session: id })
    return shown(session, actor)
  }

  /**
   * Ends all sessions of a user; for superusers.
   *
   * @returns the number of sessions that had not expired
   * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
   */
  async endSessions(actor: Actor, userId: number, client?: LoginClient): Promise<number> {
    const { id } = await otherAccount(this.#parts, actor, userId)
    const { total } = await this.#parts.sessions.listOf(id, 0)
    await this.#parts.sessions.endAll(id)
    if (total > 0) this.#parts.events.note('session_ended', { user: { id }, ...actedBy(actor, id, client), count: total })
    return total
  }

  async #currentSession({ session }: Actor): Promise<StoredRecord | undefined> {
    return session === undefined ? undefined : this.#parts.sessions.ofFamily(session)
  }
}

/** The same error for a wrong password and a locked account, as a login has. The cause is for the log. */
function wrongPassword(user: StoredRecord, matches: boolean, faults: readonly string[]): AppError {
  const reason: LoginFailureReason = matches ? 'account_locked' : 'wrong_password'
  const messages = { current_password: [WRONG_PASSWORD], ...(faults.length > 0 ? { new_password: faults } : {}) }
  return new AppError('VALIDATION_FAILED', messages, { cause: new LoginFailure(reason, user) })
}

const notConfirmed = (messages: FieldMessages, user: StoredRecord, reason: LoginFailureReason): AppError =>
  new AppError('VALIDATION_FAILED', messages, { cause: new LoginFailure(reason, user) })

function shown(session: StoredRecord, actor: Actor): ShownSession {
  const { id, created_at, last_used_at, address, user_agent, family } = session
  return {
    id,
    created_at: String(created_at),
    last_used_at: textOf(last_used_at),
    address: textOf(address),
    user_agent: textOf(user_agent),
    current: family === actor.session,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
