/** Soft hyphens, and characters of no width: ZWSP, ZWNJ, ZWJ, the word joiner and the byte order mark. */
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]+/g
const NON_JOINER = '\u200c'
const ENDS_WITH_LETTER = /[\p{L}\p{N}\p{M}]$/u
const STARTS_WITH_LETTER = /^[\p{L}\p{N}]/u

/** A text as readers see it, and where its characters stand in the whole text. */
export interface SeenText {
  readonly text: string
  /** Position in the whole text. */
  placeOf(at: number): number
}

/**
 * Removes characters that readers do not see, since a word is the same with and without them. A ZWNJ between two letters stays: in Persian
 * it parts a word from its ending, and people write the same word joined, with a ZWNJ or with a space.
 */
export function seenText(whole: string): SeenText {
  if (whole.search(UNSEEN) < 0) return { text: whole, placeOf: (at) => at }
  const places = new Int32Array(whole.length)
  let text = ''
  let from = 0
  const keep = (start: number, end: number) => {
    for (let at = start; at < end; at++) places[text.length + at - start] = at
    text += whole.slice(start, end)
  }
  for (const { 0: unseen, index } of whole.matchAll(UNSEEN)) {
    keep(from, index)
    from = index + unseen.length
    if (unseen.includes(NON_JOINER) && isBetweenLetters(whole, index, from))
      keep(index + unseen.indexOf(NON_JOINER), index + unseen.indexOf(NON_JOINER) + 1)
  }
  keep(from, whole.length)
  return { text, placeOf: (at) => places[at] ?? 0 }
}

/** True if a letter ends before `start`, and one begins at `end`. Either may have two code units. */
const isBetweenLetters = (text: string, start: number, end: number): boolean =>
  ENDS_WITH_LETTER.test(text.slice(Math.max(0, start - 2), start)) && STARTS_WITH_LETTER.test(text.slice(end, end + 2))
