import type { FieldFilter } from '../../query/plan.ts'
import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import { versionOf } from '../../store/version.ts'
import { groupBy } from '../../util/group.ts'
import type { EventName, Message } from '../../webhooks/message.ts'
import { DELIVERIES, EVENTS } from '../../webhooks/models.ts'

/** All records of a table that these filters match, the first ones if there is a limit. */
export async function matching(
  store: Store,
  table: string,
  filters: readonly FieldFilter[],
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly StoredRecord[]> {
  return (await store.find(table, { filters, sort: [], offset: 0, limit })).records
}

/** An event as it is told. */
export const messageOf = ({ message_id: id, event, model, data, timestamp }: StoredRecord): Message => ({
  id: String(id),
  event: event as EventName,
  model: String(model),
  data: String(data),
  timestamp: String(timestamp),
})

/** The subscriptions that are yet to be told of an event. */
export const pendingOf = ({ pending }: StoredRecord): readonly number[] => (pending ?? []) as readonly number[]

/** Says who is yet to be told of an event, unless that has changed meanwhile. */
export const settle = (event: StoredRecord, pending: readonly number[]): Operation => ({
  kind: 'update',
  table: EVENTS,
  id: event.id,
  values: { pending },
  expect: versionOf(event),
})

/** The deliveries of events, by event. */
export async function deliveriesOf(store: Store, events: readonly number[]): Promise<Map<number, StoredRecord[]>> {
  if (events.length === 0) return new Map()
  const deliveries = await matching(store, DELIVERIES, [{ field: 'event_id', operator: 'in', values: events }])
  return groupBy(deliveries, ({ event_id: event }) => Number(event))
}
