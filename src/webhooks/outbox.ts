import { AppError } from '../errors.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { Registry } from '../model/registry.ts'
import type { FieldFilter, Filter } from '../query/plan.ts'
import type { DueRow } from '../queue/lane.ts'
import type { QueueTable, TakenRows } from '../queue/queue-work.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { groupBy } from '../util/json.ts'
import { deliveriesOf, findAll, recordMessageOf, withoutPending } from './event-records.ts'
import { healthAfter, type ReceiverHealth } from './health.ts'
import type { Message } from './messages.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from './models.ts'
import type { RetrySchedule } from './retries.ts'
import { receiverHealthOf, type Subscriptions } from './subscriptions.ts'

/** Maximum number of attempts of a transaction that conflicts with other writes. */
const MAX_RETRIES = 100
/** Maximum number of stored attempts of a delivery; the latest are kept. */
const MAX_STORED_ATTEMPTS = 20
/** Records that a read of the queue looks at together, and operations of a transaction. */
const PAGE = 100

/** A delivery that is due. Its id is that of the event, its key the record that the event concerns. */
export interface DueDelivery extends DueRow {
  /** Number of failed attempts since the message was sent, or sent again. */
  readonly tries: number
  readonly message: Message
}

/** One delivery attempt, for the log. */
export interface Attempt {
  /** Start of the attempt, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly status: number | undefined
  /** Duration in milliseconds. */
  readonly took: number
  readonly reason: string | undefined
  /** Beginning of the response body. */
  readonly text: string
}

/** Result of an attempt, and the state of the delivery after it. */
export interface AttemptResult {
  readonly receiver: number
  readonly event: number
  readonly attempt: Attempt
  readonly status: 'delivered' | 'failed' | 'pending'
  /** Number of failed attempts since the message was sent, or sent again. */
  readonly tries: number
  /** Time of the next attempt, if the delivery is still pending. */
  readonly due: number | undefined
}

/** Dependencies of the outbox. */
export interface OutboxParts {
  readonly store: Store
  readonly records: Records
  readonly subscriptions: Subscriptions
  readonly schedule: RetrySchedule
  readonly clock: Clock
  readonly registry: Registry
  readonly fileUrls: FileUrls
}

/**
 * The queue of deliveries in the store. A delivery is pending in one of two places: before its first attempt the event names the
 * receiver in `pending`; from the result of that on, its delivery record has the time of the next attempt.
 */
