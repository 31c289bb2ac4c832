import type { Bitmap } from './bitmap.ts'
import { meet } from './bitwise.ts'
import { eachRow, type Rows } from './row-set.ts'

/** A set of rows as a combination of bitmaps: the rows in all of some, in none of others, and not among a few listed rows. */
export class Terms {
  readonly #keeps: Bitmap[] = []
  readonly #drops: Bitmap[] = []
  readonly #strays: Strays[] = []

  keep(bitmap: Bitmap): void {
    this.#keeps.push(bitmap)
  }

  drop(bitmap: Bitmap): void {
    this.#drops.push(bitmap)
  }

  /** Excludes few rows, a part of a list. */
  dropRows(rows: readonly Rows[], from = 0, to: number = rows.length): void {
    this.#strays.push({ rows, from, to })
  }

  /** True if the terms only exclude rows. */
  get isOpen(): boolean {
    return this.#keeps.length === 0
  }

  /**
   * Computes the set.
   *
   * @param target receives the set; may be one of the bitmaps
   * @returns number of rows
   */
  meet(target: Bitmap): number {
    let count = meet(target, this.#keeps, this.#drops)
    const remove = (row: number): void => {
      if (!target.has(row)) return
      target.remove(row)
      count--
    }
    for (const { rows, from, to } of this.#strays) {
      for (let place = from; place < to; place++) eachRow(rows[place] ?? 0, remove)
    }
    return count
  }
}

interface Strays {
  readonly rows: readonly Rows[]
  readonly from: number
  readonly to: number
}
