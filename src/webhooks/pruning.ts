import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { deliveriesOf, findAll, withoutPending } from './event-records.ts'
import { DELIVERIES, EVENTS } from './models.ts'

/** Operations in one transaction, so that requests do not wait long. */
const BATCH = 100
const PAGE = 500
/** A test event has no delivery record until it is answered, so it is kept this long. In milliseconds. */
const TEST_MS = 60_000

/** The first attempts of the event to all receivers have been made. */
const IS_ATTEMPTED: FieldFilter = { field: 'pending', operator: 'isnull', value: true }

export interface WebhookPruningParts {
  readonly store: Store
  readonly records: Records
  readonly clock: Clock
}

/** Retention of the delivery log. */
export interface Retention {
  readonly deliveries: number
  readonly days: number
}

/**
 * Deletes finished events with their deliveries: events whose receivers are all deleted, expired events, and the oldest beyond
 * the maximum number.
 */
export async function prune({ store, records, clock }: WebhookPruningParts, { deliveries, days }: Retention): Promise<void> {
  const { total } = await store.find(DELIVERIES, { filters: [], sort: [], offset: 0, limit: 1 })
  const [oldest, settled] = [isoTime(clock() - days * 86_400_000), isoTime(clock() - TEST_MS)]
  let excess = total - deliveries
  for (let last = 0; ; ) {
    const events = await findAll(store, EVENTS, [IS_ATTEMPTED, { field: 'id', operator: 'gt', value: last }], { limit: PAGE })
    const known = await deliveriesOf(
      store,
      events.map(({ id }) => id),
    )
    const removals: Operation[] = []
    for (const event of events) {
      const own = known.get(event.id) ?? []
      const at = String(event.timestamp)
      const isKept = own.length === 0 ? at >= settled : excess <= 0 && at >= oldest
      if (isKept || own.some(({ status }) => status === 'pending')) continue
      for (const each of own) removals.push({ kind: 'remove', table: DELIVERIES, id: each.id, expect: each })
      removals.push({ kind: 'remove', table: EVENTS, id: event.id, expect: event })
      excess -= own.length
    }
    for (let first = 0; first < removals.length; first += BATCH) {
      // An event that is to be redelivered meanwhile is kept until the next run.
      if (!(await records.commitInternal(removals.slice(first, first + BATCH))).ok) return
    }
    if (events.length < PAGE) return
    last = events.at(-1)?.id ?? last
  }
}

/**
 * Removes a subscription from all events and deletes its deliveries, in batches so that requests do not wait. No new event may
 * name the subscription.
 */
export async function releaseSubscription(
  { store, records }: Omit<WebhookPruningParts, 'clock'>,
  subscription: number,
): Promise<void> {
  const of = (field: string): FieldFilter[] => [{ field, operator: 'eq', value: subscription }]
  const parts: readonly (readonly [string, FieldFilter[], (record: StoredRecord) => Operation[]])[] = [
    [EVENTS, of('pending'), (event) => withoutPending(event, new Set([subscription]))],
    [DELIVERIES, of('subscription_id'), ({ id }) => [{ kind: 'remove', table: DELIVERIES, id }]],
  ]
  for (const [table, filters, operations] of parts) {
    for (let found = await findAll(store, table, filters, { limit: BATCH }); found.length > 0; ) {
      // Conflicting batches are repeated.
      await records.commitInternal(found.flatMap(operations))
      found = await findAll(store, table, filters, { limit: BATCH })
    }
  }
}
