import type { FileUrls } from '../model/file-urls.ts'
import type { Registry } from '../model/registry.ts'
import type { Filter, Plan } from '../query/plan.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { groupBy, type JsonObject } from '../util/json.ts'
import type { EventName, Message } from './messages.ts'
import { DELIVERIES, EVENTS } from './models.ts'

/** The webhook message of a stored event. */
export const messageOf = ({ message_id: id, event, model, data, timestamp }: StoredRecord): Message => ({
  id: String(id),
  event: event as EventName,
  model: String(model),
  data: String(data),
  timestamp: String(timestamp),
})

/** The message of a stored event about a record: the files of the record have their addresses, as in responses of the API. */
export function recordMessageOf(event: StoredRecord, registry: Registry, urls: FileUrls): Message {
  const message = messageOf(event)
  const model = registry.get(message.model)
  if (model === undefined || model.fileFields.length === 0) return message
  const record = JSON.parse(message.data) as JsonObject
  return { ...message, data: JSON.stringify(urls.withinRecord(model, Number(event.record_id), record)) }
}

/** The records of a table that match the filters, in order of their ids unless there is a sort order, up to the limit if there is one. */
export async function findAll(
  store: Store,
  table: string,
  filters: readonly Filter[],
  { sort = [], limit = Number.POSITIVE_INFINITY }: Partial<Pick<Plan, 'sort' | 'limit'>> = {},
): Promise<readonly StoredRecord[]> {
  return (await store.find(table, { filters, sort, offset: 0, limit }, { withoutTotal: true })).records
}

/** Ids of the subscriptions to which the first attempt of the event is still to be made. */
export const pendingOf = ({ pending }: StoredRecord): readonly number[] => (pending ?? []) as readonly number[]

/** Removes receivers from the pending ones of an event, unless the event has changed meanwhile. */
export function withoutPending(event: StoredRecord, receivers: ReadonlySet<number>): Operation[] {
  const pending = pendingOf(event).filter((id) => !receivers.has(id))
  if (pending.length === pendingOf(event).length) return []
  return [{ kind: 'update', table: EVENTS, id: event.id, values: { pending }, expect: event }]
}

/** The deliveries of events, by event id. */
export async function deliveriesOf(store: Store, events: readonly number[]): Promise<Map<number, StoredRecord[]>> {
  if (events.length === 0) return new Map()
  const deliveries = await findAll(store, DELIVERIES, [{ field: 'event_id', operator: 'in', values: events }])
  return groupBy(deliveries, ({ event_id: event }) => Number(event))
}
