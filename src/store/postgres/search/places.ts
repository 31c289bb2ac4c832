import type { TakePlace } from '../../search-storage.ts'

const CHUNK_BITS = 11
/** Number of ids in a chunk. The places of a word in a chunk are one row. */
const CHUNK = 1 << CHUNK_BITS

export const chunkOf = (id: number): number => Math.floor(id / CHUNK)

const TIMES_BITS = 2
const MORE_TIMES = (1 << TIMES_BITS) - 1

/** Where a word occurs: `times`, from 1 to 4, in a field that has `length` words. */
export interface Place {
  readonly id: number
  readonly field: number
  readonly times: number
  readonly length: number
}

/**
 * Places of one chunk as text: base64 of variable-length integers (LEB128), three for each place in the order of records and fields:
 * the distance of the id to the previous one, field and times, and length.
 */
export function placesText(places: readonly Place[]): string {
  const bytes: number[] = []
  let last = 0
  for (const { id, field, times, length } of places) {
    const offset = id - chunkOf(id) * CHUNK
    putInteger(bytes, offset - last)
    putInteger(bytes, (field << TIMES_BITS) | (Math.min(times, MORE_TIMES + 1) - 1))
    putInteger(bytes, length)
    last = offset
  }
  return Buffer.from(bytes).toString('base64')
}

/** Calls `take` with the places of a chunk. */
export function eachPlace(chunk: number, text: string, take: TakePlace): void {
  const bytes = Buffer.from(text, 'base64')
  let at = 0
  const integer = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  let id = chunk * CHUNK
  while (at < bytes.length) {
    id += integer()
    const place = integer()
    take(id, place >>> TIMES_BITS, (place & MORE_TIMES) + 1, integer())
  }
}

function putInteger(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** Classes of characters. Digits have their own. */
const CLASSES = 32
const DIGITS = 10
const ZERO = 48
const HALF = 32

/**
 * A signature of 64 bits of the characters of a word, as a signed integer: for each of 32 classes of characters, one bit for the first
 * and one for further occurrences. An insertion, a deletion, or one half of a substitution changes at most one bit, and a transposition
 * changes none. So the signatures of words within an edit distance `d` differ in at most `2d` bits.
 */
export function letterSignature(word: string): bigint {
  let first = 0
  let further = 0
  for (let at = 0; at < word.length; at++) {
    const bit = 1 << classOf(word.charCodeAt(at))
    if ((first & bit) !== 0) further |= bit
    first |= bit
  }
  return (BigInt(further) << BigInt(HALF)) | BigInt(first >>> 0)
}

/** Maximum number of different bits of the signatures of words within an edit distance. */
export const maxDifference = (distance: number): number => 2 * distance

function classOf(code: number): number {
  const digit = code - ZERO
  return digit >= 0 && digit < DIGITS ? digit : DIGITS + (code % (CLASSES - DIGITS))
}
