import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import type { TwoFactor } from '../config/define.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import { readTexts } from '../validate/issues.ts'
import { type AccountEventName, type AccountEvents, actedBy } from './account-events.ts'
import { otherAccount, ownAccount } from './acting-users.ts'
import type { RecentLogin } from './recent-login.ts'
import { codesOf, type SecondFactors } from './second-factors.ts'
import type { LoginClient, Sessions } from './sessions.ts'

/** A second factor as the API returns it. */
export interface ShownFactor {
  readonly id: number
  readonly kind: 'totp'
  readonly created_at: string
  readonly last_used_at: string | null
}

/** The second factors of a user. */
export interface FactorList {
  readonly data: readonly ShownFactor[]
  readonly total: number
  readonly recovery_codes_left: number
  /** The setting `accounts.two_factor`. */
  readonly two_factor: TwoFactor
}

interface OwnFactorParts {
  readonly store: Store
  readonly factors: SecondFactors
  readonly recent: RecentLogin
  readonly sessions: Pick<Sessions, 'ofFamily'>
  readonly events: Pick<AccountEvents, 'note'>
  readonly log: Log
  /** The model of users. */
  readonly user: Model
}

/** Maximum number of authenticators of a user. */
const MAX_AUTHENTICATORS = 5

const WRONG_CODE = 'otp is not the present code of the new authenticator; check the clock of the device'

/** Lets users set up and remove their second factors. Superusers list and reset those of others. Changes need a recent login. */
export class OwnFactors {
  readonly #parts: OwnFactorParts

  constructor(parts: OwnFactorParts) {
    this.#parts = parts
  }

  /**
   * @param userId another user, for superusers; the actor by default
   * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
   */
  async list(actor: Actor, userId?: number): Promise<FactorList> {
    const { factors } = this.#parts
    const user = userId === undefined ? await ownAccount(this.#parts, actor) : await otherAccount(this.#parts, actor, userId)
    const found = await factors.of(user.id)
    const data = found.authenticators.map(shown)
    return { data, total: data.length, recovery_codes_left: codesOf(found).length, two_factor: factors.setting }
  }

  /** Whether an actor has a second factor, and whether one has to be set up before anything else. */
  async standing(actor: Actor): Promise<{ active: boolean; enrol: boolean }> {
    const { userId, mustEnrol = false } = actor
    const { factors } = this.#parts
    const hasAny = userId !== undefined && factors.areOn && !mustEnrol
    return { active: hasAny && (await factors.of(userId)).authenticators.length > 0, enrol: mustEnrol }
  }

  /**
   * Begins to set up an authenticator.
   *
   * @throws {AppError} FORBIDDEN, INSUFFICIENT_USER_AUTHENTICATION; INVALID_REQUEST if there are enough
   */
  async begin(actor: Actor): Promise<{ id: number; secret: string; uri: string }> {
    const { factors } = this.#parts
    const user = await this.#changing(actor)
    if ((await factors.of(user.id)).authenticators.length < MAX_AUTHENTICATORS) return factors.begin(user)
    const words = `An account has at most ${MAX_AUTHENTICATORS} authenticators; remove one with DELETE /auth/factors/{id} first`
    throw new AppError('INVALID_REQUEST', words)
  }

  /**
   * Confirms the new authenticator by its first code.
   *
   * @param body `{otp}`
   * @returns the recovery codes, which are shown this once
   * @throws {AppError} VALIDATION_FAILED for a wrong code; INVALID_REQUEST if none is being set up
   */
  async confirm(actor: Actor, body: unknown, client?: LoginClient): Promise<readonly string[]> {
    const { factors } = this.#parts
    const user = await this.#changing(actor)
    const [otp] = readTexts(body, ['otp'], { strict: true })
    if ((await factors.of(user.id)).pending.length === 0)
      throw new AppError('INVALID_REQUEST', 'No authenticator is being set up; begin with POST /auth/factors/totp')
    const codes = await factors.confirm(user, otp, actor.session)
    if (codes === undefined) throw new AppError('VALIDATION_FAILED', { otp: [WRONG_CODE] })
    await this.#tell('factor_added', 'Second factor added', user, actor, client)
    return codes
  }

  /**
   * Makes new recovery codes; the former ones work no longer.
   *
   * @throws {AppError} INVALID_REQUEST without an authenticator
   */
  async renewCodes(actor: Actor, client?: LoginClient): Promise<readonly string[]> {
    const { factors } = this.#parts
    const user = await this.#changing(actor)
    if ((await factors.of(user.id)).authenticators.length === 0)
      throw new AppError('INVALID_REQUEST', 'Recovery codes belong to an authenticator; begin with POST /auth/factors/totp')
    const codes = await factors.renewCodes(user)
    await this.#tell('recovery_codes_created', 'Recovery codes created', user, actor, client)
    return codes
  }

  /**
   * Removes one of the actor's own authenticators; with the last one, the recovery codes.
   *
   * @throws {AppError} RECORD_NOT_FOUND also for a factor of another user
   */
  async remove(actor: Actor, id: number, client?: LoginClient): Promise<ShownFactor> {
    const { factors } = this.#parts
    const user = await ownAccount(this.#parts, actor)
    await this.#parts.recent.require(actor)
    const { authenticators, pending } = await factors.of(user.id)
    const factor = [...authenticators, ...pending].find((each) => each.id === id)
    if (factor === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'Factor' }, id))
    await factors.remove(user, factor, actor.session)
    await this.#tell('factor_removed', 'Second factor removed', user, actor, client)
    return shown(factor)
  }

  /**
   * Removes all second factors of a user who has lost them, and ends their sessions; for superusers.
   *
   * @returns the number of removed authenticators
   */
  async reset(actor: Actor, userId: number, client?: LoginClient): Promise<number> {
    const user = await otherAccount(this.#parts, actor, userId)
    await this.#parts.recent.require(actor)
    const total = await this.#parts.factors.reset(user)
    await this.#tell('factor_removed', 'Second factors reset', user, actor, client)
    return total
  }

  /** The account whose factors are set up. */
  async #changing(actor: Actor): Promise<StoredRecord> {
    const user = await ownAccount(this.#parts, actor)
    if (!this.#parts.factors.areOn)
      throw new AppError('FORBIDDEN', "Second factors are turned off by the setting 'accounts.two_factor'")
    await this.#parts.recent.require(actor)
    return user
  }

  async #tell(
    event: AccountEventName,
    message: string,
    user: StoredRecord,
    actor: Actor,
    client: LoginClient | undefined,
  ): Promise<void> {
    const { log, events, sessions } = this.#parts
    log.info(message, { event, user_id: user.id, username: String(user.username), by: actor.userId ?? 'system' })
    const isOwn = actor.userId === user.id
    const session = isOwn && actor.session !== undefined ? await sessions.ofFamily(actor.session) : undefined
    events.note(event, { user, ...actedBy(actor, user.id, client), session: session?.id })
  }
}

const shown = ({ id, created_at, last_used_at }: JsonObject & { readonly id: number }): ShownFactor => ({
  id,
  kind: 'totp',
  created_at: String(created_at),
  last_used_at: typeof last_used_at === 'string' ? last_used_at : null,
})
