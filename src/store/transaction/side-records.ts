import type { Model } from '../../model/model.ts'
import type { Json, JsonObject } from '../../util/json.ts'
import {
  type Change,
  type ChangeKind,
  type EventRequest,
  type HistoryRequest,
  isSameValue,
  type Operation,
  type StoredRecord,
} from '../store.ts'

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
      data: JSON.stringify(withoutSecrets(record, modelOf(table).secrets)),
      timestamp: order.at,
      pending: audience,
    }
  }
}

/** A record without its secrets. */
export function withoutSecrets(record: StoredRecord, secrets: readonly string[]): StoredRecord {
  if (secrets.length === 0) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.includes(name))) as StoredRecord
}

/** The operations of a transaction, and the record that each left or removed. */
interface Performed {
  readonly operations: readonly Operation[]
  readonly records: readonly StoredRecord[]
}

/** The history entries of a transaction, in the order of its changes. */
export function* historyOf(
  changes: readonly Change[],
  performed: Performed,
  { tables, common, via }: HistoryRequest,
  modelOf: (table: string) => Model,
): Generator<JsonObject> {
  const viaOf = viaOfChanges(performed, via)
  for (const change of changes) {
    const { table, id, before, after } = change
    if (!tables.has(table)) continue
    const differences = differencesOf(modelOf(table), before, after)
    if (before !== undefined && after !== undefined && Object.keys(differences).length === 0) continue
    const action: ChangeKind = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    yield { model: table, record_id: id, action, ...common, via: viaOf(change), changes: differences }
  }
}

/** Returns how a change was made: as its last operation says, or by a cascade if it has none. Only removals cause such changes. */
function viaOfChanges({ operations, records }: Performed, general: string): (change: Change) => string {
  if (!operations.some((operation) => operation.kind === 'remove' || ('via' in operation && operation.via !== undefined)))
    return () => general
  const own = new Map<string, string>()
  for (const [index, operation] of operations.entries()) {
    if (operation.kind !== 'assert') own.set(`${operation.table} ${records[index]?.id}`, operation.via ?? general)
  }
  return ({ table, id }) => own.get(`${table} ${id}`) ?? 'cascade'
}

function differencesOf(model: Model, before: StoredRecord | undefined, after: StoredRecord | undefined): JsonObject {
  const differences: Record<string, JsonObject> = {}
  for (const [name, { type }] of model.fields) {
    const [was, is]: [Json, Json] = [before?.[name] ?? null, after?.[name] ?? null]
    if (name === 'id' || isSameValue(was, is)) continue
    differences[name] = type.secret ? { before: null, after: null, secret: true } : { before: was, after: is }
  }
  return differences
}
