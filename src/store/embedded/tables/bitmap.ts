import { TypedFastBitSet } from 'typedfastbitset'
import type { Steps } from '../../../util/slices.ts'

/** A set of row numbers, one bit each. */
export type Bitmap = TypedFastBitSet

/** An empty bitmap with room for rows below `capacity`, so that it need not grow. */
export const bitmapFor = (capacity: number): Bitmap => TypedFastBitSet.fromWords(new Uint32Array((capacity >>> 5) + 1))

/**
 * Sets the bit of a row; a bitmap that is too short grows.
 *
 * @param slack extra capacity on growth, as a share of the required size
 */
export const addRow = (bitmap: Bitmap, row: number, slack = 0.25): void => addWord(bitmap, row >>> 5, 1 << (row & 31), slack)

/** Sets bits of the 32-bit word that stands for rows 32 × `index` and up; a bitmap that is too short grows. */
export function addWord(bitmap: Bitmap, index: number, bits: number, slack: number): void {
  if (bitmap.words.length <= index) {
    const words = new Uint32Array(Math.ceil((index + 1) * (1 + slack)) + 1)
    words.set(bitmap.words)
    bitmap.words = words
  }
  bitmap.words[index] = (bitmap.words[index] ?? 0) | bits
}

/** A copy with room for more rows, as a share of the length. */
export function copyWithRoom({ words }: Bitmap, slack: number): Bitmap {
  const copy = new Uint32Array(Math.ceil(words.length * (1 + slack)))
  copy.set(words)
  return TypedFastBitSet.fromWords(copy)
}

/** The work of a step: a fraction of a millisecond. */
export const STEP_WORK = 1 << 14

/**
 * Calls back with each row, ascending, in steps.
 *
 * @param visit returns how much work the row was, in characters or nanoseconds
 */
export function* eachInSteps({ words }: Bitmap, visit: (row: number) => number): Steps<void> {
  let work = 0
  for (let index = 0; index < words.length; index++) {
    work++
    for (let word = words[index] ?? 0; word !== 0; word &= word - 1) {
      work += visit(index * 32 + 31 - Math.clz32(word & -word))
      if (work < STEP_WORK) continue
      yield
      work = 0
    }
  }
}

/** Clears the rows outside of `from` (inclusive) to `to` (exclusive). */
export function restrictToRange({ words }: Bitmap, from: number, to: number): void {
  if (from >= to) {
    words.fill(0)
    return
  }
  const [first, last] = [from >>> 5, (to - 1) >>> 5]
  words.fill(0, 0, first)
  words.fill(0, last + 1)
  if (first < words.length) words[first] = (words[first] ?? 0) & (-1 << (from & 31))
  if (last < words.length) words[last] = (words[last] ?? 0) & (-1 >>> (31 - ((to - 1) & 31)))
}

/** The rows at positions `offset` to `offset + limit - 1`, ascending. */
export function pageOfRows({ words }: Bitmap, offset: number, limit: number): number[] {
  const rows: number[] = []
  let skip = offset
  for (let index = 0; index < words.length && rows.length < limit; index++) {
    let word = words[index] ?? 0
    if (word === 0) continue
    if (skip > 0) {
      const count = onesIn(word)
      if (count <= skip) {
        skip -= count
        continue
      }
    }
    for (; word !== 0 && rows.length < limit; word &= word - 1) {
      if (skip > 0) skip--
      else rows.push(index * 32 + 31 - Math.clz32(word & -word))
    }
  }
  return rows
}

/** Population count of a 32-bit word (Warren, Hacker's Delight, section 5-1). */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
