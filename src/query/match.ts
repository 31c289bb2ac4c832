import type { Json, JsonObject } from '../util/json.ts'
import type { FieldFilter } from './plan.ts'

/** Compiles a filter into a predicate of a record. A missing member counts as null. */
export function matcher(filter: FieldFilter): (record: JsonObject) => boolean {
  const { field } = filter
  const test = valueTest(filter)
  return (record) => test(record[field] ?? null)
}

/** Compiles a filter into a predicate of the field's value. */
export function valueTest(filter: FieldFilter): (value: Json) => boolean {
  switch (filter.operator) {
    case 'isnull':
      return (value) => isNull(value) === filter.value
    case 'in': {
      const wanted = new Set(filter.values)
      return (value) => (Array.isArray(value) ? value.some((item) => wanted.has(item)) : wanted.has(value))
    }
    case 'eq':
      return (value) => holds(value, filter.value)
    case 'ne':
      return (value) => !holds(value, filter.value)
    case 'gt':
      return (value) => order(value, filter.value, (sign) => sign > 0)
    case 'gte':
      return (value) => order(value, filter.value, (sign) => sign >= 0)
    case 'lt':
      return (value) => order(value, filter.value, (sign) => sign < 0)
    case 'lte':
      return (value) => order(value, filter.value, (sign) => sign <= 0)
    case 'icontains': {
      const part = String(filter.value).toLowerCase()
      return (value) => typeof value === 'string' && value.toLowerCase().includes(part)
    }
    case 'startswith':
      return (value) => typeof value === 'string' && value.startsWith(String(filter.value))
    case 'endswith':
      return (value) => typeof value === 'string' && value.endsWith(String(filter.value))
    default:
      return filter satisfies never
  }
}

/** An empty list of links or choices counts as null. */
const isNull = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0)

const holds = (value: Json, wanted: Json): boolean => (Array.isArray(value) ? value.includes(wanted) : value === wanted)

/** Null is neither less nor greater than any value. */
function order(value: Json, bound: Json, accept: (sign: number) => boolean): boolean {
  if (typeof value !== typeof bound || value === null || bound === null) return false
  return accept(value < bound ? -1 : value > bound ? 1 : 0)
}
