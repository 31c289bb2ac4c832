import type { JsonObject } from '../util/json.ts'
import type { SearchQuery } from './query.ts'
import { eachToken, type TokenKind } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Where words stand, by field: first character and length, in UTF-16 code units of the stored text, in order, never overlapping. */
export type Positions = Readonly<Record<string, readonly (readonly [start: number, length: number])[]>>

/** More places of a field nobody highlights, and a text of megabytes may hold a word a million times. */
const MAX_PLACES = 1000

interface Span {
  readonly start: number
  readonly end: number
}

/** Finds the words of a query in the texts of records. */
export class Highlighter {
  readonly #words: Wanted
  /** Those that are joined of several. */
  readonly #joined: Wanted

  constructor({ words, fuzzy }: SearchQuery, vocabulary: Vocabulary) {
    this.#words = new Wanted(vocabulary, fuzzy)
    this.#joined = new Wanted(vocabulary, fuzzy)
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

  /** What is joined counts as one when that is what was looked for, or when none of its parts was. */
  #spansIn(text: string): Span[] {
    const spans: Span[] = []
    let whole: (Span & { readonly isWanted: boolean }) | undefined
    let hasPart = false
    const finish = () => {
      if (whole !== undefined && (whole.isWanted || !hasPart)) spans.push(whole)
      whole = undefined
      hasPart = false
    }
    eachToken(text, (word, kind, start, end) => {
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
    finish()
    return spans
  }
}

/** Words that are looked for, in all the forms in which they are found. */
class Wanted {
  readonly #vocabulary: Vocabulary
  readonly #fuzzy: boolean
  readonly #numbers = new Set<number>()
  readonly #prefixes: string[] = []

  constructor(vocabulary: Vocabulary, fuzzy: boolean) {
    this.#vocabulary = vocabulary
    this.#fuzzy = fuzzy
  }

  add(word: string, prefix: boolean): void {
    this.#vocabulary.eachExact(word, (number) => this.#numbers.add(number))
    if (this.#fuzzy) this.#vocabulary.eachNear(word, (number) => this.#numbers.add(number))
    if (prefix) this.#prefixes.push(word)
  }

  has(word: string): boolean {
    return this.#numbers.has(this.#vocabulary.find(word)) || this.#prefixes.some((prefix) => word.startsWith(prefix))
  }

  /** True for a pair of characters of which only the first was looked for. */
  isOnlyBegun(word: string, kind: TokenKind): boolean {
    return kind === 'pair' && !this.#numbers.has(this.#vocabulary.find(word))
  }
}

/** How long the character is that begins here. */
const firstLength = (text: string, start: number): number => [...text.slice(start, start + 4)][0]?.length ?? 1

/** Spans in order, those that overlap made one. */
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
