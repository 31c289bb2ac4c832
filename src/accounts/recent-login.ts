import { type Actor, forbidden, refuseKeys, SHELL } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Clock } from '../util/clock.ts'
import type { Sessions } from './sessions.ts'

/** Time for which a login, or its confirmation, is recent, in seconds. */
export const RECENT_SECONDS = 600

const REMEDY = 'This needs a login within the last 10 minutes; confirm it with POST /auth/confirm, or log in again'

/** Requires a login or its confirmation within the last 10 minutes, for what a stolen token must not suffice. */
export class RecentLogin {
  readonly #sessions: Pick<Sessions, 'ofFamily'>
  readonly #clock: Clock

  constructor({ sessions, clock }: { sessions: Pick<Sessions, 'ofFamily'>; clock: Clock }) {
    this.#sessions = sessions
    this.#clock = clock
  }

  /**
   * Commands of the project's own shell pass. A token of `admin token`, which belongs to no session, is as a login at the time it was issued.
   *
   * @throws {AppError} INSUFFICIENT_USER_AUTHENTICATION; FORBIDDEN for an API key, and for an actor without an account
   */
  async require(actor: Actor): Promise<void> {
    if (actor === SHELL) return
    refuseKeys(actor, 'change how an account is accessed')
    if (actor.userId === undefined) throw forbidden(actor)
    const at = actor.session === undefined ? actor.issuedAt : await this.#authenticatedAt(actor.session)
    const age = this.#clock() - (at ?? Number.NEGATIVE_INFINITY)
    if (age > RECENT_SECONDS * 1000) throw new AppError('INSUFFICIENT_USER_AUTHENTICATION', REMEDY)
  }

  async #authenticatedAt(family: string): Promise<number | undefined> {
    const at = (await this.#sessions.ofFamily(family))?.authenticated_at
    return typeof at === 'string' ? Date.parse(at) : undefined
  }
}
