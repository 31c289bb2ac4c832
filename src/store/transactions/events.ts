import type { Model } from '../../model/model.ts'
import type { JsonObject } from '../../util/json.ts'
import type { Change, ChangeKind, EventRequest, StoredRecord } from '../store.ts'

/** The event records of a transaction, in the order of its changes. */
export function* eventsOf(
  changes: readonly Change[],
  order: EventRequest,
  modelOf: (table: string) => Model,
): Generator<JsonObject> {
  let count = 0
  for (const { table, id, before, after } of changes) {
    const kind: ChangeKind = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    const audience = order.audience.get(table)?.[kind] ?? []
    const record = after ?? before
    if (audience.length === 0 || record === undefined) continue
    count++
    yield {
      message_id: count === 1 ? order.key : `${order.key}_${count}`,
      event: kind,
      model: table,
      record_id: id,
      data: publicJson(record, modelOf(table)),
      timestamp: order.at,
      pending: audience,
    }
  }
}

/** JSON of a record without its secrets. */
function publicJson(record: StoredRecord, { secrets }: Model): string {
  if (secrets.length === 0) return JSON.stringify(record)
  return JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.includes(name))))
}
