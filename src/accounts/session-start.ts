import { LoginFailure, unauthenticated } from '../auth/login-failure.ts'
import type { TokenIssuer } from '../auth/token.ts'
import type { Records } from '../records/records.ts'
import type { StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { AccountEvents } from './account-events.ts'
import type { SecondFactors } from './second-factors.ts'
import { type LoginClient, type LoginMethod, type Sessions, succeeds } from './sessions.ts'
import { type TokenGrant, TokenGrants } from './token-grants.ts'

/** How a user has proved who they are, and where the session is to be. */
export interface StartOptions {
  readonly method: LoginMethod
  /** A code of the user's second factor. */
  readonly otp?: string | undefined
  readonly client?: LoginClient | undefined
  /** True if the refresh token is sent in a cookie, and accepted from there only. */
  readonly inCookie?: boolean | undefined
  /** Runs after the second factor and before the session begins. If it throws, none begins. */
  readonly onAdmitted?: (() => Promise<void>) | undefined
}

interface SessionStartParts {
  readonly records: Records
  readonly sessions: Sessions
  readonly factors: Pick<SecondFactors, 'require' | 'isCurrent'>
  readonly events: AccountEvents
  readonly tokens: TokenIssuer
  readonly clock: Clock
  readonly random: Random
}

/** Maximum number of times that a login is repeated because the second factors of the user changed meanwhile. */
const MAX_REPETITIONS = 3

/** Begins sessions. Every way to log in ends here, so that each asks for the second factor. */
export class SessionStart {
  readonly #parts: SessionStartParts
  readonly #grants: TokenGrants

  constructor(parts: SessionStartParts) {
    this.#parts = parts
    this.#grants = new TokenGrants(parts)
  }

  /**
   * Begins the session of a user who has proved who they are by a password or at a provider.
   *
   * @throws {AppError} UNAUTHENTICATED for a disabled account; with `second_factor` if the account has a second factor, and the code is missing
   *   or wrong
   */
  async start(user: StoredRecord, { method, otp, client = {}, inCookie = false, onAdmitted }: StartOptions): Promise<TokenGrant> {
    const { records, sessions, factors, events, clock, random } = this.#parts
    if (user.is_active !== true) {
      events.note('login_failed', { user, client, method })
      throw unauthenticated(new LoginFailure('user_inactive', user))
    }
    for (let attempt = 0; ; attempt++) {
      const proof = await factors.require(user, otp, client)
      if (attempt === 0) await onAdmitted?.()
      const family = uniqueId(random)
      const { grant, next } = this.#grants.issue(user.id, family, client)
      const noted = await succeeds(records.updateInternal('user', user.id, { last_login: isoTime(clock()) }))
      const session = noted ? await sessions.begin(user, family, next, { method, inCookie }) : undefined
      if (session === undefined) throw unauthenticated()
      // A change of the factors that was committed since ends the sessions that it has found.
      if (!(await factors.isCurrent(user, proof))) {
        await sessions.end({ id: session })
        if (attempt < MAX_REPETITIONS) continue
        throw unauthenticated()
      }
      events.note('login', { user, client, method, session })
      return grant
    }
  }
}
