import type { FieldFilter } from '../query/plan.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { versionOf } from '../store/version.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { groupBy } from '../util/group.ts'
import type { EventName, Message } from '../webhooks/message.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from '../webhooks/models.ts'
import type { Attempt, DisableReason, Outbox, Receiver, Result } from '../webhooks/outbox.ts'
import type { Waiting } from '../webhooks/queue.ts'
import type { Records } from './records.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Of one delivery so many attempts are kept, the last ones. */
const MAX_ATTEMPTS_KEPT = 20
/** How often something is worked out anew because it changed meanwhile. */
const MAX_RETRIES = 100

export interface OutboxParts {
  readonly store: Store
  readonly records: Records
  readonly subscriptions: Subscriptions
  readonly clock: Clock
}

/** The outbox as the store has it: events, who has yet to be told of them, and what came of telling. */
export class StoredOutbox implements Outbox {
  readonly #parts: OutboxParts

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  async message(event: number): Promise<Message | undefined> {
    const [found] = await this.#parts.store.get(EVENTS, [event])
    return found && messageOf(found)
  }

  receiver(id: number): Receiver | undefined {
    return this.#parts.subscriptions.receiver(id)
  }

  async waiting(receiver: number): Promise<Waiting[]> {
    const tried = await this.#all(DELIVERIES, [
      { field: 'subscription_id', operator: 'eq', value: receiver },
      { field: 'status', operator: 'eq', value: 'pending' },
    ])
    const standing = new Map(tried.map((delivery) => [delivery.event_id, delivery]))
    const events = await this.#all(EVENTS, [{ field: 'pending', operator: 'eq', value: receiver }])
    return events.map(({ id: event }) => {
      const delivery = standing.get(event)
      const due = delivery?.next_attempt_at
      return { event, tries: Number(delivery?.tries ?? 0), due: typeof due === 'string' ? Date.parse(due) : 0 }
    })
  }

  /** How many deliveries are pending, for one receiver. */
  async pendingOf(receiver: number): Promise<number> {
    const filters: FieldFilter[] = [{ field: 'pending', operator: 'eq', value: receiver }]
    return (await this.#parts.store.find(EVENTS, { filters, sort: [], offset: 0, limit: 1 })).total
  }

  async keep(results: readonly Result[]): Promise<void> {
    await this.#untilCurrent(() => this.#operations(results))
  }

  async disable(receiver: number, reason: DisableReason): Promise<void> {
    if (this.#parts.subscriptions.get(receiver) === undefined) return
    await this.#parts.subscriptions.update(receiver, { active: false, disabled_by: reason })
  }

  /** Has an event delivered to a subscription again. */
  async reopen(delivery: StoredRecord): Promise<void> {
    const { id, event_id: eventId, subscription_id: receiver } = delivery
    await this.#untilCurrent(async () => {
      const [event] = await this.#parts.store.get(EVENTS, [Number(eventId)])
      if (event === undefined) return []
      const pending = [...new Set([...pendingOf(event), Number(receiver)])]
      const values = { status: 'pending', tries: 0, next_attempt_at: null }
      return [settle(event, pending), { kind: 'update', table: DELIVERIES, id, values }]
    })
  }

  /** Removes what is over: events that nobody is to be told of any more, with their deliveries, oldest first. */
  async prune({ deliveries, days }: { readonly deliveries: number; readonly days: number }): Promise<void> {
    const { store, records, clock } = this.#parts
    const { total } = await store.find(DELIVERIES, { filters: [], sort: [], offset: 0, limit: 1 })
    const oldest = isoTime(clock() - days * 86_400_000)
    let excess = total - deliveries
    for (let offset = 0; ; ) {
      const { records: events } = await store.find(EVENTS, { filters: [], sort: [], offset, limit: 500 })
      const counts = await this.#deliveriesOf(events.map(({ id }) => id))
      const removals: Operation[] = []
      for (const event of events) {
        if (excess <= 0 && String(event.timestamp) >= oldest) break
        if (pendingOf(event).length > 0) continue
        removals.push({ kind: 'remove', table: EVENTS, id: event.id, expect: versionOf(event) })
        excess -= counts.get(event.id)?.length ?? 0
      }
      // One that is to be told again meanwhile stays until the next time.
      if (removals.length > 0 && !(await records.keep(removals)).ok) return
      const last = events.at(-1)
      if (last === undefined || (excess <= 0 && String(last.timestamp) >= oldest)) return
      offset += events.length - removals.length
    }
  }

  async #operations(results: readonly Result[]): Promise<Operation[]> {
    const { store, subscriptions } = this.#parts
    const byEvent = groupBy(results, ({ event }) => event)
    const ids = [...byEvent.keys()]
    const events = (await store.get(EVENTS, ids)).filter((event) => event !== undefined)
    const known = await this.#deliveriesOf(ids)
    const operations: Operation[] = []
    for (const event of events) {
      const told = (byEvent.get(event.id) ?? []).filter(({ receiver }) => subscriptions.get(receiver) !== undefined)
      const byReceiver = groupBy(told, ({ receiver }) => receiver)
      for (const [receiver, each] of byReceiver) {
        const before = known.get(event.id)?.find(({ subscription_id: id }) => id === receiver)
        operations.push(deliveryOperation(event.id, receiver, each, before))
      }
      const settled = told.filter(({ status }) => status !== 'pending').map(({ receiver }) => receiver)
      const pending = pendingOf(event).filter((id) => !settled.includes(id))
      if (pending.length < pendingOf(event).length) operations.push(settle(event, pending))
    }
    return [...operations, ...this.#healthOperations(results)]
  }

  /** Since when a receiver fails, where that changes. */
  #healthOperations(results: readonly Result[]): Operation[] {
    const operations: Operation[] = []
    for (const [receiver, each] of groupBy(results, (result) => result.receiver)) {
      const subscription = this.#parts.subscriptions.get(receiver)
      if (subscription === undefined) continue
      const lastGood = each.findLastIndex(({ status }) => status === 'delivered')
      const firstBad = each[lastGood + 1]
      const before = lastGood === -1 ? (subscription.failing_since ?? null) : null
      const since = before ?? (firstBad === undefined ? null : isoTime(firstBad.attempt.at))
      if (since === (subscription.failing_since ?? null)) continue
      operations.push({ kind: 'update', table: SUBSCRIPTIONS, id: receiver, values: { failing_since: since } })
    }
    return operations
  }

  /** Commits operations that were worked out of what is stored; when that has changed meanwhile they are worked out anew. */
  async #untilCurrent(work: () => Promise<Operation[]>): Promise<void> {
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      const operations = await work()
      if (operations.length === 0) return
      const outcome = await this.#parts.records.keep(operations)
      if (!outcome.ok) continue
      this.#parts.subscriptions.note(
        outcome.changes.flatMap(({ table, after }) => (table === SUBSCRIPTIONS && after !== undefined ? [after] : [])),
      )
      return
    }
    throw new Error('Deliveries keep changing while they are being noted')
  }

  async #deliveriesOf(events: readonly number[]): Promise<Map<number, StoredRecord[]>> {
    if (events.length === 0) return new Map()
    const deliveries = await this.#all(DELIVERIES, [{ field: 'event_id', operator: 'in', values: events }])
    return groupBy(deliveries, ({ event_id: event }) => Number(event))
  }

  async #all(table: string, filters: readonly FieldFilter[]): Promise<readonly StoredRecord[]> {
    return (await this.#parts.store.find(table, { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY })).records
  }
}

