import type { Ordering } from '../model/field-type.ts'
import { decimalKey } from '../util/decimal.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { compareTexts, foldCase } from '../util/text.ts'
import { type FieldFilter, type Filter, isFieldFilter, isRelationFilter, type RelationFilter, type SortKey } from './plan.ts'

/** A record with its id. */
type Identified = JsonObject & { readonly id: number }

/** Reads the value of a sort key. */
export type KeyReader = (record: JsonObject) => Json

/**
 * Returns a comparison by the sort keys and then by ascending id, a total order, so that pages never overlap. Text is ordered
 * by code points, false before true; nulls are last ascending and first descending.
 *
 * @param reader makes the reader of a sort key; needed for keys through relations
 */
export function comparer(
  sort: readonly SortKey[],
  reader: (key: SortKey) => KeyReader = ownValue,
): (a: Identified, b: Identified) => number {
  const [only, ...others] = sort
  const isPlain = only !== undefined && only.through === undefined && only.ordering === undefined
  if (isPlain && others.length === 0) return byField(only)
  const keys = sort.map((key) => ({ read: ordered(key, reader(key)), direction: key.order === 'asc' ? 1 : -1 }))
  return (a, b) => {
    for (const { read, direction } of keys) {
      const sign = compareValues(read(a), read(b))
      if (sign !== 0) return direction * sign
    }
    return a.id - b.id
  }
}

/** The key by which values are compared under an ordering. */
export function orderingKey(ordering: Ordering | undefined): (value: Json) => Json {
  return ordering === undefined ? (value) => value : (value) => (typeof value === 'string' ? decimalKey(value) : value)
}

function ordered({ ordering }: SortKey, read: KeyReader): KeyReader {
  const keyOf = orderingKey(ordering)
  return ordering === undefined ? read : (record) => keyOf(read(record))
}

/** Reads a field of the record itself. */
export function ownValue({ field, through }: SortKey): KeyReader {
  if (through !== undefined) throw new Error(`A sort order through '${through.field}' needs the tables`)
  return (record) => record[field] ?? null
}

function byField({ field, order }: SortKey): (a: Identified, b: Identified) => number {
  const direction = order === 'asc' ? 1 : -1
  return (a, b) => direction * compareValues(a[field] ?? null, b[field] ?? null) || a.id - b.id
}

/**
 * Compares two values; nulls are last. Values of different types, which remain after a field's type was changed, are ordered by
 * type: lists and objects (all equal), booleans, numbers, text, null.
 */
export function compareValues(a: Json, b: Json): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  return rankOf(a) - rankOf(b) || Number(a === true) - Number(b === true)
}

function rankOf(value: Json): number {
  if (value === null) return 4
  if (typeof value === 'string') return 3
  if (typeof value === 'number') return 2
  return typeof value === 'boolean' ? 1 : 0
}

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
