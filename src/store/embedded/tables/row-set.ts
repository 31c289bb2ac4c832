import { addRow, type Bitmap, bitmapFor, pageOfRows } from './bitmap.ts'

/** Below this size a list is always smaller and faster than a bitmap. */
const MIN_DENSE = 64

/** A stored set of rows: a sorted list while sparse, a bitmap once that is smaller. */
export class RowSet {
  #list = new Uint32Array(4)
  #bitmap: Bitmap | undefined
  #size = 0

  static of(...rows: number[]): RowSet {
    const set = new RowSet()
    for (const row of rows) set.add(row)
    return set
  }

  get size(): number {
    return this.#size
  }

  /** Estimated size in bytes. */
  get bytes(): number {
    return this.#bitmap?.words.byteLength ?? this.#list.byteLength
  }

  /** The lowest row of a non-empty set. */
  get first(): number {
    return this.#bitmap === undefined ? (this.#list[0] ?? 0) : (pageOfRows(this.#bitmap, 0, 1)[0] ?? 0)
  }

  has(row: number): boolean {
    if (this.#bitmap !== undefined) return this.#bitmap.has(row)
    if (this.#size === 0 || row > this.last) return false
    const place = this.#placeOf(row)
    return place < this.#size && this.#list[place] === row
  }

  add(row: number): void {
    // New rows are appended, which needs no lookup.
    const isLast = this.#bitmap === undefined && (this.#size === 0 || row > this.last)
    if (!isLast && this.has(row)) return
    if (this.#bitmap !== undefined) {
      addRow(this.#bitmap, row)
      this.#size++
      return
    }
    const place = isLast ? this.#size : this.#placeOf(row)
    if (this.#size === this.#list.length) this.#grow()
    if (place < this.#size) this.#list.copyWithin(place + 1, place, this.#size)
    this.#list[place] = row
    this.#size++
    if (this.#size >= MIN_DENSE && this.#size * 32 > this.last) this.#densify()
  }

  remove(row: number): void {
    if (!this.has(row)) return
    if (this.#bitmap === undefined) {
      const place = this.#placeOf(row)
      this.#list.copyWithin(place, place + 1, this.#size)
    } else {
      this.#bitmap.remove(row)
    }
    this.#size--
  }

  /** Calls back with each row, ascending. */
  each(visit: (row: number) => void): void {
    if (this.#bitmap !== undefined) this.#bitmap.forEach(visit)
    else for (let place = 0; place < this.#size; place++) visit(this.#list[place] ?? 0)
  }

  addTo(bitmap: Bitmap): void {
    if (this.#bitmap === undefined) this.each((row) => bitmap.add(row))
    else bitmap.union(this.#bitmap)
  }

  /** The rows as a bitmap, if stored as one. Read-only. */
  get bitmap(): Bitmap | undefined {
    return this.#bitmap
  }

  /** The highest row of a non-empty list. */
  get last(): number {
    return this.#list[this.#size - 1] ?? 0
  }

  /** The position of a row in the list, or where it would be inserted. */
  #placeOf(row: number): number {
    if (this.#size === 0 || row > this.last) return this.#size
    let [low, high] = [0, this.#size - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#list[middle] ?? 0) < row) low = middle + 1
      else high = middle
    }
    return low
  }

  #grow(): void {
    const larger = new Uint32Array(this.#size * 2)
    larger.set(this.#list)
    this.#list = larger
  }

  #densify(): void {
    const bitmap = bitmapFor(this.last)
    this.each((row) => bitmap.add(row))
    this.#bitmap = bitmap
    this.#list = new Uint32Array(0)
  }
}

/** Rows of one index entry. A single row is stored as a number, since most values of a large table are rare. */
export type Rows = number | RowSet

/** The lowest row. */
export const firstRow = (rows: Rows): number => (typeof rows === 'number' ? rows : rows.first)

export const sizeOf = (rows: Rows): number => (typeof rows === 'number' ? 1 : rows.size)

export const contains = (rows: Rows, row: number): boolean => (typeof rows === 'number' ? rows === row : rows.has(row))

export function withRow(rows: Rows | undefined, row: number): Rows {
  if (rows === undefined) return row
  if (typeof rows === 'number') return RowSet.of(rows, row)
  rows.add(row)
  return rows
}

/** @returns undefined if no row is left */
export function withoutRow(rows: Rows | undefined, row: number): Rows | undefined {
  if (rows === row || rows === undefined) return undefined
  if (typeof rows === 'number') return rows
  rows.remove(row)
  return rows.size === 0 ? undefined : rows
}

export function eachRow(rows: Rows, visit: (row: number) => void): void {
  if (typeof rows === 'number') visit(rows)
  else rows.each(visit)
}

export function addTo(bitmap: Bitmap, rows: Rows): void {
  if (typeof rows === 'number') bitmap.add(rows)
  else rows.addTo(bitmap)
}
