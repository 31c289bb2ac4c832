import type { FieldFilter } from '../../query/plan.ts'
import type { Operation, Store } from '../../store/store.ts'
import { versionOf } from '../../store/version.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import { DELIVERIES, EVENTS } from '../../webhooks/models.ts'
import type { Records } from '../records/records.ts'
import { deliveriesOf, matching, pendingOf, settle } from './event-records.ts'

/** So many are removed or changed at once: more would keep requests waiting. */
const BATCH = 100
const PAGE = 500
/** An event that is sent as a test has no delivery before it was answered. */
const TEST_MS = 60_000

export interface PruningParts {
  readonly store: Store
  readonly records: Records
  readonly clock: Clock
}

/** How much of the log is kept. */
export interface Keep {
  readonly deliveries: number
  readonly days: number
}

/**
 * Removes what is over: events that nobody is to be told of any more, with their deliveries: those that were never told to anybody
 * who is still there, those that are too old, and the oldest of those that are too many.
 */
export async function prune({ store, records, clock }: PruningParts, { deliveries, days }: Keep): Promise<void> {
  const { total } = await store.find(DELIVERIES, { filters: [], sort: [], offset: 0, limit: 1 })
  const [oldest, settled] = [isoTime(clock() - days * 86_400_000), isoTime(clock() - TEST_MS)]
  let excess = total - deliveries
  for (let offset = 0; ; ) {
    const { records: events } = await store.find(EVENTS, { filters: [], sort: [], offset, limit: PAGE })
    const over = events.filter((event) => pendingOf(event).length === 0)
    const known = await deliveriesOf(
      store,
      over.map(({ id }) => id),
    )
    const removals: Operation[] = []
    for (const event of over) {
      const count = known.get(event.id)?.length ?? 0
      const at = String(event.timestamp)
      if (count === 0 ? at >= settled : excess <= 0 && at >= oldest) continue
      removals.push({ kind: 'remove', table: EVENTS, id: event.id, expect: versionOf(event) })
      excess -= count
    }
    for (let first = 0; first < removals.length; first += BATCH) {
      // One that is to be told again meanwhile stays until the next time.
      if (!(await records.commitInternal(removals.slice(first, first + BATCH))).ok) return
    }
    if (events.length < PAGE) return
    offset += events.length - removals.length
  }
}

/**
 * Takes a subscription off all events and removes its deliveries, some at a time: nobody is kept waiting while it is removed then. Nothing
 * may be ordered for it any more.
 */
export async function release({ store, records }: Omit<PruningParts, 'clock'>, subscription: number): Promise<void> {
  const of = (field: string): FieldFilter[] => [{ field, operator: 'eq', value: subscription }]
  const parts: readonly (readonly [string, FieldFilter[], (record: Parameters<typeof settle>[0]) => Operation])[] = [
    [
      EVENTS,
      of('pending'),
      (event) =>
        settle(
          event,
          pendingOf(event).filter((id) => id !== subscription),
        ),
    ],
    [DELIVERIES, of('subscription_id'), ({ id }) => ({ kind: 'remove', table: DELIVERIES, id })],
  ]
  for (const [table, filters, operation] of parts) {
    for (let found = await matching(store, table, filters, BATCH); found.length > 0; ) {
      // When some have changed or are gone meanwhile, they are looked for once more.
      await records.commitInternal(found.map(operation))
      found = await matching(store, table, filters, BATCH)
    }
  }
}
