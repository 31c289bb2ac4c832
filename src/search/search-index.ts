import type { JsonObject } from '../util/json.ts'
import { bestOf } from './best.ts'
import { Documents } from './documents.ts'
import { Highlighter, type Positions } from './highlight.ts'
import { MORE_TIMES, Postings, TIMES_BITS } from './postings.ts'
import type { QueryWord, SearchQuery } from './query.ts'
import { Tally, WordScores } from './scores.ts'
import { eachWord } from './tokens.ts'
import { type Likeness, Vocabulary } from './vocabulary.ts'

/** A field that is searched, and how much it weighs: more than 0, at most 1. */
export interface SearchField {
  readonly name: string
  readonly weight: number
}

export interface Hit {
  readonly id: number
  readonly score: number
}

/** What a search found. */
export interface Found {
  /** The page that was asked for, the best first; those that are as good as each other by their ids. */
  readonly hits: readonly Hit[]
  /** How many records there are on all pages. */
  readonly total: number
  /** True when no record has all the words: these have some of them. */
  readonly partial: boolean
  /** Where the words stand in a record that was found, as it was then. */
  positionsIn(record: JsonObject): Positions
}

/** BM25's constants, as lunr has them: how soon more of a word stops to count, and how much the length of a field does. */
const K1 = 1.2
const B = 0.75

const RECORDS_A_SLICE = 256
const CHARACTERS_A_SLICE = 1 << 17

/**
 * A likeness is worth half of the next better one, and how often a word comes up and where moves it by less than that: an exact
 * word always ranks before one that only begins so, and this before one that is written differently.
 */
const WORTH: Readonly<Record<Likeness, number>> = { exact: 1, inflected: 1 / 2, prefix: 1 / 4, near: 1 / 8, far: 1 / 16 }
/** The same for a word whose parts stand in a text each by itself. */
const WORTH_APART = 1 / 2

/**
 * A full-text index of records that takes every change as it comes: an inverted index (word → documents) over words with
 * Okapi BM25 as lunr weighs it, each word counting with the best of the fields that it is found in (disjunction maximum).
 */
export class SearchIndex {
  /** Counts the changes. */
  version = 0
  readonly #fields: readonly SearchField[]
  readonly #fieldBits: number
  /** What fits into a posting of 32 bits beside the field and the number of times. */
  readonly #maxDocuments: number
  readonly #vocabulary = new Vocabulary()
  readonly #postings = new Postings()
  readonly #documents: Documents
  readonly #pending = new Map<number, JsonObject | undefined>()
  /** How many characters they have, or more. */
  #pendingLength = 0
  /** Of the text whose words are being taken: its document and field, and how many words there were. */
  #place = 0
  #count = 0
  readonly #word = new WordScores()
  readonly #tally = new Tally()
  readonly #parts = new Tally()

  constructor(fields: readonly SearchField[]) {
    this.#fields = fields
    this.#fieldBits = Math.ceil(Math.log2(Math.max(2, fields.length)))
    this.#maxDocuments = 2 ** (31 - TIMES_BITS - this.#fieldBits)
    this.#documents = new Documents(fields.length)
  }

  /** How many records it holds, but for changes that have not been worked in. */
  get size(): number {
    return this.#documents.live
  }

  /** How many words it holds that count, and how many in vain, of records that have changed or gone since. */
  get words(): { readonly live: number; readonly wasted: number } {
    return this.#documents.words
  }

