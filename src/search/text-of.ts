import type { JsonObject } from '../util/json.ts'

/** The searched text of a field: text as stored, lists joined by commas. */
export function textOf(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : ''
}
