import { type Bitmap, bitmapFor, pageOfRows } from './bitmap.ts'
import { RowFilter } from './row-filter.ts'
import type { RowSet, Rows } from './row-set.ts'

/** The rows that a query selects, in order of ids. */
export interface SelectedRows {
  readonly size: number
  has(row: number): boolean
  /** The rows from position `offset`, at most `limit`, ascending. */
  slice(offset: number, limit: number): number[]
  /** The given rows that are selected. */
  within(rows: Rows): SelectedRows
}

/** A selection of few rows, listed in ascending order. */
export class Listed implements SelectedRows {
  readonly size: number
  readonly #rows: readonly number[]
  #members: ReadonlySet<number> | undefined

  constructor(rows: readonly number[]) {
    this.#rows = rows
    this.size = rows.length
  }

  has(row: number): boolean {
    this.#members ??= new Set(this.#rows)
    return this.#members.has(row)
  }

  slice(offset: number, limit: number): number[] {
    return this.#rows.slice(offset, offset + limit)
  }

  within(rows: Rows): SelectedRows {
    return typeof rows === 'number' ? one(this, rows) : new Listed(this.#rows.filter((row) => rows.has(row)))
  }
}

/** A selection as a bitmap. */
export class Mapped implements SelectedRows {
  readonly size: number
  readonly #bitmap: Bitmap

  /** @param size number of set bits */
  constructor(bitmap: Bitmap, size: number) {
    this.#bitmap = bitmap
    this.size = size
  }

  has(row: number): boolean {
    return this.#bitmap.has(row)
  }

  slice(offset: number, limit: number): number[] {
    return pageOfRows(this.#bitmap, offset, limit)
  }

  within(rows: Rows): SelectedRows {
    if (typeof rows === 'number') return one(this, rows)
    if (rows.bitmap === undefined) return rowsOf(this, rows)
    const rowFilter = new RowFilter()
    rowFilter.require(this.#bitmap)
    rowFilter.require(rows.bitmap)
    const common = bitmapFor(this.#bitmap.words.length * 32 - 1)
    return new Mapped(common, rowFilter.computeInto(common))
  }
}

const one = (selection: SelectedRows, row: number): SelectedRows => new Listed(selection.has(row) ? [row] : [])

function rowsOf(selection: SelectedRows, set: RowSet): SelectedRows {
  const rows: number[] = []
  set.each((row) => {
    if (selection.has(row)) rows.push(row)
  })
  return new Listed(rows)
}