export class Outbox implements QueueTable<DueDelivery, AttemptResult> {
  readonly #parts: OutboxParts
  /** The results that the next transaction stores. */
  #next: { readonly results: AttemptResult[]; readonly stored: Promise<void> } | undefined
  #lastStored: Promise<void> = Promise.resolve()

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  /** True if a delivery to any of the receivers may be due. */
  async hasDue(receivers: readonly number[]): Promise<boolean> {
    const { store } = this.#parts
    const found = await Promise.all([
      findAll(store, EVENTS, [{ field: 'pending', operator: 'in', values: receivers }], { limit: 1 }),
      findAll(store, DELIVERIES, [{ field: 'subscription_id', operator: 'in', values: receivers }, this.#isDue], { limit: 1 }),
    ])
    return found.flat().length > 0
  }

  /**
   * The deliveries of a receiver that may be attempted now: retries first, then events in the order of their commits. A record's event
   * waits for the earlier ones of the record.
   *
   * @param inFlight the records of the attempts in flight, by event
   */
  async take(receiver: number, limit: number, inFlight: ReadonlyMap<number, string>): Promise<TakenRows<DueDelivery>> {
    const { store, clock, registry, fileUrls } = this.#parts
    const now = isoTime(clock())
    const isDue = ({ next_attempt_at: at }: StoredRecord) => String(at) <= now
    const rows: DueDelivery[] = []
    const add = (event: StoredRecord, tries: number) =>
      rows.push({ id: event.id, key: recordOf(event), tries, message: recordMessageOf(event, registry, fileUrls) })
    /** The records that have nothing more to send now. */
    const busy = new Set(inFlight.values())
    let hasRetries = false
    for (let isLast = false; !isLast && rows.length < limit; ) {
      const filters = [sentTo(receiver), IS_WAITING, ...notOf(busy)]
      const waiting = await findAll(store, DELIVERIES, filters, { sort: [{ field: 'next_attempt_at', order: 'asc' }], limit })
      hasRetries ||= waiting.length > 0
      const concerned = waiting.filter(isDue)
      const first = await this.#firstWaiting(receiver, concerned)
      const records = new Set(concerned.map(recordOf))
      const due = [...records].flatMap((record) => first.get(record) ?? []).filter(isDue)
      const events = await store.get(
        EVENTS,
        due.map(({ event_id: event }) => Number(event)),
      )
      for (const [index, event] of events.entries()) {
        if (event !== undefined && rows.length < limit) add(event, Number(due[index]?.tries))
      }
      const known = busy.size
      for (const record of records) busy.add(record)
      isLast = concerned.length < limit || busy.size === known
    }
    // Later events of these records are not read.
    let hasMore = inFlight.size > 0 || rows.length > 0
    for (let last = 0; rows.length < limit; ) {
      const filters = [pendingFor(receiver), { field: 'id', operator: 'gt', value: last } as const, ...notOf(busy)]
      const page = await findAll(store, EVENTS, filters, { limit: PAGE })
      const waiting = hasRetries ? await this.#firstWaiting(receiver, page) : undefined
      for (const event of page) {
        const record = recordOf(event)
        if (busy.has(record)) hasMore ||= waiting?.has(record) !== true
        else if (waiting?.has(record) !== true && rows.length < limit) add(event, 0)
        busy.add(record)
      }
      if (page.length < PAGE) break
      hasMore ||= rows.length > 0
      last = page.at(-1)?.id ?? last
    }
    return { rows, hasMore: hasMore || rows.length === limit }
  }

  /** The first delivery of each record that waits for a retry. */
  async #firstWaiting(receiver: number, concerned: readonly StoredRecord[]): Promise<Map<string, StoredRecord>> {
    const values = [...new Set(concerned.map(({ record_id: id }) => id ?? null))]
    const filters: Filter[] = [sentTo(receiver), IS_WAITING, { field: 'record_id', operator: 'in', values }]
    const first = new Map<string, StoredRecord>()
    if (values.length === 0) return first
    for (const delivery of await findAll(this.#parts.store, DELIVERIES, filters)) {
      const known = first.get(recordOf(delivery))
      if (known === undefined || Number(delivery.event_id) < Number(known.event_id)) first.set(recordOf(delivery), delivery)
    }
    return first
  }

  /** Number of pending deliveries of one receiver. */
  async pendingOf(receiver: number): Promise<number> {
    const waiting = [sentTo(receiver), IS_WAITING, { field: 'model', operator: 'isnull', value: false } as const]
    return (await this.#count(EVENTS, [pendingFor(receiver)])) + (await this.#count(DELIVERIES, waiting))
  }

  async #count(table: string, filters: readonly Filter[]): Promise<number> {
    return (await this.#parts.store.find(table, { filters, sort: [], offset: 0, limit: 1 })).total
  }

  get #isDue(): FieldFilter {
    return { field: 'next_attempt_at', operator: 'lte', value: isoTime(this.#parts.clock()) }
  }

  /** Stores the result of an attempt. Results that arrive while a transaction runs are stored by the next one. */
  store(result: AttemptResult): Promise<void> {
    const next = this.#next ?? this.#nextResults()
    this.#next = next
    next.results.push(result)
    return next.stored
  }

  #nextResults(): { readonly results: AttemptResult[]; readonly stored: Promise<void> } {
    const results: AttemptResult[] = []
    const stored = this.#lastStored.then(async () => {
      this.#next = undefined
      await this.#retryConflicts(() => resultOperations(results, this.#parts))
    })
    this.#lastStored = stored.catch(() => {})
    return { results, stored }
  }

  /**
   * Makes a delivery pending again, due now.
   *
   * @returns false if the delivery or its subscription no longer exists
   */
  async reopen(delivery: number): Promise<boolean> {
    const { store, subscriptions, clock } = this.#parts
    let exists = false
    await this.#retryConflicts(async () => {
      exists = false
      const [found] = await store.get(DELIVERIES, [delivery])
      if (found === undefined) return []
      const [event] = await store.get(EVENTS, [Number(found.event_id)])
      // A subscription that is being deleted must not receive the event again.
      if (event === undefined || subscriptions.get(Number(found.subscription_id)) === undefined) return []
      exists = true
      const values = { ...concerning(event), status: 'pending', tries: 0, next_attempt_at: isoTime(clock()) }
      return [{ kind: 'update', table: DELIVERIES, id: delivery, values, expect: found }]
    })
    return exists
  }

  /**
   * Takes over the pending deliveries of earlier versions, of which the event still names the receiver, and the record is not known. A
   * redelivery had no time.
   */
  async adopt(): Promise<void> {
    const { store, clock } = this.#parts
    const filters: FieldFilter[] = [
      { field: 'status', operator: 'eq', value: 'pending' },
      { field: 'model', operator: 'isnull', value: true },
    ]
    const adoptPage = async (): Promise<Operation[]> => {
      const deliveries = await findAll(store, DELIVERIES, filters, { limit: PAGE })
      const ofEvents = groupBy(deliveries, ({ event_id: event }) => Number(event))
      const events = await store.get(EVENTS, [...ofEvents.keys()])
      return events.flatMap((event): Operation[] => {
        if (event === undefined) return []
        const own = ofEvents.get(event.id) ?? []
        const receivers = new Set(own.map(({ subscription_id: id }) => Number(id)))
        return [
          ...withoutPending(event, receivers),
          ...own.map((delivery): Operation => {
            const values = { ...concerning(event), next_attempt_at: delivery.next_attempt_at ?? isoTime(clock()) }
            return { kind: 'update', table: DELIVERIES, id: delivery.id, values, expect: delivery }
          }),
        ]
      })
    }
    while (await this.#retryConflicts(adoptPage));
  }

  /**
   * Commits operations that were derived from stored records; repeats that if the records change meanwhile.
   *
   * @returns false if there was nothing to commit
   */
  async #retryConflicts(derive: () => Promise<Operation[]>): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      const operations = await derive()
      if (operations.length === 0) return false
      const outcome = await this.#parts.records.commitInternal(operations)
      if (!outcome.ok) continue
      this.#parts.subscriptions.refresh(
        outcome.changes.flatMap(({ table, after }) => (table === SUBSCRIPTIONS && after !== undefined ? [after] : [])),
      )
      return true
    }
    throw new AppError('WRITE_CONFLICT', 'Deliveries keep changing while they are stored; try again')
  }
}

