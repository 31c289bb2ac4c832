import type { JsonObject } from '../util/json.ts'
import { beginsStopWords, isStopWord } from './stems.ts'
import { eachToken, MAX_WORD, type TokenKind, tokenSteps } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

const MAX_WORDS = 10
/** Maximum number of parts of all words together. */
const MAX_PARTS = 32

/** A word of the query. */
export interface QueryWord {
  /** The word as the index has it; empty for a run of characters in a script without spaces, which is indexed by pairs only. */
  readonly text: string
  /** Words that a text may contain instead, all of them: the parts of a compound, or the pairs of a run. */
  readonly parts: readonly string[]
  /** True if words that begin with it, or with its last part, match. */
  readonly prefix: boolean
}

/** A parsed query. */
export interface ParsedSearch {
  /** In the order of the text. Empty if there is nothing to search for. */
  readonly words: readonly QueryWord[]
  /** Stop words beside the words. Records without them are found too. */
  readonly slight: readonly string[]
  /** The fields to search; undefined for all. */
  readonly fields: readonly string[] | undefined
  /** True if similarly spelled words match. */
  readonly fuzzy: boolean
  /** Notices about ignored parts of the text. */
  readonly notices: readonly string[]
}

/** Parses the text of a search. It has no syntax, so every text is valid. */
export function readQuery(
  q: string,
  { fields, fuzzy }: { readonly fields?: readonly string[] | undefined; readonly fuzzy: boolean },
): ParsedSearch {
  const spans = spansOf(q)
  const last = spans.findLast(isTelling) ?? spans.at(-1)
  const written = unlike(spans, last)
  const telling = written.filter(isTelling)
  const counted = telling.length > 0 ? telling : written
  const stopWords = telling.length > 0 ? written.filter((span) => !isTelling(span)) : []
  const slight = stopWords.slice(0, MAX_WORDS).map(({ text }) => text)
  let partsLeft = MAX_PARTS
  const words = counted.slice(0, MAX_WORDS).map(({ text, parts, ending }) => {
    const kept = parts.slice(0, partsLeft)
    partsLeft -= kept.length
    return { text, parts: kept, prefix: ending === 'always' || (ending === 'when last' && text === last?.text) }
  })
  return { words, slight, fields, fuzzy, notices: noticesOf(counted) }
}

const isTelling = ({ text, parts }: Span): boolean => parts.length > 0 || !isStopWord(text)

function noticesOf(words: readonly Span[]): string[] {
  const notices: string[] = []
  if (words.length === 0) notices.push(`There is no word to look for`)
  const left = words.length - MAX_WORDS
  if (left > 0) notices.push(`Only the first ${MAX_WORDS} words count; ${left} ${left === 1 ? 'is' : 'are'} left out`)
  const long = words.slice(0, MAX_WORDS).filter(({ end, start }) => end - start > MAX_WORD)
  if (long.length > 0) notices.push(`Only the first ${MAX_WORD} characters of a word count`)
  const parts = words.slice(0, MAX_WORDS).reduce((sum, word) => sum + word.parts.length, 0)
  if (parts > MAX_PARTS) notices.push(`Only the first ${MAX_PARTS} parts of words that are joined count`)
  return notices
}

interface Span {
  text: string
  readonly parts: string[]
  /** Parts that are stop words. */
  readonly stopParts: string[]
  readonly start: number
  end: number
  /** True if further characters without spaces follow. */
  isRun: boolean
  /** Condition under which words that begin with it match. */
  ending: 'always' | 'when last' | 'never'
}

/** The words of a text with their parts. */
function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let last: Span | undefined
  /** End of the present run of characters, whose pairs follow each other. */
  let runEnd = 0
  eachToken(text, (word, kind, start, end) => {
    // The last character of a run is part of the last pair.
    const isRest = kind === 'pair' && end === runEnd
    if (kind === 'pair') runEnd = end
    if (last !== undefined && isInside(kind, start, last)) {
      last.isRun ||= kind === 'pair'
      last.end = Math.max(last.end, end)
      const parts = isStopWord(word) ? last.stopParts : last.parts
      if (start - last.start < MAX_WORD && !isRest && word !== '' && !parts.includes(word)) parts.push(word)
      return
    }
    // A word of marks only.
    if (word === '') return
    last = { text: word, parts: [], stopParts: [], start, end, isRun: false, ending: kind === 'pair' ? 'always' : 'when last' }
    spans.push(last)
  })
  return spans.map(asRun).map(withParts)
}

/** Parts that are stop words count if there are no others, as in `to-do`. */
const withParts = (span: Span): Span => (span.parts.length > 0 ? span : { ...span, parts: span.stopParts })

const isInside = (kind: TokenKind, start: number, { end }: Span): boolean => kind !== 'plain' && kind !== 'whole' && start < end

/** A run of several characters is matched by its pairs only; this is the first pair. */
function asRun(span: Span): Span {
  return span.ending === 'always' && span.isRun
    ? { ...span, text: '', parts: [...new Set([span.text, ...span.parts])], ending: 'never' }
    : span
}

