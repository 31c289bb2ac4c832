import { AppError } from '../errors.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { isoTime } from '../util/clock.ts'
import { groupBy } from '../util/json.ts'
import { deliveriesOf, messageOfEvent, pendingOf, updatePending } from './event-records.ts'
import { healthAfter, type ReceiverHealth } from './health.ts'
import type { Message } from './messages.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from './models.ts'
import type { Attempt, AttemptResult, DisableReason, Outbox, Receiver } from './outbox.ts'
import type { ScheduledJob } from './queue.ts'
import type { RetrySchedule } from './retries.ts'
import { receiverHealthOf, type Subscriptions } from './subscriptions.ts'

/** Maximum number of attempts of a transaction that conflicts with other writes. */
const MAX_RETRIES = 100

export interface OutboxParts extends ResultParts {
  readonly records: Records
  /** False for a receiver that this process may not send to at present. */
  readonly maySend: (receiver: number) => boolean
}

/** The outbox in the store: events, their pending receivers, and delivery records. */
export class StoredOutbox implements Outbox {
  readonly #parts: OutboxParts

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  async message(event: number): Promise<Message | undefined> {
    const [found] = await this.#parts.store.get(EVENTS, [event])
    return found && messageOfEvent(found)
  }

  receiver(id: number): Receiver | undefined {
    return this.#parts.maySend(id) ? this.#parts.subscriptions.receiver(id) : undefined
  }

  async pendingJobs(receiver: number): Promise<ScheduledJob[]> {
    const { store } = this.#parts
    const attempted = new Map<number, Omit<ScheduledJob, 'event'>>()
    const deliveries: FieldFilter[] = [
      { field: 'subscription_id', operator: 'eq', value: receiver },
      { field: 'status', operator: 'eq', value: 'pending' },
    ]
    // A dead receiver may have very many events; in memory there are their ids, and the data of one batch.
    for await (const batch of store.stream(DELIVERIES, { filters: deliveries, sort: [] })) {
      for (const { event_id: event, tries, next_attempt_at: due } of batch)
        attempted.set(Number(event), { tries: Number(tries), due: typeof due === 'string' ? Date.parse(due) : 0 })
    }
    const jobs: ScheduledJob[] = []
    const events: FieldFilter[] = [{ field: 'pending', operator: 'eq', value: receiver }]
    for await (const batch of store.stream(EVENTS, { filters: events, sort: [] })) {
      for (const { id: event } of batch) jobs.push({ event, ...(attempted.get(event) ?? { tries: 0, due: 0 }) })
    }
    return jobs
  }

  /** Number of pending deliveries of one receiver. */
  async pendingOf(receiver: number): Promise<number> {
    const filters: FieldFilter[] = [{ field: 'pending', operator: 'eq', value: receiver }]
    return (await this.#parts.store.find(EVENTS, { filters, sort: [], offset: 0, limit: 1 })).total
  }

  async store(results: readonly AttemptResult[]): Promise<void> {
    await this.#retryConflicts(() => resultOperations(results, this.#parts))
  }

  async disable(receiver: number, reason: DisableReason): Promise<void> {
    if (this.#parts.subscriptions.get(receiver) === undefined) return
    await this.#parts.subscriptions.update(receiver, { active: false, disabled_by: reason })
  }

  /**
   * Makes a delivery pending again.
   *
   * @returns false if the delivery, its event or its subscription no longer exists
   */
  async reopen(delivery: number): Promise<boolean> {
    const { store, subscriptions } = this.#parts
    let exists = false
    await this.#retryConflicts(async () => {
      exists = false
      const [found] = await store.get(DELIVERIES, [delivery])
      if (found === undefined) return []
      const [event] = await store.get(EVENTS, [Number(found.event_id)])
      const receiver = Number(found.subscription_id)
      // A subscription that is being deleted must not receive the event again.
      if (event === undefined || subscriptions.get(receiver) === undefined) return []
      exists = true
      const pending = [...new Set([...pendingOf(event), receiver])]
      const values = { status: 'pending', tries: 0, next_attempt_at: null }
      return [updatePending(event, pending), { kind: 'update', table: DELIVERIES, id: delivery, values }]
    })
    return exists
  }

  /** Commits operations that were derived from stored records; repeats that if the records change meanwhile. */
  async #retryConflicts(derive: () => Promise<Operation[]>): Promise<void> {
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      const operations = await derive()
      if (operations.length === 0) return
      const outcome = await this.#parts.records.commitInternal(operations)
      if (!outcome.ok) continue
      this.#parts.subscriptions.refresh(
        outcome.changes.flatMap(({ table, after }) => (table === SUBSCRIPTIONS && after !== undefined ? [after] : [])),
      )
      return
    }
    throw new AppError('WRITE_CONFLICT', 'Deliveries keep changing while they are stored; try again')
  }
}

/** Maximum number of stored attempts of a delivery; the latest are kept. */
const MAX_STORED_ATTEMPTS = 20

interface ResultParts {
  readonly store: Store
  readonly subscriptions: Subscriptions
  readonly schedule: RetrySchedule
}

/**
 * Operations that store the results of attempts: delivery records, the pending receivers of events, and the health of
 * subscriptions.
 */
async function resultOperations(
  results: readonly AttemptResult[],
  { store, subscriptions, schedule }: ResultParts,
): Promise<Operation[]> {
  const byEvent = groupBy(results, ({ event }) => event)
  const ids = [...byEvent.keys()]
  const events = (await store.get(EVENTS, ids)).filter((event) => event !== undefined)
  const known = await deliveriesOf(store, ids)
  const operations: Operation[] = []
  for (const event of events) {
    const ofEvent = (byEvent.get(event.id) ?? []).filter(({ receiver }) => subscriptions.get(receiver) !== undefined)
    const pending = new Set(pendingOf(event))
    for (const [receiver, each] of groupBy(ofEvent, (result) => result.receiver)) {
      const before = known.get(event.id)?.find(({ subscription_id: id }) => id === receiver)
      operations.push(deliveryOperation(event.id, receiver, each, before))
      // A redelivery is pending although an earlier attempt succeeded.
      if (each.at(-1)?.status === 'pending') pending.add(receiver)
      else pending.delete(receiver)
    }
    if (hasChanged(pending, pendingOf(event))) operations.push(updatePending(event, [...pending]))
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

const hasChanged = (now: ReadonlySet<number>, before: readonly number[]): boolean =>
  now.size !== before.length || before.some((id) => !now.has(id))

function deliveryOperation(
  event: number,
  receiver: number,
  results: readonly AttemptResult[],
  before: StoredRecord | undefined,
): Operation {
  const last = results.at(-1)
  const attempts = [...((before?.attempts ?? []) as readonly object[]), ...results.map(({ attempt }) => presentAttempt(attempt))]
  const values = {
    status: last?.status ?? 'pending',
    tries: last?.tries ?? 0,
    attempts: attempts.slice(-MAX_STORED_ATTEMPTS) as ReturnType<typeof presentAttempt>[],
    response: last?.attempt.text ?? '',
    next_attempt_at: last?.due === undefined ? null : isoTime(last.due),
  }
  if (before !== undefined) return { kind: 'update', table: DELIVERIES, id: before.id, values }
  return { kind: 'insert', table: DELIVERIES, values: { event_id: event, subscription_id: receiver, ...values } }
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
