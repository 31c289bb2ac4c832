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
