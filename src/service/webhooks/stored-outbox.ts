import { AppError } from '../../errors.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Operation } from '../../store/store.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from '../../webhooks/models.ts'
import type { AttemptResult, DisableReason, Outbox, Receiver } from '../../webhooks/outbox.ts'
import type { Message } from '../../webhooks/requests/message.ts'
import type { ScheduledJob } from '../../webhooks/scheduling/queue.ts'
import type { Records } from '../records/records.ts'
import { type ResultParts, resultOperations } from './delivery-results.ts'
import { messageOf, pendingOf, updatePending } from './event-records.ts'

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
    return found && messageOf(found)
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
