import { setImmediate } from 'node:timers/promises'
import { ACCOUNT_EVENTS } from '../auth/event-models.ts'
import { type Actor, forbidden, noSuchRecord, SHELL, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { type PageRequest, sliceOf } from '../query/plan.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, DAY_MS, isoTime, type Timer } from '../util/clock.ts'
import type { JsonObject } from '../util/json.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { type LoginClient, MAX_USER_AGENT } from './sessions.ts'

/** What the log of an account can say. */
export const ACCOUNT_EVENT_NAMES = [
  ...(['login', 'login_failed', 'logout', 'session_ended', 'confirmed'] as const),
  ...(['password_changed', 'password_reset_requested', 'password_reset'] as const),
  ...(['email_changed', 'email_verified', 'invited', 'invitation_accepted'] as const),
  ...(['key_created', 'key_revoked', 'factor_added', 'factor_removed'] as const),
  ...(['recovery_codes_created', 'recovery_code_used', 'identity_linked', 'identity_unlinked'] as const),
] as const

export type AccountEventName = (typeof ACCOUNT_EVENT_NAMES)[number]

/** The circumstances of an event. */
export interface EventDetails {
  readonly user: { readonly id: number }
  /** Undefined for events that no request of the user has caused. */
  readonly client?: LoginClient | undefined
  /** How, such as `password` or `oidc`. */
  readonly method?: string | undefined
  /** Id of the session. */
  readonly session?: number | undefined
  /** How many times at once; 1 by default. */
  readonly count?: number | undefined
}

/** An event as the API returns it. */
export interface ShownEvent {
  readonly id: number
  readonly event: string
  readonly at: string
  readonly user: { readonly id: number; readonly username: string }
  readonly address: string | null
  readonly user_agent: string | null
  readonly method: string | null
  readonly session: number | null
  readonly request_id: string | null
  readonly count: number
}

/** By whom an event of a user was caused, for its details. Only the user's own requests have an address, since the user reads the log. */
export function actedBy(actor: Actor, userId: number, client: LoginClient | undefined): Pick<EventDetails, 'client' | 'method'> {
  if (actor.userId === userId) return { client }
  return { client: { requestId: client?.requestId }, method: actor.userId === undefined ? 'shell' : 'other_user' }
}

/** Which events to list. */
export interface EventSelection {
  readonly userId?: number | undefined
  /** Those of all users, for superusers. */
  readonly all?: boolean
}

/** Events that clients without a login can cause. Those of a minute from one address are one entry. */
const FAILURES: ReadonlySet<AccountEventName> = new Set(['login_failed', 'password_reset_requested'])

/** Time for which events wait, so that many are stored in one transaction, in milliseconds. */
const WAIT_MS = 250
const MINUTE_MS = 60_000
/** Maximum number of addresses that the failures of an account in a minute are told by; those of further ones are one entry. */
const MAX_ADDRESSES = 20
/** Maximum number of entries of failures in a minute, of all accounts. Further failures are counted in the log of the server only. */
const MAX_A_MINUTE = 1000
/** Maximum number of entries of failures that are kept, of all accounts. */
const MAX_FAILURES = 50_000
/** Maximum number of events that wait to be stored. */
const MAX_PENDING = 10_000
/** Operations of a transaction. */
const BATCH = 500
/** Interval of removing old entries, in milliseconds. */
const PRUNE_MS = 600_000

interface AccountEventParts {
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
  /** Days for which entries are kept. */
  readonly days: number
  readonly limits?: Partial<typeof LIMITS>
}

const LIMITS = { addresses: MAX_ADDRESSES, aMinute: MAX_A_MINUTE, failures: MAX_FAILURES, pending: MAX_PENDING }

/**
 * The log of accounts: what has happened to each, for its user. Events are stored shortly after they have happened, many in one transaction, so
 * that no login waits for them; a stop of the server stores those that wait.
 *
 * A flood of failures makes few entries: they are counted by account, minute and address, of a limited number of addresses.
 */
export class AccountEvents {
  readonly #parts: AccountEventParts
  readonly #limits: typeof LIMITS
  readonly #pruning: PeriodicTask
  /** Entries to be stored; those of failures by their series. */
  #pending = new Map<string, JsonObject>()
  #number = 0
  #cancel: (() => void) | undefined
  #storing: Promise<void> = Promise.resolve()
  /** The series of failures of the present minute, and their addresses by user. */
  #minute = { start: 0, series: new Set<string>(), addresses: new Map<number, Set<string>>() }
  #dropped = 0

  constructor(parts: AccountEventParts) {
    this.#parts = parts
    this.#limits = { ...LIMITS, ...parts.limits }
    const { timer, log } = parts
    const onError = (error: unknown) => log.error('Old entries of the log of accounts could not be removed', { error })
    this.#pruning = new PeriodicTask(() => this.#prune(), { timer, intervalMs: PRUNE_MS, onError })
  }

  /** Writes an event, soon. Never fails. To be called after what has happened was stored, for users that exist only. */
  note(event: AccountEventName, { user, client, method, session, count = 1 }: EventDetails): void {
    const now = this.#parts.clock()
    const entry = {
      ...{ user_id: user.id, event, at: isoTime(now), count, method: method ?? null, session: session ?? null },
      ...{ address: client?.address ?? null, user_agent: client?.userAgent?.slice(0, MAX_USER_AGENT) || null },
      request_id: client?.requestId ?? null,
    }
    if (FAILURES.has(event)) this.#noteFailure(entry, now)
    else this.#add(`${this.#number++}`, { ...entry, series: null })
  }

  /** Stores the events that wait. */
  async flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const entries = [...this.#pending.values()]
    this.#pending = new Map()
    if (entries.length > 0) this.#storing = this.#storing.then(() => this.#store(entries))
    await this.#storing
  }

  /** Removes old entries from now on. */
  async begin(): Promise<void> {
    await this.#pruning.start()
  }

  async stop(): Promise<void> {
    this.#pruning.stop()
    await this.flush()
  }

  /**
   * A page of the log, latest first: the own one, or those of others for superusers.
   *
   * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
   */
  async list(
    actor: Actor,
    page: PageRequest,
    { userId, all = actor === SHELL && userId === undefined }: EventSelection,
  ): Promise<{ readonly data: readonly ShownEvent[]; readonly total: number }> {
    const isOther = all || (userId !== undefined && userId !== actor.userId)
    if (isOther) superusersOnly(actor)
    const id = userId ?? actor.userId
    if (!all && id === undefined) throw forbidden(actor)
    const { store } = this.#parts
    if (!all && id !== undefined && (await store.get('user', [id]))[0] === undefined) {
      throw new AppError('RECORD_NOT_FOUND', noSuchRecord({ name: 'User' }, id))
    }
    await this.flush()
    const filters = all || id === undefined ? [] : [{ field: 'user_id', operator: 'eq', value: id } as const]
    const { records, total } = await store.find(ACCOUNT_EVENTS, { filters, sort: LATEST_FIRST, ...sliceOf(page) })
    const ids = [...new Set(records.map((entry) => Number(entry.user_id)))]
    const names = new Map(
      (await store.get('user', ids)).flatMap((user) => (user === undefined ? [] : [[user.id, user.username]])),
    )
    return { data: records.map((entry) => shown(entry, String(names.get(Number(entry.user_id)) ?? ''))), total }
  }

  #noteFailure(entry: JsonObject & { readonly user_id: number }, now: number): void {
    const start = now - (now % MINUTE_MS)
    if (this.#minute.start !== start) this.#minute = { start, series: new Set(), addresses: new Map() }
    const { series: known, addresses } = this.#minute
    const ofUser = addresses.get(entry.user_id) ?? new Set()
    addresses.set(entry.user_id, ofUser)
    const given = String(entry.address ?? '')
    const isTold = ofUser.has(given) || ofUser.size < this.#limits.addresses
    const series = [entry.user_id, entry.event, isoTime(start), isTold ? given : '*'].join(' ')
    if (!known.has(series) && known.size >= this.#limits.aMinute) {
      this.#drop()
      return
    }
    if (isTold) ofUser.add(given)
    known.add(series)
    const former = this.#pending.get(series)
    if (former === undefined) {
      this.#add(series, { ...entry, series, ...(isTold ? {} : { address: null, user_agent: null, request_id: null }) })
    } else this.#pending.set(series, { ...former, count: Number(former.count) + Number(entry.count) })
  }

  #add(key: string, entry: JsonObject): void {
    if (this.#pending.size >= this.#limits.pending) {
      this.#drop()
      return
    }
    this.#pending.set(key, entry)
    this.#cancel ??= this.#parts.timer(WAIT_MS, () => void this.flush())
  }

  #drop(): void {
    if (this.#dropped++ === 0) this.#parts.timer(MINUTE_MS, () => this.#tellOfDropped())
  }

  #tellOfDropped(): void {
    this.#parts.log.warn('Events were left out of the log of accounts: there were too many', { events: this.#dropped })
    this.#dropped = 0
  }

  /** Stores entries. What cannot be stored is logged, and lost: an account may have been deleted meanwhile. */
  async #store(entries: readonly JsonObject[]): Promise<void> {
    try {
      for (let from = 0; from < entries.length; from += BATCH) {
        const batch = entries.slice(from, from + BATCH)
        if (await this.#commit(batch)) continue
        // An account was deleted, or another process has counted the same failures.
        for (const entry of batch) if (!(await this.#commit([entry]))) await this.#commit([entry])
      }
    } catch (error) {
      this.#parts.log.error('Events of accounts could not be stored', { error, events: entries.length })
    }
  }

  async #commit(entries: readonly JsonObject[]): Promise<boolean> {
    const { store, records } = this.#parts
    const series = entries.flatMap((entry) => (typeof entry.series === 'string' ? [entry.series] : []))
    const plan = { filters: [{ field: 'series', operator: 'in', values: series } as const], sort: [], offset: 0, limit: BATCH }
    const found = series.length === 0 ? [] : (await store.find(ACCOUNT_EVENTS, plan, { withoutTotal: true })).records
    const known = new Map(found.map((record) => [record.series, record]))
    const operations = entries.map((entry): Operation => {
      const record = typeof entry.series === 'string' ? known.get(entry.series) : undefined
      if (record === undefined) return { kind: 'insert', table: ACCOUNT_EVENTS, values: entry }
      const values = { count: Number(record.count) + Number(entry.count) }
      return { kind: 'update', table: ACCOUNT_EVENTS, id: record.id, values, expect: record }
    })
    return (await records.commitInternal(operations)).ok
  }

  /** Removes entries that are too old, and the oldest ones of too many failures. Entries are nearly in the order of time. */
  async #prune(): Promise<void> {
    const { store, clock, days } = this.#parts
    const before = isoTime(clock() - days * DAY_MS)
    for (;;) {
      const { records: oldest } = await store.find(ACCOUNT_EVENTS, OLDEST, { withoutTotal: true })
      const old = oldest.filter(({ at }) => String(at) < before)
      await this.#remove(old)
      if (old.length < BATCH) break
      await setImmediate()
    }
    const filters = [{ field: 'event', operator: 'in', values: [...FAILURES] } as const]
    for (;;) {
      const { records, total } = await store.find(ACCOUNT_EVENTS, { ...OLDEST, filters })
      const surplus = Math.max(0, total - this.#limits.failures)
      await this.#remove(records.slice(0, surplus))
      if (surplus <= BATCH) return
      await setImmediate()
    }
  }

  async #remove(entries: readonly StoredRecord[]): Promise<void> {
    if (entries.length === 0) return
    await this.#parts.records.commitInternal(entries.map(({ id }) => ({ kind: 'remove', table: ACCOUNT_EVENTS, id })))
  }
}