const pendingOf = ({ pending }: StoredRecord): readonly number[] => (pending ?? []) as readonly number[]

const settle = (event: StoredRecord, pending: readonly number[]): Operation => ({
  kind: 'update',
  table: EVENTS,
  id: event.id,
  values: { pending },
  expect: versionOf(event),
})

/** An event as it is told. */
export const messageOf = ({ message_id: id, event, model, data, timestamp }: StoredRecord): Message => ({
  id: String(id),
  event: event as EventName,
  model: String(model),
  data: String(data),
  timestamp: String(timestamp),
})

function deliveryOperation(
  event: number,
  receiver: number,
  results: readonly Result[],
  before: StoredRecord | undefined,
): Operation {
  const last = results.at(-1)
  const made = [...((before?.attempts ?? []) as readonly object[]), ...results.map(({ attempt }) => shown(attempt))]
  const values = {
    status: last?.status ?? 'pending',
    tries: last?.tries ?? 0,
    attempts: made.slice(-MAX_ATTEMPTS_KEPT) as ReturnType<typeof shown>[],
    response: last?.attempt.text ?? '',
    next_attempt_at: last?.due === undefined ? null : isoTime(last.due),
  }
  if (before !== undefined) return { kind: 'update', table: DELIVERIES, id: before.id, values }
  return { kind: 'insert', table: DELIVERIES, values: { event_id: event, subscription_id: receiver, ...values } }
}

const shown = ({ at, status, took, reason }: Attempt) => ({
  at: isoTime(at),
  status: status ?? null,
  ms: took,
  error: reason ?? null,
})