const pendingFor = (receiver: number): FieldFilter => ({ field: 'pending', operator: 'eq', value: receiver })

const sentTo = (receiver: number): FieldFilter => ({ field: 'subscription_id', operator: 'eq', value: receiver })

/** A settled delivery has no time of a next attempt. */
const IS_WAITING: FieldFilter = { field: 'next_attempt_at', operator: 'isnull', value: false }

/** Leaves out some records, which `recordOf` names. */
function notOf(records: ReadonlySet<string>): Filter[] {
  const byModel = groupBy(
    [...records].map((record) => record.split(' ')),
    ([model]) => model ?? '',
  )
  return [...byModel].map(([model, each]) => {
    // The event of a test concerns no record.
    const values = each.map(([, id]) => (id === 'null' ? null : Number(id)))
    const all = [
      { field: 'model', operator: 'eq', value: model },
      { field: 'record_id', operator: 'in', values },
    ] as const
    return { not: { all } }
  })
}

/** The record that an event or a delivery concerns. */
const recordOf = ({ model, record_id: id }: StoredRecord): string => `${model} ${id}`

const concerning = ({ model, record_id }: StoredRecord) => ({ model: model ?? null, record_id: record_id ?? null })

/**
 * Operations that store the results of attempts: delivery records, the pending receivers of events, and the health of
 * subscriptions.
 */
