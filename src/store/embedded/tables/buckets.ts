import { compareValues } from '../../../query/match.ts'
import type { Json } from '../../../util/json.ts'
import { addRow, addWord, type Bitmap, bitmapFor, copyWithRoom } from './bitmap.ts'
import { addTo, type Rows, sizeOf } from './row-set.ts'

/** Minimum size of a bucket, in rows. */
const MIN_BUCKET = 128
const MAX_BUCKETS = 256
/** Number of rows whose division costs as much as that of a value. */
const ROWS_PER_VALUE = 8
/** Rows collected before they are added to the bitmaps. */
const MAX_LATEST = 64

/** Different slack for each bitmap, so that they do not all grow at the same time: 256 bitmaps of a million rows take 120 ms. */
const slackOf = (index: number, count: number): number => 0.1 + (0.4 * index) / count

/** Iterates the values of an index in order, from `from` on, with their rows. */
export type Walk = (from: Json | undefined) => Iterable<readonly [value: Json, rows: Rows]>

/** A run of neighbouring values of an index, in order, with their rows. */
export interface BucketValues {
  readonly values: readonly Json[]
  readonly rows: readonly Rows[]
  /** The rows of the last value first. */
  readonly reversed: readonly Rows[]
}

/**
 * Divides the values of an index into buckets of some hundred or thousand rows, and keeps for each bound a bitmap of all rows
 * with smaller values. A range of any size is then two bitmaps and parts of two buckets: a range-encoded bitmap index (Chan &
 * Ioannidis, SIGMOD 1998) with bins. An ordered scan reads a few arrays.
 */
export class Buckets {
  /** Least value of each bucket but the first. */
  readonly #bounds: Json[] = []
  /** `#below[i]`: the rows with values less than `#bounds[i]`. */
  readonly #below: Bitmap[] = []
  /** Rows not yet in the bitmaps, with their buckets. */
  #latest: { readonly row: number; readonly bucket: number }[] = []
  /** Number of rows of each bucket; one more than bounds. */
  readonly #sizes: number[] = [0]
  /** Values of each bucket, cached until they change. */
  readonly #bucketValues: (BucketValues | undefined)[] = []
  readonly #walk: Walk
  readonly #target: number
  /** The values divided so far: the last one, and all their rows. Undefined once all values are divided. */
  #divided: { last: Json | undefined; readonly rows: Bitmap } | undefined

  constructor(walk: Walk, size: number, capacity: number) {
    this.#walk = walk
    this.#target = Math.max(MIN_BUCKET, Math.ceil(size / MAX_BUCKETS))
    this.#divided = { last: undefined, rows: bitmapFor(capacity) }
  }

  /** True once all values are divided. Before, only `divide`, `add` and `remove` may be called. */
  get areComplete(): boolean {
    return this.#divided === undefined
  }

  /** Divides the next values, at most about so many. */
  divide(most: number): void {
    const divided = this.#divided
    if (divided === undefined) return
    let left = most
    const { last: from, rows: below } = divided
    for (const [value, rows] of this.#walk(from)) {
      if (from !== undefined && compareValues(value, from) === 0) continue
      if (left <= 0) return
      const count = sizeOf(rows)
      const last = this.#sizes.length - 1
      const filled = this.#sizes[last] ?? 0
      if (filled > 0 && filled + count > this.#target) {
        this.#bounds.push(value)
        this.#below.push(copyWithRoom(below, slackOf(this.#below.length, MAX_BUCKETS)))
        this.#sizes.push(count)
      } else {
        this.#sizes[last] = filled + count
      }
      addTo(below, rows)
      divided.last = value
      left -= 1 + count / ROWS_PER_VALUE
    }
    this.#divided = undefined
  }

