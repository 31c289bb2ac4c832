import { type Bitmap, restrictToRange, type Scratch } from './bitmap.ts'
import { addTo, contains, eachRow, type Rows, sizeOf } from './row-set.ts'
import type { PartFilter } from './substring-cache.ts'
import type { Terms } from './terms.ts'
import type { TextIndex } from './text-index.ts'
import type { Cut, ValueIndex } from './value-index.ts'

/** An access path: the rows that one filter matches. */
export interface Access {
  /** Upper bound of the number of matching rows, estimated in constant time. */
  readonly atMost: number
  /** Calls back with each matching row, in any order. */
  each(visit: (row: number) => void): void
  /** Adds bitmaps of the matching rows to `terms`. */
  describe(terms: Terms): void
}

/**
 * The rows with any of some values.
 *
 * @param scratch pool of bitmaps
 */
export function anyOf(sets: readonly Rows[], scratch: Scratch, capacity: number): Access {
  const [only, ...others] = sets
  return {
    atMost: sets.reduce<number>((sum, rows) => sum + sizeOf(rows), 0),
    each(visit) {
      for (const rows of sets) eachRow(rows, visit)
    },
    describe(terms) {
      const known = typeof only === 'object' && others.length === 0 ? only.bitmap : undefined
      if (known !== undefined) {
        terms.require(known)
        return
      }
      const union = scratch.blank(capacity)
      for (const rows of sets) addTo(union, rows)
      terms.require(union)
    },
  }
}

/** All rows but those with one value. */
export function allBut(excluded: Rows | undefined, live: Bitmap, size: number): Access {
  return {
    atMost: size - (excluded === undefined ? 0 : sizeOf(excluded)),
    each(visit) {
      live.forEach((row) => {
        if (excluded === undefined || !contains(excluded, row)) visit(row)
      })
    },
    describe(terms) {
      const known = typeof excluded === 'object' ? excluded.bitmap : undefined
      if (known !== undefined) terms.exclude(known)
      else if (excluded !== undefined) terms.excludeRows([excluded])
    },
  }
}

/** The rows whose values lie between two cuts. */
export function between(index: ValueIndex, from: Cut, to: Cut): Access {
  return {
    atMost: index.atMost(from, to),
    each(visit) {
      index.eachIn(from, to, (rows) => eachRow(rows, visit))
    },
    describe: (terms) => index.describe(terms, from, to),
  }
}

/** The rows from `from` up to, but not including, `to`: an id range. */
export function stretch(from: number, to: number, live: Bitmap, scratch: Scratch): Access {
  return {
    atMost: Math.max(0, to - from),
    each(visit) {
      for (let row = from; row < to; row++) if (live.has(row)) visit(row)
    },
    describe(terms) {
      const within = scratch.copyOf(live)
      restrictToRange(within, from, to)
      terms.require(within)
    },
  }
}

/** The rows whose text contains a substring. */
export function holding(index: TextIndex, filter: PartFilter, scratch: Scratch, capacity: number): Access {
  return {
    atMost: index.atMost(filter),
    each: (visit) => index.matching(filter).each(visit),
    describe: (terms) => anyOf([index.matching(filter)], scratch, capacity).describe(terms),
  }
}
