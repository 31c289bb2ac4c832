import type { FieldFilter } from '../query/plan.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { groupBy } from '../util/json.ts'
import type { EventName, Message } from './messages.ts'
import { DELIVERIES, EVENTS } from './models.ts'

/** All records of a table that match the filters, up to the limit if there is one. */
export async function findAll(
  store: Store,
  table: string,
  filters: readonly FieldFilter[],
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly StoredRecord[]> {
  return (await store.find(table, { filters, sort: [], offset: 0, limit })).records
}

/** The webhook message of a stored event. */
export const messageOfEvent = ({ message_id: id, event, model, data, timestamp }: StoredRecord): Message => ({
  id: String(id),
  event: event as EventName,
  model: String(model),
  data: String(data),
  timestamp: String(timestamp),
})

/** Ids of the subscriptions that the event is still to be delivered to. */
export const pendingOf = ({ pending }: StoredRecord): readonly number[] => (pending ?? []) as readonly number[]

/** Updates the pending subscriptions of an event, unless the event has changed meanwhile. */
export const updatePending = (event: StoredRecord, pending: readonly number[]): Operation => ({
  kind: 'update',
  table: EVENTS,
  id: event.id,
  values: { pending },
  expect: event,
})

/** The deliveries of events, by event id. */
export async function deliveriesOf(store: Store, events: readonly number[]): Promise<Map<number, StoredRecord[]>> {
  if (events.length === 0) return new Map()
  const deliveries = await findAll(store, DELIVERIES, [{ field: 'event_id', operator: 'in', values: events }])
  return groupBy(deliveries, ({ event_id: event }) => Number(event))
}
