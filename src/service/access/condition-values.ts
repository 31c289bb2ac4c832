import type { Field } from '../../model/field.ts'
import type { Operator } from '../../model/field-type.ts'
import { orderingOf } from '../../query/filters.ts'
import type { FieldFilter, Filter } from '../../query/plan.ts'
import type { Json } from '../../util/json.ts'

/** The JavaScript type of a field's values in conditions, where a decimal is a number. */
export function kindOf({ type, relation }: Field): 'number' | 'boolean' | 'string' {
  if (relation !== undefined || NUMBERS.has(type.name)) return 'number'
  return type.name === 'boolean' ? 'boolean' : 'string'
}

const NUMBERS: ReadonlySet<string> = new Set(['primarykey', 'integer', 'number', 'decimal'])

/** As in CEL, values of different types are unequal, and comparing their order fails. */
export const isOfKind = (field: Field, value: Json): boolean => typeof value === kindOf(field)

/** The stored form of a value, or the value itself if the field cannot have it. */
export function storedOr(field: Field, value: Json): Json {
  const reading = value === null ? undefined : field.type.read(value)
  return reading?.ok === true ? reading.value : value
}

/** A filter that compares a field with a stored value. */
export const fieldFilter = (field: Field, operator: Operator, value: Json): Filter =>
  ({ field: field.name, operator, value, ...orderingOf(field) }) as FieldFilter

/** A CEL value as JSON; undefined for one that fields do not have. */
export function jsonOf(value: unknown): Json | undefined {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (!Array.isArray(value)) return undefined
  const items = value.map(jsonOf)
  return items.some((item) => item === undefined) ? undefined : (items as Json[])
}
