import { compareValues } from '../../../query/compare.ts'
import type { Json } from '../../../util/json.ts'
import { type Bitmap, bitmapFor, keepBits } from './bitmap.ts'
import { addTo, type Rows, sizeOf } from './row-set.ts'

/** Buckets are at least this large, in rows. */
const MIN_BUCKET = 128
const MAX_BUCKETS = 256
/** So many rows are put into the bitmaps at once. */
const MAX_LATEST = 64

/** Gives the values of an index from `from` on, in order, with their rows. */
export type Walk = (from: Json | undefined) => Iterable<readonly [value: Json, rows: Rows]>

/** Neighbouring values of an index, in order, and the rows of each. */
export interface Stretch {
  readonly values: readonly Json[]
  readonly rows: readonly Rows[]
  /** The rows of the last value first. */
  readonly reversed: readonly Rows[]
}

/**
 * Cuts the values of an index into buckets of some hundred or thousand rows, and knows for each bound all rows with smaller
 * values. A range is then two bitmaps and a look into two buckets, however many rows it holds (a range-encoded bitmap index:
 * Chan & Ioannidis, SIGMOD 1998, with bins); and going through values in order is going through a few arrays.
 */
export class Buckets {
  /** The least value of each bucket but the first. */
  readonly #bounds: Json[] = []
  /** `#below[i]`: the rows with values less than `#bounds[i]`. */
  readonly #below: Bitmap[] = []
  /** Rows that are not yet among those below, each with its bucket. */
  #latest: { readonly row: number; readonly bucket: number }[] = []
  /** How many rows each bucket holds, one more than there are bounds. */
  readonly #sizes: number[] = [0]
  /** The values of each bucket, as far as they were asked for and have not changed since. */
  readonly #stretches: (Stretch | undefined)[] = []
  readonly #walk: Walk
  readonly #target: number

  constructor(walk: Walk, size: number, capacity: number) {
    this.#walk = walk
    this.#target = Math.max(MIN_BUCKET, Math.ceil(size / MAX_BUCKETS))
    const below = bitmapFor(capacity)
    for (const [value, rows] of walk(undefined)) {
      const count = sizeOf(rows)
      const last = this.#sizes.length - 1
      const filled = this.#sizes[last] ?? 0
      if (filled > 0 && filled + count > this.#target) {
        this.#bounds.push(value)
        this.#below.push(below.clone())
        this.#sizes.push(count)
      } else {
        this.#sizes[last] = filled + count
      }
      addTo(below, rows)
    }
  }

  /** True once there are so many more buckets that they are worth making anew. */
  get isOvergrown(): boolean {
    return this.#bounds.length > 2 * MAX_BUCKETS
  }

  get count(): number {
    return this.#sizes.length
  }

  /** @param isChange whether the rows of the value are others than before, not just more of the same set */
  add(row: number, value: Json, isChange: boolean): void {
    const bucket = this.bucketOf(value)
    this.#latest.push({ row, bucket })
    if (this.#latest.length >= MAX_LATEST) this.#settle()
    if (isChange) this.#stretches[bucket] = undefined
    const size = (this.#sizes[bucket] ?? 0) + 1
    this.#sizes[bucket] = size
    if (size > 2 * this.#target) this.#split(bucket)
  }

  remove(row: number, value: Json, isChange: boolean): void {
    const bucket = this.bucketOf(value)
    this.#settle()
    for (let index = bucket; index < this.#below.length; index++) this.#below[index]?.remove(row)
    if (isChange) this.#stretches[bucket] = undefined
    this.#sizes[bucket] = (this.#sizes[bucket] ?? 0) - 1
  }

  /** The bucket that a value falls into: as many bounds are not above it. */
  bucketOf(value: Json): number {
    let [low, high] = [0, this.#bounds.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareValues(this.#bounds[middle] ?? null, value) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** How many rows lie in the buckets from one to another, both included. */
  sizeOf(from: number, to: number): number {
    let size = 0
    for (let bucket = from; bucket <= to; bucket++) size += this.#sizes[bucket] ?? 0
    return size
  }

  /** The least value of a bucket; undefined for the first. */
  startOf(bucket: number): Json | undefined {
    return this.#bounds[bucket - 1]
  }

  /** The rows in all buckets before this one; undefined for the first, before which there are none, and behind the last. */
  before(bucket: number): Bitmap | undefined {
    this.#settle()
    return this.#below[bucket - 1]
  }

  /** The values of a bucket. */
  stretch(bucket: number): Stretch {
    const known = this.#stretches[bucket]
    if (known !== undefined) return known
    const values: Json[] = []
    const rowsOf: Rows[] = []
    for (const [value, rows] of this.#within(bucket)) {
      values.push(value)
      rowsOf.push(rows)
    }
    const stretch = { values, rows: rowsOf, reversed: rowsOf.toReversed() }
    this.#stretches[bucket] = stretch
    return stretch
  }

  /** Puts the latest rows among those below, word by word: they have followed each other, so that many of them share one. */
  #settle(): void {
    if (this.#latest.length === 0) return
    const latest = this.#latest.sort((a, b) => a.bucket - b.bucket)
    this.#latest = []
    const bits = new Map<number, number>()
    let taken = 0
    for (let index = latest[0]?.bucket ?? 0; index < this.#below.length; index++) {
      for (let next = latest[taken]; next !== undefined && next.bucket <= index; next = latest[++taken]) {
        bits.set(next.row >>> 5, (bits.get(next.row >>> 5) ?? 0) | (1 << (next.row & 31)))
      }
      const below = this.#below[index]
      // Each has room for another number of rows, so that they do not all have to grow at once.
      const slack = 0.1 + (0.4 * index) / this.#below.length
      if (below !== undefined) for (const [word, rows] of bits) keepBits(below, word, rows, slack)
    }
  }

  /** Cuts a bucket in two, unless it is of one value. */
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

  /** Begins a bucket at `bound`, which leaves `first` rows to the one that it is cut from. */
  #cut(bucket: number, bound: Json, first: number): void {
    const below = this.before(bucket)?.clone() ?? bitmapFor(0)
    for (const [value, rows] of this.#within(bucket)) {
      if (compareValues(value, bound) >= 0) break
      addTo(below, rows)
    }
    this.#bounds.splice(bucket, 0, bound)
    this.#below.splice(bucket, 0, below)
    this.#sizes.splice(bucket, 1, first, (this.#sizes[bucket] ?? 0) - first)
    this.#stretches.splice(bucket, 1, undefined, undefined)
  }

  *#within(bucket: number): Generator<readonly [value: Json, rows: Rows]> {
    const end = this.#bounds[bucket]
    for (const entry of this.#walk(this.startOf(bucket))) {
      if (end !== undefined && compareValues(entry[0], end) >= 0) return
      yield entry
    }
  }
}