  /** True if a value is not divided yet: `divide` finds its rows. */
  #isAhead(value: Json): boolean {
    const divided = this.#divided
    return divided !== undefined && (divided.last === undefined || compareValues(value, divided.last) > 0)
  }

  /** True if splits have made so many buckets that a rebuild pays off. */
  get isOvergrown(): boolean {
    return this.#bounds.length > 2 * MAX_BUCKETS
  }

  get count(): number {
    return this.#sizes.length
  }

  /** @param isChange true if the set of the value's rows changed otherwise than by growing */
  add(row: number, value: Json, isChange: boolean): void {
    if (this.#isAhead(value)) return
    if (this.#divided !== undefined) addRow(this.#divided.rows, row)
    const bucket = this.bucketOf(value)
    this.#latest.push({ row, bucket })
    if (this.#latest.length >= MAX_LATEST) this.#settle()
    if (isChange) this.#bucketValues[bucket] = undefined
    const size = (this.#sizes[bucket] ?? 0) + 1
    this.#sizes[bucket] = size
    if (size > 2 * this.#target && this.areComplete) this.#split(bucket)
  }

  remove(row: number, value: Json, isChange: boolean): void {
    if (this.#isAhead(value)) return
    this.#divided?.rows.remove(row)
    const bucket = this.bucketOf(value)
    this.#settle()
    for (let index = bucket; index < this.#below.length; index++) this.#below[index]?.remove(row)
    if (isChange) this.#bucketValues[bucket] = undefined
    this.#sizes[bucket] = (this.#sizes[bucket] ?? 0) - 1
  }

  /** The bucket of a value: the number of bounds that are not greater. */
  bucketOf(value: Json): number {
    let [low, high] = [0, this.#bounds.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareValues(this.#bounds[middle] ?? null, value) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Number of rows in buckets `from` to `to`, inclusive. */
  sizeOf(from: number, to: number): number {
    let size = 0
    for (let bucket = from; bucket <= to; bucket++) size += this.#sizes[bucket] ?? 0
    return size
  }

  /** Least value of a bucket; undefined for the first. */
  startOf(bucket: number): Json | undefined {
    return this.#bounds[bucket - 1]
  }

  /** The rows in all buckets before this one; undefined for the first bucket and behind the last. */
  before(bucket: number): Bitmap | undefined {
    this.#settle()
    return this.#below[bucket - 1]
  }

  /** The values of a bucket. */
  valuesOf(bucket: number): BucketValues {
    const known = this.#bucketValues[bucket]
    if (known !== undefined) return known
    const values: Json[] = []
    const rowsOf: Rows[] = []
    for (const [value, rows] of this.#within(bucket)) {
      values.push(value)
      rowsOf.push(rows)
    }
    const found = { values, rows: rowsOf, reversed: rowsOf.toReversed() }
    this.#bucketValues[bucket] = found
    return found
  }

  /** Adds the collected rows to the bitmaps, word by word: consecutive rows share words. */
  #settle(): void {
    if (this.#latest.length === 0) return
    const latest = this.#latest.sort((a, b) => a.bucket - b.bucket)
    const bits = new Map<number, number>()
    let taken = 0
    for (let index = latest[0]?.bucket ?? 0; index < this.#below.length; index++) {
      for (let next = latest[taken]; next !== undefined && next.bucket <= index; next = latest[++taken]) {
        bits.set(next.row >>> 5, (bits.get(next.row >>> 5) ?? 0) | (1 << (next.row & 31)))
      }
      const below = this.#below[index]
      const slack = slackOf(index, this.#below.length)
      if (below !== undefined) for (const [word, rows] of bits) addWord(below, word, rows, slack)
    }
    // Only now: if a bitmap cannot grow, the rows are added at the next read.
    this.#latest = []
  }

  /** Splits a bucket, unless it has only one value. */
  #split(bucket: number): void {
    const size = this.#sizes[bucket] ?? 0
    let first = 0
    for (const [value, rows] of this.#within(bucket)) {
      if (first > 0 && first + sizeOf(rows) > size / 2) {
        this.#cut(bucket, value, first)
        return
      }
      first += sizeOf(rows)
    }
  }

  /** Starts a bucket at `bound`; `first` rows remain in the bucket before it. */
  #cut(bucket: number, bound: Json, first: number): void {
    const below = this.before(bucket)?.clone() ?? bitmapFor(0)
    for (const [value, rows] of this.#within(bucket)) {
      if (compareValues(value, bound) >= 0) break
      addTo(below, rows)
    }
    this.#bounds.splice(bucket, 0, bound)
    this.#below.splice(bucket, 0, below)
    this.#sizes.splice(bucket, 1, first, (this.#sizes[bucket] ?? 0) - first)
    this.#bucketValues.splice(bucket, 1, undefined, undefined)
  }

  *#within(bucket: number): Generator<readonly [value: Json, rows: Rows]> {
    const end = this.#bounds[bucket]
    for (const entry of this.#walk(this.startOf(bucket))) {
      if (end !== undefined && compareValues(entry[0], end) >= 0) return
      yield entry
    }
  }
}
