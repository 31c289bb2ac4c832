import type { JsonObject } from '../util/json.ts'
import type { ParsedSearch } from './query.ts'
import { beginsStopWords, isStopWord } from './stems.ts'
import { type TokenKind, tokenSteps } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Positions of words by field: start and length in UTF-16 code units of the stored text, in order, not overlapping. */
export type Positions = Readonly<Record<string, readonly (readonly [start: number, length: number])[]>>

/** Maximum number of positions of a field, since a text of megabytes may contain a word a million times. */
const MAX_PLACES = 1000

interface Span {
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
  #spansIn(text: string): Span[] {
    const spans: Span[] = []
    let whole: (Span & { readonly isWanted: boolean }) | undefined
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
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of spans) {
    const last = result.at(-1)
    if (last !== undefined && span.start < last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else result.push(span)
  }
  return result
}