const LATEST_FIRST = [{ field: 'id', order: 'desc' }] as const
const OLDEST = { filters: [], sort: [{ field: 'id', order: 'asc' }], offset: 0, limit: BATCH } as const

function shown(entry: StoredRecord, username: string): ShownEvent {
  const { id, event, at, user_id, address, user_agent, method, session, request_id, count } = entry
  return {
    ...{ id, event: String(event), at: String(at), user: { id: Number(user_id), username } },
    ...{ address: textOf(address), user_agent: textOf(user_agent), method: textOf(method) },
    ...{ session: typeof session === 'number' ? session : null, request_id: textOf(request_id), count: Number(count) },
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * The hook that writes an event for each change of a password or an address, unless `isNoted` is set: then the caller writes it.
 *
 * @param tellFormer tells users, as they were before, that their address was replaced
 */
export const accountEventHooks = (
  events: AccountEvents,
  tellFormer: (users: readonly StoredRecord[]) => Promise<void>,
): WriteHooks => ({
  async afterCommit(changes, { actor, options }) {
    if (options?.isNoted === true) return
    const client = { requestId: options?.origin?.requestId }
    const former: StoredRecord[] = []
    for (const { table, id, before, after } of changes) {
      if (table !== 'user' || before === undefined || after === undefined) continue
      const details = { user: after, ...actedBy(actor, id, client) }
      if (before.password !== after.password) events.note('password_changed', details)
      if (before.email === after.email) continue
      events.note('email_changed', details)
      former.push(before)
    }
    await tellFormer(former)
  },
})
