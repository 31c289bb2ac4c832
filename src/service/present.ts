import type { Model } from '../model/model.ts'
import type { Column, Projection } from '../query/project.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { referencesOf } from '../store/table.ts'
import type { Json, JsonObject } from '../util/json.ts'

type RelatedColumn = Extract<Column, { kind: 'related' }>

/** Turns stored records into what is sent: the projection's columns in its order, related records nested, secrets nowhere. */
export async function present(
  store: Store,
  model: Model,
  records: readonly StoredRecord[],
  projection: Projection,
): Promise<JsonObject[]> {
  const related = new Map<RelatedColumn, ReadonlyMap<number, JsonObject>>()
  for (const column of projection) {
    if (column.kind === 'related') related.set(column, await loadRelated(store, column, records))
  }
  return records.map((record) =>
    Object.fromEntries(
      projection.map((column) => [
        column.name,
        column.kind === 'value' ? storedValue(model, record, column.name) : relatedValue(record, column, related.get(column)),
      ]),
    ),
  )
}

/** Every record that the column refers to from any of the records, by id; one look-up for all. */
async function loadRelated(
  store: Store,
  column: RelatedColumn,
  records: readonly StoredRecord[],
): Promise<Map<number, JsonObject>> {
  const ids = [...new Set(records.flatMap((record) => referencesOf(record, column.field.name)))]
  const found = ids.length === 0 ? [] : await store.get(column.target.key, ids)
  const nested = new Map<number, JsonObject>()
  for (const record of found) {
    if (record === undefined) continue
    nested.set(record.id, Object.fromEntries(column.fields.map((name) => [name, storedValue(column.target, record, name)])))
  }
  return nested
}

function relatedValue(record: StoredRecord, column: RelatedColumn, related: ReadonlyMap<number, JsonObject> | undefined): Json {
  const nested = referencesOf(record, column.field.name).flatMap((id) => related?.get(id) ?? [])
  return column.field.relation.kind === 'many' ? nested : (nested[0] ?? null)
}

/** A field that was added to the model after the record was stored has no value yet. */
function storedValue(model: Model, record: StoredRecord, name: string): Json {
  return record[name] ?? (model.fields.get(name)?.type.list === true ? [] : null)
}
