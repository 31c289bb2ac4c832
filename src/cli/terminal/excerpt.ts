import { UNPRINTABLE } from '../../util/printable.ts'

/** A match in a text, in UTF-16 code units. */
export type Match = readonly [start: number, length: number]

/** Code units shown of a long text, and how many of them before the first match. */
const LENGTH = 100
const LEAD = 30

/**
 * Returns one line of up to 100 code units around the first match, with every match in it highlighted.
 *
 * @param mark highlights a piece of text
 */
export function excerpt(text: string, matches: readonly Match[], mark: (piece: string) => string): string {
  // Each character is replaced by one code unit, so the positions of matches stay valid.
  const line = text.replaceAll(UNPRINTABLE, ' ')
  const sorted = [...matches].sort(([a], [b]) => a - b)
  const from = beginning(line, sorted[0]?.[0] ?? 0)
  const to = from + LENGTH >= line.length ? line.length : whole(line, from + LENGTH)
  let shown = from > 0 ? '…' : ''
  let at = from
  for (const [start, length] of sorted) {
    const [first, end] = [Math.max(start, at), Math.min(start + length, to)]
    if (first >= end) continue
    shown += line.slice(at, first) + mark(line.slice(first, end))
    at = end
  }
  return `${shown}${line.slice(at, to)}${to < line.length ? '…' : ''}`.replaceAll(/ {2,}/g, ' ')
}

/** The start of the excerpt: some words before the match, or earlier if that would leave the line short. */
function beginning(line: string, start: number): number {
  if (line.length <= LENGTH || start <= LEAD) return 0
  const from = Math.max(0, Math.min(start - LEAD, line.length - LENGTH))
  const space = line.indexOf(' ', from)
  return space !== -1 && space < start ? space + 1 : whole(line, from)
}

/** Moves a position back if it is between the two halves of a surrogate pair. */
const whole = (line: string, at: number): number => (/^[\udc00-\udfff]/.test(line.slice(at, at + 1)) ? at - 1 : at)