/** Removes duplicate words, keeping the first. The last word is a prefix wherever it occurs. */
function unlike(spans: readonly Span[], last: Span | undefined): Span[] {
  const keyOf = ({ text, parts }: Span) => JSON.stringify([text, parts])
  const byKey = new Map<string, Span>()
  for (const span of spans) if (!byKey.has(keyOf(span))) byKey.set(keyOf(span), span)
  return [...byKey.values()].map((span) =>
    last !== undefined && keyOf(span) === keyOf(last) ? { ...span, ending: last.ending } : span,
  )
}

/** Positions of words by field: start and length in UTF-16 code units of the stored text, in order, not overlapping. */
export type Positions = Readonly<Record<string, readonly (readonly [start: number, length: number])[]>>

/** Maximum number of positions of a field, since a text of megabytes may contain a word a million times. */
const MAX_PLACES = 1000

interface Stretch {
  readonly start: number
  readonly end: number
}

/** Finds the words of a query in the texts of records. */
export class Highlighter {
  readonly #words: Wanted
  /** Compound words of the query. */
  readonly #joined: Wanted

  constructor({ words, slight, fuzzy }: ParsedSearch, vocabulary: Vocabulary) {
    this.#words = new Wanted(vocabulary, fuzzy)
    this.#joined = new Wanted(vocabulary, fuzzy)
    for (const word of slight) this.#words.addExact(word)
    for (const { text, parts, prefix } of words) {
      if (text !== '') this.#words.add(text, prefix)
      if (text !== '' && parts.length > 0) this.#joined.add(text, prefix)
      for (const [index, part] of parts.entries()) this.#words.add(part, prefix && index === parts.length - 1)
    }
  }

  positionsIn(record: JsonObject, fields: readonly string[], textOf: (record: JsonObject, field: string) => string): Positions {
    const positions: Record<string, [number, number][]> = {}
    for (const field of fields) {
      const spans = this.#spansIn(textOf(record, field))
      if (spans.length > 0) positions[field] = joined(spans).map(({ start, end }) => [start, end - start])
    }
    return positions
  }

  /** A compound counts as one word if the query contains it, or if the query contains none of its parts. */
  #spansIn(text: string): Stretch[] {
    const spans: Stretch[] = []
    let whole: (Stretch & { readonly isWanted: boolean }) | undefined
    let hasPart = false
    const finish = () => {
      if (whole !== undefined && (whole.isWanted || !hasPart)) spans.push(whole)
      whole = undefined
      hasPart = false
    }
    const steps = tokenSteps(text, (word, kind, start, end) => {
      if (spans.length >= MAX_PLACES) return
      if (whole !== undefined && start >= whole.end) finish()
      if (kind === 'plain' || kind === 'whole') finish()
      if (!this.#words.has(word)) return
      if (kind === 'whole') {
        whole = { start, end, isWanted: this.#joined.has(word) }
        return
      }
      hasPart = true
      if (whole?.isWanted !== true)
        spans.push({ start, end: this.#words.isOnlyBegun(word, kind) ? start + firstLength(text, start) : end })
    })
    for (const _ of steps) if (spans.length >= MAX_PLACES) break
    finish()
    return spans
  }
}

/** The words of a query in all forms that match. */
class Wanted {
  readonly #vocabulary: Vocabulary
  readonly #fuzzy: boolean
  readonly #numbers = new Set<number>()
  readonly #prefixes: string[] = []

  constructor(vocabulary: Vocabulary, fuzzy: boolean) {
    this.#vocabulary = vocabulary
    this.#fuzzy = fuzzy
  }

  addExact(word: string): void {
    this.#vocabulary.eachExact(word, (number) => this.#numbers.add(number))
  }

  add(word: string, prefix: boolean): void {
    this.addExact(word)
    if (this.#fuzzy) this.#vocabulary.eachNear(word, (number) => this.#numbers.add(number))
    if (prefix) this.#prefixes.push(word)
  }

  has(word: string): boolean {
    return this.#numbers.has(this.#vocabulary.find(word)) || this.#prefixes.some((prefix) => isBegun(word, prefix))
  }

  /** True for a pair of characters of which the query contains only the first. */
  isOnlyBegun(word: string, kind: TokenKind): boolean {
    return kind === 'pair' && !this.#numbers.has(this.#vocabulary.find(word))
  }
}

const isBegun = (word: string, prefix: string): boolean =>
  word.startsWith(prefix) && (beginsStopWords(prefix) || !isStopWord(word))

/** Length of the character that begins here, in code units. */
const firstLength = (text: string, start: number): number => [...text.slice(start, start + 4)][0]?.length ?? 1

/** Merges overlapping spans, in order. */
function joined(spans: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = []
  for (const span of spans) {
    const last = result.at(-1)
    if (last !== undefined && span.start < last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else result.push(span)
  }
  return result
}
