import { UNPRINTABLE } from './printable.ts'

/** Where something is in a text: from which code unit on, and how many. */
export type Place = readonly [start: number, length: number]

/** How many code units of a long text are shown, and how many of them before the first place. */
const LENGTH = 100
const LEAD = 30

/**
 * One line of a text, about the first of some places, with every place in it marked.
 *
 * @param mark puts a piece of text into whatever makes it stand out
 */
export function excerpt(text: string, places: readonly Place[], mark: (piece: string) => string): string {
  // One code unit for another, so that places stay right.
  const line = text.replaceAll(UNPRINTABLE, ' ')
  const sorted = [...places].sort(([a], [b]) => a - b)
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

/** Where to begin, so that a place is seen with some words before it and the end of the text is made use of. */
function beginning(line: string, start: number): number {
  if (line.length <= LENGTH || start <= LEAD) return 0
  const from = Math.max(0, Math.min(start - LEAD, line.length - LENGTH))
  const space = line.indexOf(' ', from)
  return space !== -1 && space < start ? space + 1 : whole(line, from)
}

/** A place that cuts no character in two. */
const whole = (line: string, at: number): number => (/^[\udc00-\udfff]/.test(line.slice(at, at + 1)) ? at - 1 : at)