async function resultOperations(
  results: readonly AttemptResult[],
  { store, subscriptions, schedule }: OutboxParts,
): Promise<Operation[]> {
  const byEvent = groupBy(results, ({ event }) => event)
  const ids = [...byEvent.keys()]
  const events = (await store.get(EVENTS, ids)).filter((event) => event !== undefined)
  const known = await deliveriesOf(store, ids)
  const operations: Operation[] = []
  for (const event of events) {
    const ofEvent = (byEvent.get(event.id) ?? []).filter(({ receiver }) => subscriptions.get(receiver) !== undefined)
    const byReceiver = groupBy(ofEvent, ({ receiver }) => receiver)
    for (const [receiver, each] of byReceiver) {
      const before = known.get(event.id)?.find(({ subscription_id: id }) => id === receiver)
      operations.push(deliveryOperation(event, receiver, each, before))
    }
    operations.push(...withoutPending(event, new Set(byReceiver.keys())))
  }
  // Tests do not count towards the health of a receiver, since they are expected to fail sometimes.
  const tests = new Set(events.filter(({ event }) => event === 'test').map(({ id }) => id))
  const ofRecords = results.filter(({ event }) => !tests.has(event))
  const byReceiver = groupBy(ofRecords, ({ receiver }) => receiver)
  // Read from the store, so that failures from before a subscription was enabled again do not count.
  for (const subscription of await store.get(SUBSCRIPTIONS, [...byReceiver.keys()])) {
    if (subscription === undefined || subscriptions.get(subscription.id) === undefined) continue
    operations.push(...healthOperations(subscription, byReceiver.get(subscription.id) ?? [], schedule.maxGap))
  }
  return operations
}

function deliveryOperation(
  event: StoredRecord,
  receiver: number,
  results: readonly AttemptResult[],
  before: StoredRecord | undefined,
): Operation {
  const last = results.at(-1)
  const attempts = [...((before?.attempts ?? []) as readonly object[]), ...results.map(({ attempt }) => presentAttempt(attempt))]
  const values = {
    ...concerning(event),
    status: last?.status ?? 'pending',
    tries: last?.tries ?? 0,
    attempts: attempts.slice(-MAX_STORED_ATTEMPTS) as ReturnType<typeof presentAttempt>[],
    response: last?.attempt.text ?? '',
    next_attempt_at: last?.due === undefined ? null : isoTime(last.due),
  }
  if (before !== undefined) return { kind: 'update', table: DELIVERIES, id: before.id, values }
  return { kind: 'insert', table: DELIVERIES, values: { event_id: event.id, subscription_id: receiver, ...values } }
}
const presentAttempt = ({ at, status, took, reason }: Attempt) => ({
  at: isoTime(at),
  status: status ?? null,
  ms: took,
  error: reason ?? null,
})

function healthOperations(subscription: StoredRecord, results: readonly AttemptResult[], maxGap: number): Operation[] {
  const before = receiverHealthOf(subscription)
  const after = results.reduce<ReceiverHealth>(
    (health, { attempt: { at }, status }) => healthAfter(health, { at, succeeded: status === 'delivered' }, maxGap),
    before,
  )
  if (after.failingSince === before.failingSince && after.lastFailure === before.lastFailure) return []
  const values = { failing_since: isoTimeOrNull(after.failingSince), last_failure_at: isoTimeOrNull(after.lastFailure) }
  return [{ kind: 'update', table: SUBSCRIPTIONS, id: subscription.id, values, expect: subscription }]
}

const isoTimeOrNull = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : isoTime(milliseconds)
