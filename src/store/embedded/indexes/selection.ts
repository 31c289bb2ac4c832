import { type Bitmap, pageOfRows, type Scratch } from './bitmap.ts'
import type { RowSet, Rows } from './row-set.ts'
import { Terms } from './terms.ts'

/** The rows that a query selects, in order of ids. */
export interface Selection {
  readonly size: number
  has(row: number): boolean
  /** The rows from position `offset`, at most `limit`, ascending. */
  slice(offset: number, limit: number): number[]
  /** The given rows that are selected. */
  within(rows: Rows): Selection
}

/** A selection of few rows, listed in ascending order. */
export function listed(rows: readonly number[]): Selection {
  let members: ReadonlySet<number> | undefined
  const has = (row: number): boolean => {
    members ??= new Set(rows)
    return members.has(row)
  }
  return {
    size: rows.length,
    has,
    slice: (offset, limit) => rows.slice(offset, offset + limit),
    within: (others) => (typeof others === 'number' ? one(others, has) : listed(rows.filter((row) => others.has(row)))),
  }
}

/**
 * A selection as a bitmap.
 *
 * @param scratch pool of bitmaps for derived selections
 * @param size number of set bits
 */
export function mapped(bitmap: Bitmap, scratch: Scratch, size: number): Selection {
  const has = (row: number): boolean => bitmap.has(row)
  return {
    size,
    has,
    slice: (offset, limit) => pageOfRows(bitmap, offset, limit),
    within(rows) {
      if (typeof rows === 'number') return one(rows, has)
      if (rows.bitmap === undefined) return listed(rowsOf(rows, has))
      const terms = new Terms()
      terms.require(bitmap)
      terms.require(rows.bitmap)
      const common = scratch.blank(bitmap.words.length * 32 - 1)
      return mapped(common, scratch, terms.computeInto(common))
    },
  }
}

/** All rows from 0 to `size`, without gaps. */
export function unbroken(size: number, scratch: Scratch): Selection {
  const has = (row: number): boolean => row < size
  return {
    size,
    has,
    slice: (offset, limit) => Array.from({ length: Math.max(0, Math.min(limit, size - offset)) }, (_, index) => offset + index),
    within(rows) {
      if (typeof rows === 'number') return one(rows, has)
      return rows.bitmap === undefined ? listed(rowsOf(rows, has)) : mapped(rows.bitmap, scratch, rows.size)
    },
  }
}

const one = (row: number, has: (row: number) => boolean): Selection => listed(has(row) ? [row] : [])

function rowsOf(set: RowSet, has: (row: number) => boolean): number[] {
  const rows: number[] = []
  set.each((row) => {
    if (has(row)) rows.push(row)
  })
  return rows
}
