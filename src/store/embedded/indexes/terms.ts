import type { Bitmap } from './bitmap.ts'
import { meet } from './bitwise.ts'
import { eachRow, type Rows } from './row-set.ts'

/** What a set of rows is made of: those in all of some bitmaps, in none of some others, and not among a few strays. */
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

  /** Leaves out rows that are few: those from one place in a list to another. */
  dropRows(rows: readonly Rows[], from = 0, to: number = rows.length): void {
    this.#strays.push({ rows, from, to })
  }

  /** True when nothing says which rows are meant, only which are not. */
  get isOpen(): boolean {
    return this.#keeps.length === 0
  }

  /**
   * Works the set out.
   *
   * @param target becomes the set; may be one of the bitmaps
   * @returns how many rows are in it
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
