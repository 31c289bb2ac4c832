import sorted from 'sorted-btree'
import { compareValues } from '../../query/compare.ts'
import type { Json } from '../../util/json.ts'
import { type Bitmap, Scratch } from './bitmap.ts'
import type { FieldIndex } from './field-index.ts'
import { Landmarks } from './landmarks.ts'
import { addTo, type Rows, removeFrom, sizeOf, withoutRow, withRow } from './row-set.ts'

/** A place between values: before all that equal `value`, or after them. */
export interface Cut {
  readonly value: Json
  readonly side: 'before' | 'after'
}

export const before = (value: Json): Cut => ({ value, side: 'before' })
export const after = (value: Json): Cut => ({ value, side: 'after' })

/** Ranges of more rows than this are worth landmarks. */
const MIN_LANDMARKS = 2048

/** The values of a field in order, each with its rows: a B+tree, with landmarks once long ranges are asked for. */
export class ValueIndex implements FieldIndex {
  readonly #tree = new sorted.default<Json, Rows>(undefined, compareValues)
  readonly #capacity: () => number
  readonly #scratch = new Scratch()
  #landmarks: Landmarks | undefined
  #size = 0

  /** @param capacity tells how many rows there are to have room for */
  constructor(capacity: () => number) {
    this.#capacity = capacity
  }

  add(row: number, value: Json): void {
    const rows = this.#tree.get(value)
    const more = withRow(rows, row)
    if (more !== rows) this.#tree.set(value, more)
    this.#size++
    this.#landmarks?.add(row, value)
  }

  remove(row: number, value: Json): void {
    const rows = this.#tree.get(value)
    if (rows === undefined) return
    const fewer = withoutRow(rows, row)
    if (fewer === undefined) this.#tree.delete(value)
    this.#size--
    this.#landmarks?.remove(row, value)
  }

  rowsOf(value: Json): Rows | undefined {
    return this.#tree.get(value)
  }

  /** The values with their rows, in order or in the reverse of it. */
  entries(order: 'asc' | 'desc', from?: Json): Iterable<readonly [value: Json, rows: Rows]> {
    // One pair for the whole walk: it is used up before the next is asked for.
    const pair: (Json | Rows)[] = []
    return order === 'asc' ? this.#tree.entries(from, pair) : this.#tree.entriesReversed(from, pair)
  }

  /** How many rows lie between two cuts: exactly when they are few, else rounded up to whole buckets. */
  atMost(from: Cut, to: Cut): number {
    const landmarks = this.#currentLandmarks()
    if (landmarks !== undefined) {
      const size = landmarks.sizeOf(landmarks.bucketOf(from.value), landmarks.bucketOf(to.value))
      if (size > MIN_LANDMARKS) return size
    }
    let size = 0
    this.eachIn(from, to, (rows) => {
      size += sizeOf(rows)
    })
    return size
  }

  /** Calls back with the rows of each value between two cuts, in order. */
  eachIn(from: Cut, to: Cut, visit: (rows: Rows) => void): void {
    this.#tree.forRange(from.value, to.value, true, (value, rows) => {
      if (from.side === 'after' && compareValues(value, from.value) === 0) return
      if (to.side === 'before' && compareValues(value, to.value) === 0) return
      visit(rows)
    })
  }

  /** Leaves in a bitmap only the rows between two cuts. */
  narrow(bitmap: Bitmap, from: Cut, to: Cut): void {
    const landmarks = this.#currentLandmarks()
    if (landmarks === undefined) {
      this.#scratch.reset()
      const within = this.#scratch.blank(this.#capacity())
      this.eachIn(from, to, (rows) => addTo(within, rows))
      bitmap.intersection(within)
      return
    }
    this.#dropBefore(bitmap, from, landmarks)
    this.#dropAfter(bitmap, to, landmarks)
  }

  #dropBefore(bitmap: Bitmap, cut: Cut, landmarks: Landmarks): void {
    const bucket = landmarks.bucketOf(cut.value)
    const below = landmarks.before(bucket)
    if (below !== undefined) bitmap.difference(below)
    for (const [value, rows] of this.entries('asc', landmarks.startOf(bucket))) {
      const sign = compareValues(value, cut.value)
      if (sign > 0 || (sign === 0 && cut.side === 'before')) return
      removeFrom(bitmap, rows)
    }
  }

  #dropAfter(bitmap: Bitmap, cut: Cut, landmarks: Landmarks): void {
    const bucket = landmarks.bucketOf(cut.value)
    const start = landmarks.startOf(bucket)
    const earlier = landmarks.before(bucket)
    if (earlier !== undefined && cut.side === 'before' && compareValues(start ?? null, cut.value) === 0) {
      bitmap.intersection(earlier)
      return
    }
    const end = landmarks.startOf(bucket + 1)
    const within = landmarks.before(bucket + 1)
    if (within !== undefined) bitmap.intersection(within)
    for (const [value, rows] of this.entries('asc', cut.value)) {
      if (end !== undefined && compareValues(value, end) >= 0) return
      if (cut.side === 'after' && compareValues(value, cut.value) === 0) continue
      removeFrom(bitmap, rows)
    }
  }

  /** The landmarks, if there are values enough for them. */
  #currentLandmarks(): Landmarks | undefined {
    if (this.#landmarks?.isOvergrown === true) this.#landmarks = undefined
    if (this.#landmarks === undefined && this.#size > MIN_LANDMARKS) {
      this.#landmarks = new Landmarks((from) => this.entries('asc', from), this.#size, this.#capacity())
    }
    return this.#landmarks
  }
}
