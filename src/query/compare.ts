import type { Json, JsonObject } from '../util/json.ts'
import type { SortKey } from './plan.ts'

/** A record as lists are made of: with its id. */
type Identified = JsonObject & { readonly id: number }

/**
 * Compares records by the keys and, where those tie, by ascending id, so that pages never overlap.
 * Text goes by code units, false before true; nulls last ascending and first descending.
 */
export function comparer(sort: readonly SortKey[]): (a: Identified, b: Identified) => number {
  return (a, b) => {
    for (const { field, order } of sort) {
      const sign = compareValues(a[field] ?? null, b[field] ?? null)
      if (sign !== 0) return order === 'asc' ? sign : -sign
    }
    return a.id - b.id
  }
}

/** Orders two values of one field, nulls last. */
export function compareValues(a: Json, b: Json): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : a > b ? 1 : 0
}
