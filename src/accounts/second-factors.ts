import { createHash } from 'node:crypto'
import { SESSIONS } from '../auth/account-models.ts'
import { FACTORS } from '../auth/factor-models.ts'
import { LoginFailure, type LoginFailureReason } from '../auth/login-failure.ts'
import type { Sealer } from '../auth/sealing.ts'
import type { TwoFactor } from '../config/define.ts'
import { AppError } from '../errors.ts'
import type { AccountLockout } from '../limit/lockout.ts'
import type { Log } from '../log/log.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import type { JsonObject } from '../util/json.ts'
import type { AccountEvents } from './account-events.ts'
import { makeRecoveryCode, recoveryCodeIn } from './recovery-codes.ts'
import type { LoginClient } from './sessions.ts'
import { stepOf, TotpSecrets } from './totp.ts'

/** What a code of a second factor is: one of an authenticator, or a recovery code. */
export type FactorMethod = 'totp' | 'recovery'

/** What came of a code: what it was, or why it was refused. */
export type FactorUse =
  | { readonly method: FactorMethod; readonly refusal?: undefined }
  | { readonly method?: undefined; readonly refusal: LoginFailureReason }

/** The authenticators that a user had when a second factor was asked for. */
export interface FactorProof {
  readonly authenticators: readonly number[]
}

/** Parts of `SecondFactors`. */
export interface SecondFactorParts {
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  readonly sealer: Sealer
  /** Counts wrong codes by account, apart from wrong passwords: a right password must not make room for further codes. */
  readonly lockout: AccountLockout
  readonly setting: TwoFactor
  readonly clock: Clock
  readonly random: Random
  readonly events: Pick<AccountEvents, 'note'>
  readonly log: Log
  /** Called after a factor was added or removed. */
  readonly onChange: () => void
  /** Name of the site, which authenticators show. */
  readonly issuer?: string | undefined
}

/** The stored factors of a user. */
export interface UserFactors {
  /** Confirmed authenticators. */
  readonly authenticators: readonly StoredRecord[]
  /** Authenticators whose first code has not been sent yet. */
  readonly pending: readonly StoredRecord[]
  readonly recovery: readonly StoredRecord[]
}

const RECOVERY_CODES = 10
const NO_PROOF: FactorProof = { authenticators: [] }
/** Number of times that a code is compared again, since the factor has changed meanwhile. */
const MAX_REPETITIONS = 3

const NEEDED = 'This account has a second factor; send `otp`, a code of the authenticator or a recovery code'
const WRONG = 'The code is wrong, or was used before, or too many were wrong lately'

/** The second factors of accounts: authenticators (RFC 6238) and recovery codes. */
export class SecondFactors {
  readonly #parts: SecondFactorParts
  readonly #secrets: TotpSecrets

  constructor(parts: SecondFactorParts) {
    this.#parts = parts
    this.#secrets = new TotpSecrets(parts)
  }

  /** False if the settings turn second factors off. */
  get areOn(): boolean {
    return this.#parts.setting !== 'off'
  }

  get setting(): TwoFactor {
    return this.#parts.setting
  }

  /**
   * Asks for the second factor of a user who has one. The caller has checked the first one.
   *
   * @param otp a code of the authenticator, or a recovery code
   * @returns what it was asked for, for `isCurrent`
   * @throws {AppError} UNAUTHENTICATED with `second_factor`, which lists the methods, if the code is missing or wrong
   */
  async require(user: StoredRecord, otp: string | undefined, client?: LoginClient): Promise<FactorProof> {
    if (!this.areOn) return NO_PROOF
    const factors = await this.of(user.id)
    const proof = { authenticators: factors.authenticators.map(({ id }) => id) }
    if (factors.authenticators.length === 0) return proof
    const use: FactorUse = otp === undefined ? MISSING : await this.#use(user, otp, factors, client)
    if (use.method !== undefined) return proof
    const methods = ['totp', ...(codesOf(factors).length > 0 ? ['recovery'] : [])]
    throw new AppError('UNAUTHENTICATED', otp === undefined ? NEEDED : WRONG, {
      cause: new LoginFailure(use.refusal, user),
      members: { second_factor: { methods } },
    })
  }

  /** False if an authenticator of the user was added or removed since `require`. */
  async isCurrent({ id }: StoredRecord, { authenticators }: FactorProof): Promise<boolean> {
    if (!this.areOn) return true
    const present = (await this.of(id)).authenticators
    return present.length === authenticators.length && present.every((record) => authenticators.includes(record.id))
  }

  /** Uses a code of a user's second factor. Without a factor no code is right. */
  async use(user: StoredRecord, otp: string, client?: LoginClient): Promise<FactorUse> {
    const factors = await this.of(user.id)
    return this.areOn && factors.authenticators.length > 0 ? this.#use(user, otp, factors, client) : WRONG_USE
  }

