/** Places of words in a text, as a search answers them: start and length in UTF-16 code units. */
export type Places = readonly (readonly [start: number, length: number])[]

/** A piece of a text: a word that was searched for, or what stands between two of them. */
export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

/** How much of a text an excerpt has, in UTF-16 code units. */
export interface ExcerptLimits {
  /** Without the `…` at its ends. */
  readonly length: number
  /** Before the first match. */
  readonly lead: number
}

/** Splits a text into matches and what stands between them: all of it, or a part around the first match with `…` where it is cut. */
export function excerptOf(text: string, places: Places, limits?: ExcerptLimits): readonly Piece[] {
  const { length, lead } = limits ?? { length: text.length, lead: text.length }
  const sorted = places.toSorted(([one], [other]) => one - other)
  const from = beginning(text, sorted[0]?.[0] ?? 0, length, lead)
  const to = from + length >= text.length ? text.length : whole(text, from + length)
  const pieces: Piece[] = [{ text: from > 0 ? '…' : '', isMatch: false }]
  let at = from
  for (const [start, size] of sorted) {
    const [first, end] = [Math.max(start, at), Math.min(start + size, to)]
    if (first >= end) continue
    pieces.push({ text: text.slice(at, first), isMatch: false }, { text: text.slice(first, end), isMatch: true })
    at = end
  }
  pieces.push({ text: `${text.slice(at, to)}${to < text.length ? '…' : ''}`, isMatch: false })
  return pieces.filter((piece) => piece.text !== '')
}

/** The start of an excerpt: some words before the match, or earlier if that would leave the excerpt short. */
function beginning(text: string, start: number, length: number, lead: number): number {
  if (text.length <= length || start <= lead) return 0
  const from = Math.max(0, Math.min(start - lead, text.length - length))
  const space = text.indexOf(' ', from)
  return space !== -1 && space < start ? space + 1 : whole(text, from)
}

/** Moves a position back if it is between the two halves of a surrogate pair. */
const whole = (text: string, at: number): number => (/^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at)
