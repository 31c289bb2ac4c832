import type { Json, JsonObject } from '../../../util/json.ts'
import type { Operation, StoredRecord } from '../../store.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'

/**
 * The operation with its values as the database returns them: canonical, and an insert with all fields in the order of the model. So a
 * record as a transaction leaves it equals the record that is read afterwards.
 */
export function inStoredForm(operation: Operation, layout: Layout): Operation {
  if (operation.kind === 'remove') return operation
  const table = layout.of(operation.table)
  const { values } = operation
  return { ...operation, values: operation.kind === 'insert' ? allFields(table, values) : givenFields(table, values) }
}

/** The values of an insert: all fields but the id; null where none is given. */
function allFields({ model }: TableLayout, given: JsonObject): JsonObject {
  const values: Record<string, Json> = {}
  for (const { name, type } of model.fields.values()) {
    if (name !== 'id') values[name] = canonical(type, given[name] ?? null)
  }
  return values
}

/** The values of an update. Members that are no fields have no column. */
function givenFields({ model }: TableLayout, given: JsonObject): JsonObject {
  const values: Record<string, Json> = {}
  for (const [name, value] of Object.entries(given)) {
    const field = model.fields.get(name)
    if (field !== undefined && name !== 'id') values[name] = canonical(field.type, value)
  }
  return values
}

/** An invalid value stays as it is; the transaction reports it. */
function canonical(type: TableLayout['columns'][number]['field']['type'], value: Json): Json {
  if (value === null || type.secret) return value
  const reading = type.read(value)
  return reading.ok ? reading.value : value
}

/** A record with all fields of its model in their order, as the database returns it. */
export const completeRecord = (table: TableLayout, record: StoredRecord): StoredRecord =>
  Object.freeze({ id: record.id, ...allFields(table, record) })
