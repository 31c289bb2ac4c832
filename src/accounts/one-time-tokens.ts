import { createHash } from 'node:crypto'
import { ONE_TIME_TOKENS } from '../auth/token-models.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, DAY_MS, isoTime, type Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import type { JsonObject } from '../util/json.ts'
import { PeriodicTask } from '../util/periodic-task.ts'

/** What a token is for. A token of one kind is good for no other. */
export type LinkKind = 'reset' | 'invitation' | 'email'

/** The kind of what is noted as used, which no link has. */
const USED = 'used'

/** How long a token is good, in milliseconds. */
const LIFETIMES: Readonly<Record<LinkKind, number>> = { reset: 30 * 60_000, invitation: 7 * DAY_MS, email: DAY_MS }

/** Interval of removing expired tokens, in milliseconds. */
const PRUNE_MS = 600_000
/** Operations of a transaction. */
const BATCH = 500

interface OneTimeTokenParts {
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  readonly clock: Clock
  readonly timer: Timer
  readonly random: Random
  readonly log: Log
}

/** A token to be stored. */
export interface NewToken {
  /** For the link. It is not stored. */
  readonly token: string
  readonly expiresAt: string
  readonly operation: Operation
}

/** Tokens of links, 256 random bits each, of which the SHA-256 is stored; and what else is used once. */
export class OneTimeTokens {
  /** Spends the token that a write names with the write, or refuses both: of several at once, one succeeds. */
  readonly hooks: WriteHooks = {
    inTransaction: async (transaction) => {
      const { spentToken: id, dryRun } = transaction.write.options ?? {}
      if (id === undefined || dryRun === true) return
      const [token] = await this.#parts.store.get(ONE_TIME_TOKENS, [id])
      if (token === undefined) throw refusedToken()
      transaction.operations = [...transaction.operations, spending(token)]
    },
  }
  readonly #parts: OneTimeTokenParts
  readonly #pruning: PeriodicTask

  constructor(parts: OneTimeTokenParts) {
    this.#parts = parts
    const { timer, log } = parts
    const onError = (error: unknown) => log.error('Expired links could not be removed', { error })
    this.#pruning = new PeriodicTask(() => this.#prune(), { timer, intervalMs: PRUNE_MS, onError })
  }

  /** Makes a token, which is good once its operation is committed. @param user whose it is; none for an invitation */
  create(kind: LinkKind, user: StoredRecord | undefined, data: JsonObject = {}): NewToken {
    const { clock, random } = this.#parts
    const token = random(32).toString('base64url')
    const now = clock()
    const expiresAt = isoTime(now + LIFETIMES[kind])
    const values = {
      ...{ user_id: user?.id ?? null, kind, hash: hashOf(token), expires_at: expiresAt, data },
      ...{ mark: user === undefined ? null : markOf(user), created_at: isoTime(now), updated_at: isoTime(now) },
    }
    return { token, expiresAt, operation: { kind: 'insert', table: ONE_TIME_TOKENS, values } }
  }

