import sorted from 'sorted-btree'
import { compareValues } from '../../../query/match.ts'
import type { Json } from '../../../util/json.ts'
import { Buckets, type Walk } from './buckets.ts'
import { PartedMap } from './parted-map.ts'
import type { RowFilter } from './row-filter.ts'
import { type Rows, sizeOf, withoutRow, withRow } from './row-set.ts'

/** A position between values: before all values equal to `value`, or after them. */
export interface Cut {
  readonly value: Json
  readonly side: 'before' | 'after'
}

export const before = (value: Json): Cut => ({ value, side: 'before' })
export const after = (value: Json): Cut => ({ value, side: 'after' })

/** Ranges of at most this many rows are counted exactly. */
const FEW = 512
/** Values divided into buckets in a step: a fraction of a millisecond of work. */
const STEP = 1000

/** Index of rows by value, in order: a B+tree, divided into buckets for ranges and sort orders. */
export class ValueIndex {
  readonly #tree = new sorted.default<Json, Rows>(undefined, compareValues)
  readonly #capacity: () => number
  #buckets: Buckets | undefined
  #size = 0

  /** @param capacity returns the number of rows to reserve space for */
  constructor(capacity: () => number) {
    this.#capacity = capacity
  }

  add(row: number, value: Json): void {
    const rows = this.#tree.get(value)
    const more = withRow(rows, row)
    if (more !== rows) this.#tree.set(value, more)
    this.#size++
    this.#buckets?.add(row, value, more !== rows)
  }

  remove(row: number, value: Json): void {
    const rows = this.#tree.get(value)
    if (rows === undefined) return
    const fewer = withoutRow(rows, row)
    if (fewer === undefined) this.#tree.delete(value)
    this.#size--
    this.#buckets?.remove(row, value, fewer === undefined)
  }

  rowsOf(value: Json): Rows | undefined {
    return this.#tree.get(value)
  }

  /**
   * Scans the values with their rows in either order, in groups.
   *
   * @param from starts here, or at the next value
   * @param visit receives the rows of consecutive values; returns false to stop
   */
  walk(order: 'asc' | 'desc', from: Json | undefined, visit: (rows: readonly Rows[]) => boolean): void {
    const buckets = this.#currentBuckets()
    const [step, first, end] = order === 'asc' ? [1, 0, buckets.count] : [-1, buckets.count - 1, -1]
    const start = from === undefined ? first : buckets.bucketOf(from)
    for (let bucket = start; bucket !== end; bucket += step) {
      const { values, rows, reversed } = buckets.valuesOf(bucket)
      const inOrder = order === 'asc' ? rows : reversed
      const isCut = from !== undefined && bucket === start
      const skipped = !isCut ? 0 : order === 'asc' ? placeOf(values, before(from)) : values.length - placeOf(values, after(from))
      if (!visit(skipped === 0 ? inOrder : inOrder.slice(skipped))) return
    }
  }

  /** Number of rows between two cuts: exact if small, otherwise rounded up to whole buckets. */
  atMost(from: Cut, to: Cut): number {
    const buckets = this.#currentBuckets()
    const size = buckets.sizeOf(buckets.bucketOf(from.value), buckets.bucketOf(to.value))
    if (size > FEW) return size
    let exact = 0
    this.eachIn(from, to, (rows) => {
      exact += sizeOf(rows)
    })
    return exact
  }

  /** Calls back with the rows of each value between two cuts, in order. */
  eachIn(from: Cut, to: Cut, visit: (rows: Rows) => void): void {
    this.#tree.forRange(from.value, to.value, true, (value, rows) => {
      if (from.side === 'after' && compareValues(value, from.value) === 0) return
      if (to.side === 'before' && compareValues(value, to.value) === 0) return
      visit(rows)
    })
  }

  /** Adds bitmaps of the rows between two cuts to `rowFilter`. */
  describe(rowFilter: RowFilter, from: Cut, to: Cut): void {
    const buckets = this.#currentBuckets()
    this.#dropBefore(rowFilter, from, buckets)
    this.#dropAfter(rowFilter, to, buckets)
  }

  #dropBefore(rowFilter: RowFilter, cut: Cut, buckets: Buckets): void {
    const bucket = buckets.bucketOf(cut.value)
    const { values, rows } = buckets.valuesOf(bucket)
    const end = placeOf(values, cut)
    const next = buckets.before(bucket + 1)
    const isWhole = end === values.length && next !== undefined
    const earlier = isWhole ? next : buckets.before(bucket)
    if (earlier !== undefined) rowFilter.exclude(earlier)
    if (!isWhole) rowFilter.excludeRows(rows, 0, end)
  }

  #dropAfter(rowFilter: RowFilter, cut: Cut, buckets: Buckets): void {
    const bucket = buckets.bucketOf(cut.value)
    const { values, rows } = buckets.valuesOf(bucket)
    const start = placeOf(values, cut)
    const earlier = buckets.before(bucket)
    const isWhole = start === 0 && earlier !== undefined
    const within = isWhole ? earlier : buckets.before(bucket + 1)
    if (within !== undefined) rowFilter.require(within)
    if (!isWhole) rowFilter.excludeRows(rows, start)
  }

  /** True if ranges and orders can be queried without dividing values first. */
  get isDivided(): boolean {
    return this.#buckets?.areComplete === true && !this.#buckets.isOvergrown
  }

  /** Divides the next values into buckets, until `isDivided`. */
  divide(): Buckets {
    if (this.#buckets === undefined || this.#buckets.isOvergrown) {
      const pair: (Json | Rows)[] = []
      // One pair for the whole scan; it is consumed before the next step.
      const walk: Walk = (from) => this.#tree.entries(from, pair) as IterableIterator<[Json, Rows]>
      this.#buckets = new Buckets(walk, this.#size, this.#capacity())
    }
    this.#buckets.divide(STEP)
    return this.#buckets
  }

  #currentBuckets(): Buckets {
    let buckets = this.#buckets
    while (buckets === undefined || !this.isDivided) buckets = this.divide()
    return buckets
  }
}

/** Number of ordered values before a cut. */
function placeOf(values: readonly Json[], { value, side }: Cut): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const sign = compareValues(values[middle] ?? null, value)
    if (sign < 0 || (sign === 0 && side === 'after')) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the rows by value or by items of a list. Null holds the rows without a value. */
export class ItemIndex {
  readonly #rows = new PartedMap<Rows>()

  add(row: number, value: Json): void {
    if (typeof value !== 'object') this.#put(row, value)
    else for (const item of itemsOf(value)) this.#put(row, item)
  }

  remove(row: number, value: Json): void {
    if (typeof value !== 'object') this.#take(row, value)
    else for (const item of itemsOf(value)) this.#take(row, item)
  }

  rowsOf(item: Json): Rows | undefined {
    return this.#rows.get(item)
  }

  #put(row: number, item: Json): void {
    const rows = this.#rows.get(item)
    const more = withRow(rows, row)
    if (more !== rows) this.#rows.set(item, more)
  }

  #take(row: number, item: Json): void {
    if (withoutRow(this.#rows.get(item), row) === undefined) this.#rows.delete(item)
  }
}

/** An empty list counts as no value, a null item does not; an object has no items. */
function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value.length === 0 ? [null] : value.filter((item) => item !== null)
  return typeof value === 'object' && value !== null ? [] : [value]
}
