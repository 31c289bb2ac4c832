import type { Bitmap } from './bitmap.ts'
import { eachRow, type Rows } from './row-set.ts'

/** A set of rows as a combination of bitmaps: the rows in all of some, in none of others, and not among a few listed rows. */
export class RowFilter {
  readonly #required: Bitmap[] = []
  readonly #excluded: Bitmap[] = []
  readonly #excludedRows: ExcludedRows[] = []

  /** Only rows of this bitmap belong to the set. */
  require(bitmap: Bitmap): void {
    this.#required.push(bitmap)
  }

  /** No row of this bitmap belongs to the set. */
  exclude(bitmap: Bitmap): void {
    this.#excluded.push(bitmap)
  }

  /** Excludes few rows: the sets at the positions `from` (inclusive) to `to` (exclusive) of a list. */
  excludeRows(rows: readonly Rows[], from = 0, to: number = rows.length): void {
    this.#excludedRows.push({ rows, from, to })
  }

  /** Computes the set as part of another, which only counts if the filter requires no bitmap itself. */
  computeWithin(all: Bitmap, target: Bitmap): number {
    if (this.#required.length === 0) this.require(all)
    return this.computeInto(target)
  }

  /**
   * Computes the set and overwrites the target with it.
   *
   * @param target its former contents do not count
   * @returns number of rows
   */
  computeInto(target: Bitmap): number {
    const [first, ...others] = this.#required
    if (first === undefined) throw new Error('A row filter needs a bitmap')
    target.words.fill(0)
    target.words.set(first.words.subarray(0, target.words.length))
    for (const other of others) target.intersection(other)
    for (const other of this.#excluded) target.difference(other)
    let count = target.size()
    const remove = (row: number): void => {
      if (!target.has(row)) return
      target.remove(row)
      count--
    }
    for (const { rows, from, to } of this.#excludedRows) {
      for (let place = from; place < to; place++) eachRow(rows[place] ?? 0, remove)
    }
    return count
  }
}

interface ExcludedRows {
  readonly rows: readonly Rows[]
  readonly from: number
  readonly to: number
}