  /**
   * The stored token of a link.
   *
   * @throws {AppError} VALIDATION_FAILED for a token that is unknown, spent, expired or of another kind
   */
  async find(kind: LinkKind, token: string): Promise<StoredRecord> {
    const filters: FieldFilter[] = [{ field: 'hash', operator: 'eq', value: hashOf(token) }]
    const plan = { filters, sort: [], offset: 0, limit: 1 }
    const [found] = (await this.#parts.store.find(ONE_TIME_TOKENS, plan, { withoutTotal: true })).records
    if (found === undefined || found.kind !== kind || !this.#isOpen(found)) throw refusedToken()
    return found
  }

  /**
   * The active user of a token whose password and address have not changed since.
   *
   * @throws {AppError} VALIDATION_FAILED
   */
  async userOf(token: StoredRecord): Promise<StoredRecord> {
    const [user] = await this.#parts.store.get('user', [Number(token.user_id)])
    if (user?.is_active !== true || token.mark !== markOf(user)) throw refusedToken()
    return user
  }

  /** The open tokens of a kind, latest first, of a user or of all. */
  async open(kind: LinkKind, userId?: number): Promise<readonly StoredRecord[]> {
    const filters: FieldFilter[] = [
      userId === undefined ? { field: 'kind', operator: 'eq', value: kind } : { field: 'user_id', operator: 'eq', value: userId },
      { field: 'expires_at', operator: 'gt', value: isoTime(this.#parts.clock()) },
    ]
    const plan = { filters, sort: [{ field: 'id', order: 'desc' }] as const, offset: 0, limit: 1000 }
    return (await this.#parts.store.find(ONE_TIME_TOKENS, plan)).records.filter((token) => token.kind === kind)
  }

  /** Stores a token with other operations. */
  async store({ operation }: NewToken, others: readonly Operation[] = []): Promise<StoredRecord | undefined> {
    const outcome = await this.#parts.records.commitInternal([operation, ...others])
    return outcome.ok ? outcome.records[0] : undefined
  }

  /** Spends a token without a write. @returns false if it is spent already */
  async spend(token: StoredRecord, others: readonly Operation[] = []): Promise<boolean> {
    return (await this.#parts.records.commitInternal([spending(token), ...others])).ok
  }

  /**
   * Notes that something with a name was used, so that it is used once: over all processes, and after a restart.
   *
   * @param name random
   * @param end when it expires by itself, in milliseconds
   * @returns false if it was used before
   */
  async use(name: string, end: number): Promise<boolean> {
    const now = isoTime(this.#parts.clock())
    const values = { kind: USED, hash: hashOfUsed(name), expires_at: isoTime(end), created_at: now, updated_at: now }
    return (await this.#parts.records.commitInternal([{ kind: 'insert', table: ONE_TIME_TOKENS, values }])).ok
  }

  /** True if something with a name was used. */
  async isUsed(name: string): Promise<boolean> {
    const filters: FieldFilter[] = [{ field: 'hash', operator: 'eq', value: hashOfUsed(name) }]
    const plan = { filters, sort: [], offset: 0, limit: 1 }
    return (await this.#parts.store.find(ONE_TIME_TOKENS, plan, { withoutTotal: true })).records.length > 0
  }

  async begin(): Promise<void> {
    await this.#pruning.start()
  }

  stop(): void {
    this.#pruning.stop()
  }

  #isOpen({ expires_at: end }: StoredRecord): boolean {
    return String(end) > isoTime(this.#parts.clock())
  }

  async #prune(): Promise<void> {
    const { store, records, clock } = this.#parts
    const filters: FieldFilter[] = [{ field: 'expires_at', operator: 'lt', value: isoTime(clock()) }]
    for (;;) {
      const { records: old } = await store.find(ONE_TIME_TOKENS, { filters, sort: [], offset: 0, limit: BATCH })
      if (old.length > 0) await records.commitInternal(old.map(({ id }) => ({ kind: 'remove', table: ONE_TIME_TOKENS, id })))
      if (old.length < BATCH) return
    }
  }
}

/** Removes a token if it is still there. */
const spending = (token: StoredRecord): Operation => ({ kind: 'remove', table: ONE_TIME_TOKENS, id: token.id, expect: token })

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

const hashOfUsed = (name: string): string => hashOf(`used ${name}`)

const markOf = ({ password, email }: StoredRecord): string => hashOf(JSON.stringify([password ?? null, email]))

/** The error of a link whose token could not be stored. */
export const notStored = (): AppError =>
  new AppError('WRITE_CONFLICT', 'The account has just been changed; send the request again')

/** The error of every token that is not good, or not any more. */
export const refusedToken = (): AppError =>
  new AppError('VALIDATION_FAILED', {
    token: ['token is not valid: the link was used, has expired, or a newer change replaced it'],
  })
