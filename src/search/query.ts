import { eachToken, MAX_WORD, type TokenKind } from './tokens.ts'
import { isSilent } from './vocabulary.ts'

const MAX_WORDS = 10

/** A word that is looked for. */
export interface QueryWord {
  /** The word as an index knows it; empty for a run of characters in a script without spaces, of which only pairs are known. */
  readonly text: string
  /** What a text may hold in its place, all of it: the words that are joined in it, or the pairs of a run. */
  readonly parts: readonly string[]
  /** Words that only begin like it, or like its last part, count too. */
  readonly prefix: boolean
}

/** What is looked for. */
export interface SearchQuery {
  /** In the order in which they were written. None when there is nothing to look for. */
  readonly words: readonly QueryWord[]
  /** The fields that are searched; all of them when undefined. */
  readonly fields: readonly string[] | undefined
  /** True when words count that are written a little differently. */
  readonly fuzzy: boolean
  /** What of the text does not count, in words. */
  readonly notices: readonly string[]
}

/** Reads what a person typed. It is text and has no syntax, so nothing in it is wrong. */
export function readQuery(
  q: string,
  { fields, fuzzy }: { readonly fields?: readonly string[] | undefined; readonly fuzzy: boolean },
): SearchQuery {
  const written = unlike(spansOf(q))
  const telling = written.filter(({ text, parts }) => parts.length > 0 || !isSilent(text))
  // Somebody who has typed `an` may be about to type `ann`.
  const counted = telling.length > 0 ? telling : written.slice(-1)
  const words = counted.slice(0, MAX_WORDS).map(({ text, parts, ending }) => {
    return { text, parts, prefix: ending === 'always' || (ending === 'when last' && text === counted.at(-1)?.text) }
  })
  return { words, fields, fuzzy, notices: noticesOf(counted) }
}

function noticesOf(words: readonly Span[]): string[] {
  const notices: string[] = []
  if (words.length === 0) notices.push(`There is no word to look for`)
  const left = words.length - MAX_WORDS
  if (left > 0) notices.push(`Only the first ${MAX_WORDS} words count; ${left} ${left === 1 ? 'is' : 'are'} left out`)
  const long = words.slice(0, MAX_WORDS).filter(({ end, start }) => end - start > MAX_WORD)
  if (long.length > 0) notices.push(`Only the first ${MAX_WORD} characters of a word count`)
  return notices
}

interface Span {
  text: string
  readonly parts: string[]
  readonly start: number
  end: number
  /** Whether words that only begin so count. */
  ending: 'always' | 'when last' | 'never'
}

/** The words of a text with what they are made of. */
function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let last: Span | undefined
  eachToken(text, (word, kind, start, end) => {
    if (last !== undefined && isInside(kind, start, last)) {
      last.end = Math.max(last.end, end)
      if (start - last.start < MAX_WORD && !isSilent(word)) last.parts.push(word)
      return
    }
    last = { text: word, parts: [], start, end, ending: kind === 'pair' ? 'always' : 'when last' }
    spans.push(last)
  })
  return spans.map(withoutRest)
}

const isInside = (kind: TokenKind, start: number, { end }: Span): boolean => kind !== 'plain' && kind !== 'whole' && start < end

/** A run of characters is known by its pairs: the first of them is no word of its own, and the last character is in the last pair. */
function withoutRest(span: Span): Span {
  if (span.ending !== 'always' || span.parts.length === 0) return span
  return { ...span, text: '', parts: [span.text, ...span.parts.slice(0, -1)], ending: 'never' }
}

/** Each word once. */
function unlike(spans: readonly Span[]): Span[] {
  const keyOf = ({ text, parts }: Span) => JSON.stringify([text, parts])
  return [...new Map(spans.map((span) => [keyOf(span), span])).values()]
}
