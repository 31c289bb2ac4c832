import type { PartFilter } from '../indexes/substring-cache.ts'
import type { TextIndex } from '../indexes/text-index.ts'
import type { Cut, ValueIndex } from '../indexes/value-index.ts'
import { type Bitmap, restrictToRange, type Scratch } from '../row-sets/bitmap.ts'
import { addTo, contains, eachRow, type Rows, sizeOf } from '../row-sets/row-set.ts'
import { Terms } from '../row-sets/terms.ts'

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

/** The rows of a table, and where to compute sets of them. */
export interface RowSpace {
  /** The rows that hold a record. */
  readonly live: Bitmap
  /** Number of records. */
  readonly size: number
  readonly scratch: Scratch
  readonly capacity: number
}

/** The rows of any of some access paths. */
export function union(parts: readonly Access[], { live, size, scratch, capacity }: RowSpace): Access {
  const atMost = Math.min(
    size,
    parts.reduce((sum, part) => sum + part.atMost, 0),
  )
  return {
    atMost,
    each(visit) {
      for (const part of parts) part.each(visit)
    },
    describe(terms) {
      const all = scratch.blank(capacity)
      for (const part of parts) {
        if (part.atMost * ROWS_PER_WORD <= capacity) part.each((row) => all.add(row))
        else all.union(bitmapOf(part, { live, scratch, capacity }))
      }
      terms.require(all)
    },
  }
}

/** Below one row in so many, rows are added one by one. */
const ROWS_PER_WORD = 32

/** All rows but those of an access path. */
export function complement(part: Access, { live, size, scratch, capacity }: RowSpace): Access {
  return {
    atMost: size,
    each(visit) {
      const excluded = bitmapOf(part, { live, scratch, capacity })
      live.forEach((row) => {
        if (!excluded.has(row)) visit(row)
      })
    },
    describe: (terms) => terms.exclude(bitmapOf(part, { live, scratch, capacity })),
  }
}

function bitmapOf(part: Access, { live, scratch, capacity }: Omit<RowSpace, 'size'>): Bitmap {
  const terms = new Terms()
  part.describe(terms)
  const bitmap = scratch.blank(capacity)
  terms.computeWithin(live, bitmap)
  return bitmap
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
