import type { Json, JsonObject } from '../util/json.ts'
import { foldCase } from '../util/text.ts'
import { compareValues, orderingKey } from './compare.ts'
import { type FieldFilter, type Filter, isFieldFilter, isRelationFilter, type RelationFilter } from './plan.ts'

/** Tells whether a record matches. */
export type Predicate = (record: JsonObject) => boolean

/**
 * Compiles a filter into a predicate of a record. A missing member counts as null.
 *
 * @param related compiles relation filters, which need other records
 */
export function matcher(filter: Filter, related: (filter: RelationFilter) => Predicate = needsTables): Predicate {
  if (isFieldFilter(filter)) {
    const { field } = filter
    const test = valueTest(filter)
    return (record) => test(record[field] ?? null)
  }
  if (isRelationFilter(filter)) return related(filter)
  if ('not' in filter) {
    const test = matcher(filter.not, related)
    return (record) => !test(record)
  }
  if ('any' in filter) {
    const tests = filter.any.map((each) => matcher(each, related))
    return (record) => tests.some((test) => test(record))
  }
  const tests = filter.all.map((each) => matcher(each, related))
  return (record) => tests.every((test) => test(record))
}

function needsTables({ field }: RelationFilter): never {
  throw new Error(`A filter through '${field}' needs the tables`)
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
      return orderTest(filter, (sign) => sign > 0)
    case 'gte':
      return orderTest(filter, (sign) => sign >= 0)
    case 'lt':
      return orderTest(filter, (sign) => sign < 0)
    case 'lte':
      return orderTest(filter, (sign) => sign <= 0)
    case 'icontains': {
      const part = foldCase(String(filter.value))
      return (value) => typeof value === 'string' && foldCase(value).includes(part)
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
function orderTest(
  { value: bound, ordering }: Exclude<FieldFilter, { operator: 'in' | 'isnull' }>,
  accept: (sign: number) => boolean,
): (value: Json) => boolean {
  const keyOf = orderingKey(ordering)
  const limit = keyOf(bound)
  return (value) => {
    if (typeof value !== typeof bound || value === null || limit === null) return false
    const key = keyOf(value) ?? null
    return key !== null && accept(compareValues(key, limit))
  }
}