  /** The factors of a user: one indexed read. */
  async of(userId: number): Promise<UserFactors> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'eq', value: userId }]
    const { records } = await this.#parts.store.find(FACTORS, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })
    const [totp, recovery] = [records.filter(({ kind }) => kind === 'totp'), records.filter(({ kind }) => kind === 'recovery')]
    const isConfirmed = ({ confirmed_at: at }: StoredRecord) => typeof at === 'string'
    return { authenticators: totp.filter(isConfirmed), pending: totp.filter((each) => !isConfirmed(each)), recovery }
  }

  /** True if the settings require a second factor of a user who has none. */
  async mustEnrol(user: StoredRecord): Promise<boolean> {
    const { setting } = this.#parts
    const isRequired = setting === 'required' || (setting === 'superusers' && user.is_superuser === true)
    return isRequired && (await this.of(user.id)).authenticators.length === 0
  }

  /** A new secret for an authenticator, which counts once `confirm` got a code of it. Former ones that were not confirmed are removed. */
  async begin(user: StoredRecord): Promise<{ id: number; secret: string; uri: string }> {
    const { pending } = await this.of(user.id)
    const { secret, uri, sealed } = await this.#secrets.make(user)
    const values = { user_id: user.id, kind: 'totp', secret: sealed, created_at: isoTime(this.#parts.clock()) }
    const insert: Operation = { kind: 'insert', table: FACTORS, values }
    const outcome = await this.#parts.records.commitInternal([insert, ...pending.map(({ id }) => removal(FACTORS, id))])
    const [record] = outcome.ok ? outcome.records : []
    if (record === undefined) throw overtaken()
    return { id: record.id, secret, uri }
  }

  /**
   * Confirms the new authenticator of a user by its first code. All other sessions of the user end: they began without it.
   *
   * @param keptSession the family of the session that goes on
   * @returns the recovery codes, which replace former ones; undefined for a wrong code
   */
  async confirm(user: StoredRecord, otp: string, keptSession: string | undefined): Promise<readonly string[] | undefined> {
    const { clock } = this.#parts
    const { pending, recovery } = await this.of(user.id)
    for (const record of pending) {
      const step = await this.#secrets.stepIn(record, otp)
      if (step === undefined) continue
      const now = isoTime(clock())
      const values = { confirmed_at: now, last_used_at: now, last_step: step }
      const { codes, operations } = this.#newCodes(user, recovery)
      const confirmation: Operation = { kind: 'update', table: FACTORS, id: record.id, values, expect: record }
      await this.#commitEnding(user, keptSession, [confirmation, ...operations])
      return codes
    }
    return undefined
  }

  /** Makes new recovery codes, which replace the former ones. */
  async renewCodes(user: StoredRecord): Promise<readonly string[]> {
    const { recovery } = await this.of(user.id)
    const { codes, operations } = this.#newCodes(user, recovery)
    await this.#commit(operations)
    return codes
  }

  /** Removes an authenticator; with the last one, the recovery codes. All other sessions of the user end. */
  async remove(user: StoredRecord, factor: StoredRecord, keptSession: string | undefined): Promise<void> {
    const { authenticators, recovery } = await this.of(user.id)
    const isLast = authenticators.every(({ id }) => id === factor.id)
    const removed = isLast ? [factor, ...recovery] : [factor]
    const removals = removed.map(({ id }) => removal(FACTORS, id))
    await this.#commitEnding(user, keptSession, removals)
  }

  /**
   * Removes all factors of a user who has lost them. All sessions of the user end.
   *
   * @returns the number of removed authenticators
   */
  async reset(user: StoredRecord): Promise<number> {
    const { authenticators, pending, recovery } = await this.of(user.id)
    const removals = [...authenticators, ...pending, ...recovery].map(({ id }) => removal(FACTORS, id))
    if (removals.length > 0) await this.#commit([...removals, ...(await this.#endings(user, undefined))])
    await this.#parts.lockout.forgive(accountOf(user))
    return authenticators.length
  }

  /** Seals all secrets with the present key that a former one has sealed. */
  async reseal(): Promise<void> {
    const { store, records } = this.#parts
    const filters: FieldFilter[] = [{ field: 'kind', operator: 'eq', value: 'totp' }]
    const { records: found } = await store.find(FACTORS, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })
    for (const record of found) {
      const secret = this.#secrets.resealed(record)
      if (secret !== undefined)
        await records.commitInternal([{ kind: 'update', table: FACTORS, id: record.id, values: { secret }, expect: record }])
    }
  }

  async #use(user: StoredRecord, otp: string, known: UserFactors, client: LoginClient | undefined): Promise<FactorUse> {
    const use = await this.#spend(user, otp, known)
    if (use.method === undefined) this.#parts.events.note('login_failed', { user, client, method: 'second_factor' })
    if (use.method === 'recovery') this.#parts.events.note('recovery_code_used', { user, client })
    return use
  }

  async #spend(user: StoredRecord, otp: string, known: UserFactors): Promise<FactorUse> {
    const { lockout, records } = this.#parts
    const account = accountOf(user)
    for (let attempt = 0; attempt < MAX_REPETITIONS; attempt++) {
      const found = await this.#match(user, otp, attempt === 0 ? known : await this.of(user.id))
      const isLocked = found === undefined && (await lockout.locks(account))
      // Counted after the comparison, and a right code is not spent while the account is locked.
      const isAdmitted = await lockout.admit(account, found !== undefined)
      if (found === undefined) return isLocked ? LOCKED : WRONG_USE
      if (!isAdmitted) return LOCKED
      const { record, values, method } = found
      // Of several requests with one code, also on several processes, the first commits.
      const spent = await records.commitInternal([{ kind: 'update', table: FACTORS, id: record.id, values, expect: record }])
      if (spent.ok) return { method }
    }
    return WRONG_USE
  }

  /** The factor that a code belongs to, and what its use changes. */
  async #match(
    user: StoredRecord,
    otp: string,
    { authenticators, recovery }: UserFactors,
  ): Promise<{ record: StoredRecord; values: JsonObject; method: FactorMethod } | undefined> {
    const last_used_at = isoTime(this.#parts.clock())
    const code = recoveryCodeIn(otp)
    if (code !== undefined) {
      const hash = hashOf(user, code)
      const record = recovery.find((each) => hashesIn(each).includes(hash))
      const codes = record === undefined ? [] : hashesIn(record).filter((each) => each !== hash)
      return record && { record, values: { codes, last_used_at }, method: 'recovery' }
    }
    for (const record of authenticators) {
      const step = await this.#secrets.stepIn(record, otp)
      if (step === undefined || step <= stepOf(record)) continue
      const secret = this.#secrets.resealed(record)
      const values = { last_step: step, last_used_at, ...(secret === undefined ? {} : { secret }) }
      return { record, values, method: 'totp' }
    }
    return undefined
  }

  #newCodes(user: StoredRecord, former: readonly StoredRecord[]): { codes: readonly string[]; operations: readonly Operation[] } {
    const codes = Array.from({ length: RECOVERY_CODES }, () => makeRecoveryCode(this.#parts.random))
    const hashes = codes.map((code) => hashOf(user, recoveryCodeIn(code) ?? ''))
    const values = { user_id: user.id, kind: 'recovery', codes: hashes, created_at: isoTime(this.#parts.clock()) }
    return {
      codes,
      operations: [{ kind: 'insert', table: FACTORS, values }, ...former.map(({ id }) => removal(FACTORS, id))],
    }
  }

  /**
   * Commits a change of the factors and ends the sessions of the user, but for one. A login that has read the former factors may begin its session
   * after the sessions were read and before the commit, so they are read again: it is found here, or finds the change by `isCurrent`.
   */
  async #commitEnding(user: StoredRecord, keptSession: string | undefined, operations: readonly Operation[]): Promise<void> {
    await this.#commit([...operations, ...(await this.#endings(user, keptSession))])
    for (let attempt = 0; attempt < MAX_REPETITIONS; attempt++) {
      const late = await this.#endings(user, keptSession)
      if (late.length === 0 || (await this.#parts.records.commitInternal(late)).ok) return
    }
  }

  /** The removals of the sessions of a user, but for one. */
  async #endings(user: StoredRecord, keptSession: string | undefined): Promise<readonly Operation[]> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'eq', value: user.id }]
    const page = { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY }
    const { records } = await this.#parts.store.find(SESSIONS, page)
    return records.filter(({ family }) => family !== keptSession).map(({ id }) => removal(SESSIONS, id))
  }

  async #commit(operations: readonly Operation[]): Promise<void> {
    const outcome = await this.#parts.records.commitInternal(operations)
    if (!outcome.ok) throw overtaken()
    this.#parts.onChange()
  }
}

const MISSING = { refusal: 'second_factor_missing' } as const satisfies FactorUse
const WRONG_USE = { refusal: 'second_factor_wrong' } as const satisfies FactorUse
const LOCKED = { refusal: 'account_locked' } as const satisfies FactorUse

/** The hashes of the recovery codes that are left. */
export const codesOf = ({ recovery }: UserFactors): readonly string[] => recovery.flatMap(hashesIn)

const hashesIn = ({ codes }: StoredRecord): string[] => (Array.isArray(codes) ? codes.map(String) : [])

/** Recovery codes have 80 random bits, so a plain hash suffices. It is good for one account only. */
const hashOf = ({ id }: StoredRecord, code: string): string => createHash('sha256').update(`${id} ${code}`).digest('base64url')

/** The error of what has to wait until a second factor is set up. */
export const enrolmentNeeded = (): AppError =>
  new AppError('FORBIDDEN', 'The settings require a second factor; set one up with POST /auth/factors/totp', {
    members: { second_factor: { enrol: true } },
  })

const accountOf = ({ id }: StoredRecord): string => String(id)

const removal = (table: string, id: number): Operation => ({ kind: 'remove', table, id })

const overtaken = (): AppError =>
  new AppError('WRITE_CONFLICT', 'The second factors or sessions of the account have changed meanwhile; send the request again')
