import { type Bitmap, keepStretch } from './bitmap.ts'
import { addTo, eachRow, type Rows, removeFrom, sizeOf } from './row-set.ts'
import type { PartFilter, TextIndex } from './text-index.ts'
import type { Cut, ValueIndex } from './value-index.ts'

/** A way to the rows that one filter matches. */
export interface Access {
  /** At most how many rows match; quickly told. */
  readonly atMost: number
  /** Calls back with each matching row, in any order. */
  each(visit: (row: number) => void): void
  /** Leaves only matching rows in a bitmap. */
  narrow(bitmap: Bitmap): void
}

/**
 * The rows that stand under any of some values.
 *
 * @param blank lends an empty bitmap
 */
export function anyOf(sets: readonly Rows[], blank: () => Bitmap): Access {
  const [only, ...others] = sets
  return {
    atMost: sets.reduce<number>((sum, rows) => sum + sizeOf(rows), 0),
    each(visit) {
      for (const rows of sets) eachRow(rows, visit)
    },
    narrow(bitmap) {
      if (typeof only === 'object' && others.length === 0) {
        only.keepIn(bitmap)
        return
      }
      const union = blank()
      for (const rows of sets) addTo(union, rows)
      bitmap.intersection(union)
    },
  }
}

/**
 * All rows but those that stand under one value.
 *
 * @param all lends a bitmap of all rows
 */
export function allBut(excluded: Rows | undefined, all: () => Bitmap, size: number): Access {
  const narrow = (bitmap: Bitmap): void => {
    if (excluded !== undefined) removeFrom(bitmap, excluded)
  }
  return {
    atMost: size - (excluded === undefined ? 0 : sizeOf(excluded)),
    each(visit) {
      const rest = all()
      narrow(rest)
      rest.forEach(visit)
    },
    narrow,
  }
}

/** The rows whose values lie between two cuts. */
export function between(index: ValueIndex, from: Cut, to: Cut): Access {
  return {
    atMost: index.atMost(from, to),
    each(visit) {
      index.eachIn(from, to, (rows) => eachRow(rows, visit))
    },
    narrow: (bitmap) => index.narrow(bitmap, from, to),
  }
}

/** The rows from one to another, the second not included: those of a range of ids. */
export function stretch(from: number, to: number, live: Bitmap): Access {
  return {
    atMost: Math.max(0, to - from),
    each(visit) {
      for (let row = from; row < to; row++) if (live.has(row)) visit(row)
    },
    narrow: (bitmap) => keepStretch(bitmap, from, to),
  }
}

/** The rows whose text holds some part. */
export function holding(index: TextIndex, filter: PartFilter): Access {
  return {
    atMost: index.atMost(filter),
    each: (visit) => index.matching(filter).each(visit),
    narrow: (bitmap) => index.matching(filter).keepIn(bitmap),
  }
}
