import type { Json, JsonObject } from '../util/json.ts'
import type { SortKey } from './plan.ts'

/** A record with its id. */
type Identified = JsonObject & { readonly id: number }

/**
 * Returns a comparison by the sort keys and then by ascending id, a total order, so that pages never overlap. Text is ordered
 * by code units, false before true; nulls are last ascending and first descending.
 */
export function comparer(sort: readonly SortKey[]): (a: Identified, b: Identified) => number {
  const [only, ...others] = sort
  if (only !== undefined && others.length === 0) return byField(only)
  return (a, b) => {
    for (const { field, order } of sort) {
      const sign = compareValues(a[field] ?? null, b[field] ?? null)
      if (sign !== 0) return order === 'asc' ? sign : -sign
    }
    return a.id - b.id
  }
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
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  return rankOf(a) - rankOf(b) || Number(a === true) - Number(b === true)
}

function rankOf(value: Json): number {
  if (value === null) return 4
  if (typeof value === 'string') return 3
  if (typeof value === 'number') return 2
  return typeof value === 'boolean' ? 1 : 0
}
