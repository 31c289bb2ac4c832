import { type Bitmap, type Scratch, sliceOf } from './bitmap.ts'
import type { RowSet, Rows } from './row-set.ts'
import { Terms } from './terms.ts'

/** The rows that a question is about, while it is answered. Rows ascend with ids, so their order is that of ids. */
export interface Selection {
  readonly size: number
  has(row: number): boolean
  /** The rows from the `offset`-th on, at most `limit` of them, ascending. */
  slice(offset: number, limit: number): number[]
  /** Those of some rows that are in here. */
  within(rows: Rows): Selection
}

/** Rows that are few enough to be listed, ascending. */
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
 * @param scratch lends bitmaps for what is taken from it
 * @param size how many bits are set
 */
export function mapped(bitmap: Bitmap, scratch: Scratch, size: number): Selection {
  const has = (row: number): boolean => bitmap.has(row)
  return {
    size,
    has,
    slice: (offset, limit) => sliceOf(bitmap, offset, limit),
    within(rows) {
      if (typeof rows === 'number') return one(rows, has)
      if (rows.bitmap === undefined) return listed(rowsOf(rows, has))
      const terms = new Terms()
      terms.keep(bitmap)
      terms.keep(rows.bitmap)
      const common = scratch.blank(bitmap.words.length * 32 - 1)
      return mapped(common, scratch, terms.meet(common))
    },
  }
}

/** All rows from the first on, without a gap. */
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