  /** How many slices of some milliseconds the changes take that are still to be worked in. */
  get backlog(): number {
    return Math.max(this.#pending.size / RECORDS_A_SLICE, this.#pendingLength / CHARACTERS_A_SLICE)
  }

  /**
   * Puts a record in the place of the one with this id; nothing, when it is gone. Changes are worked in by `settle`: hundreds in
   * a row take a third of the time that each takes between other work.
   */
  replace(id: number, record: JsonObject | undefined): void {
    this.version++
    this.#pending.set(id, record)
    if (record !== undefined) for (const { name } of this.#fields) this.#pendingLength += textOf(record, name).length
  }

  /**
   * Works in changes, until there are no more or time is up.
   *
   * @throws {Error} when there are more documents than it can hold
   */
  settle(isOver: () => boolean = () => false): void {
    if (this.#pending.size === 0) return
    let done = 0
    for (const [id, record] of this.#pending) {
      this.#documents.remove(id)
      if (record !== undefined) this.#add(id, record)
      done++
      if (isOver()) break
    }
    this.#forget(done)
  }

  /** Forgets so many pending changes, the first. */
  #forget(count: number): void {
    if (count === this.#pending.size) {
      this.#pending.clear()
      this.#pendingLength = 0
      return
    }
    let left = count
    for (const id of this.#pending.keys()) {
      if (left-- === 0) return
      this.#pending.delete(id)
    }
  }

  #add(id: number, record: JsonObject): void {
    const document = this.#documents.add(id)
    if (document >= this.#maxDocuments) throw new Error(`A search index holds no more than ${this.#maxDocuments} documents`)
    for (let field = 0; field < this.#fields.length; field++) {
      const text = textOf(record, this.#fields[field]?.name ?? '')
      if (text === '') continue
      this.#place = (document << this.#fieldBits) | field
      this.#count = 0
      eachWord(text, this.#takeWord)
      this.#documents.measure(document, field, this.#count)
    }
  }

  readonly #takeWord = (units: Uint16Array, from: number, to: number): void => {
    const number = this.#vocabulary.numberOf(units, from, to)
    if (number < 0) return
    this.#count++
    this.#postings.add(number, this.#place)
  }

  /** The ids of all records that have any of the words, in no order. */
  candidates(query: SearchQuery): number[] {
    this.#score(query)
    const found = this.#tally.answering(1)
    this.#tally.clear()
    return Array.from(found, (document) => this.#documents.ids[document] ?? 0)
  }

  /**
   * Finds the records that have all the words; when there is none, those that have some of them.
   *
   * @param among the ids of the records that may be found; all may when undefined
   */
  search(query: SearchQuery, page: { readonly offset: number; readonly limit: number }, among?: ReadonlySet<number>): Found {
    this.#score(query)
    const { ids } = this.#documents
    const { sums } = this.#tally
    const allowed = (found: Int32Array) =>
      among === undefined ? found : found.filter((document) => among.has(ids[document] ?? 0))
    const whole = allowed(this.#tally.answering(query.words.length))
    const partial = whole.length === 0 && query.words.length > 1
    const found = partial ? allowed(this.#tally.answering(1)) : whole
    const best = bestOf(found, page, (a, b) => {
      const difference = (sums[a] ?? 0) - (sums[b] ?? 0)
      return difference > 0 || (difference === 0 && (ids[a] ?? 0) < (ids[b] ?? 0))
    })
    const hits = Array.from(best, (document) => ({ id: ids[document] ?? 0, score: sums[document] ?? 0 }))
    this.#tally.clear()
    let highlighter: Highlighter | undefined
    const positionsIn = (record: JsonObject): Positions => {
      highlighter ??= new Highlighter(query, this.#vocabulary)
      return highlighter.positionsIn(record, this.#searched(query), textOf)
    }
    return { hits, total: found.length, partial: partial && found.length > 0, positionsIn }
  }

  #searched({ fields }: SearchQuery): readonly string[] {
    return this.#fields.map(({ name }) => name).filter((name) => fields?.includes(name) ?? true)
  }

  /** Fills the tally with how well each document answers to the words. */
  #score(query: SearchQuery): void {
    this.settle()
    const { count, live } = this.#documents
    for (const scores of [this.#word, this.#tally, this.#parts]) scores.prepare(count)
    const raise = this.#raiser(this.#searched(query))
    for (const word of query.words) {
      if (word.parts.length > 0) this.#scoreParts(word, query.fuzzy, raise)
      if (word.text !== '') this.#scoreText(word.text, word.prefix, query.fuzzy, raise)
      const found = this.#word.size
      this.#tally.add(this.#word, Math.log(1 + (live - found + 0.5) / (found + 0.5)))
    }
  }

  /** Scores what has every part of a word. */
  #scoreParts({ parts, prefix }: QueryWord, fuzzy: boolean, raise: Raise): void {
    for (const [index, part] of parts.entries()) {
      this.#scoreText(part, prefix && index === parts.length - 1, fuzzy, raise)
      this.#parts.add(this.#word, WORTH_APART / parts.length)
    }
    const found = this.#parts.answering(parts.length)
    for (const document of found) this.#word.raise(document, this.#parts.sums[document] ?? 0)
    this.#parts.clear()
  }

  #scoreText(text: string, prefix: boolean, fuzzy: boolean, raise: Raise): void {
    this.#vocabulary.eachExact(text, raise)
    if (prefix) this.#vocabulary.eachFrom(text, raise)
    if (fuzzy) this.#vocabulary.eachNear(text, raise)
  }

  /** What raises the scores of all documents that have a word in one of the fields. */
  #raiser(searched: readonly string[]): Raise {
    const { ids, lengths } = this.#documents
    const { best, documents } = this.#word
    const fields = this.#fields.length
    const fieldBits = this.#fieldBits
    const fieldMask = (1 << fieldBits) - 1
    const weights = Float64Array.from(this.#fields, ({ name, weight }) => (searched.includes(name) ? weight / 2 : 0))
    const lengthWeights = Float64Array.from(this.#fields, (_, field) => (K1 * B) / this.#documents.meanLength(field))
    let worth = 0
    const raiseStretch = (postings: Int32Array, from: number, to: number) => {
      let { size } = this.#word
      for (let at = from; at < to; at++) {
        const posting = postings[at] ?? 0
        const place = posting >>> TIMES_BITS
        const document = place >>> fieldBits
        const field = place & fieldMask
        const weight = weights[field] ?? 0
        if (weight === 0 || ids[document] === 0) continue
        const times = (posting & MORE_TIMES) + 1
        const length = lengths[document * fields + field] ?? 0
        const frequency = times / (times + K1 * (1 - B) + (lengthWeights[field] ?? 0) * length)
        const score = worth * (0.5 + weight * frequency)
        const known = best[document] ?? 0
        if (score <= known) continue
        if (known === 0) documents[size++] = document
        best[document] = score
      }
      this.#word.size = size
    }
    return (number, likeness) => {
      worth = WORTH[likeness]
      this.#postings.eachStretch(number, raiseStretch)
    }
  }
}

type Raise = (number: number, likeness: Likeness) => void

/** What is searched of a field: text as it is stored, lists with commas between their items. */
export function textOf(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : ''
}
