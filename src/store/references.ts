import type { RelationField } from '../model/field.ts'
import type { JsonObject } from '../util/json.ts'

/** The ids that a record refers to by one of its relation fields. */
export function referencesOf(record: JsonObject, field: RelationField['name']): readonly number[] {
  const value = record[field] ?? null
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? (value as readonly number[]) : []
}
