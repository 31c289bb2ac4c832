import type { JsonObject } from '../util/json.ts'
import { bestOf } from './best.ts'
import { Documents, type IndexTotals } from './documents.ts'
import { Highlighter, type Positions } from './highlight.ts'
import { MORE_TIMES, Postings, TIMES_BITS } from './postings.ts'
import type { QueryWord, SearchQuery } from './query.ts'
import { Tally, WordScores } from './scores.ts'
import { eachWord, unitsOf } from './words/tokens.ts'
import { type Likeness, Vocabulary } from './words/vocabulary.ts'

/** A searched field and its weight: greater than 0, at most 1. */
export interface SearchField {
  readonly name: string
  readonly weight: number
}

export interface Hit {
  readonly id: number
  readonly score: number
}

/** Result of a search. */
export interface Found {
  /** The requested page, by descending score, then by id; all in no order if no page was requested. */
  readonly hits: readonly Hit[]
  /** Total number of records found. */
  readonly total: number
  /** True if no record contains all words; these contain some of them. */
  readonly partial: boolean
  /** Positions of the words in a found record. */
  positionsIn(record: JsonObject): Positions
}

/** Parameters of BM25, as in lunr: saturation of term frequency, and influence of field length. */
const K1 = 1.2
const B = 0.75

const RECORDS_A_SLICE = 256
const CHARACTERS_A_SLICE = 1 << 17

/**
 * Each kind of match weighs half of the next better one. Frequency and position change a score by less than that, so an exact
 * match always ranks before a prefix match, and this before a misspelt one.
 */
const WORTH: Readonly<Record<Likeness, number>> = { exact: 1, inflected: 1 / 2, prefix: 1 / 4, near: 1 / 8, far: 1 / 16 }
/** Weight of a compound whose parts occur separately. */
const WORTH_APART = 1 / 2

/**
 * A full-text index of records that takes changes: an inverted index (word → documents) with Okapi BM25 as in lunr. Each word
 * counts with its best field (disjunction maximum).
 */
export class SearchIndex {
  /** Number of changes. */
  version = 0
  readonly #fields: readonly SearchField[]
  readonly #fieldBits: number
  /** Number of documents that fit into a posting of 32 bits beside the field and the frequency. */
  readonly #maxDocuments: number
  readonly #vocabulary = new Vocabulary()
  readonly #postings = new Postings()
  readonly #documents: Documents
  readonly #pending = new Map<number, JsonObject | undefined>()
  /** Number of characters of the pending changes, at least. */
  #pendingLength = 0
  /** Document, field and word count of the text being indexed. */
  #place = 0
  #count = 0
  readonly #word = new WordScores()
  readonly #tally = new Tally()
  readonly #parts = new Tally()

  /** @param others totals of records that `load` adds in part */
  constructor(fields: readonly SearchField[], others?: IndexTotals) {
    this.#fields = fields
    this.#fieldBits = Math.ceil(Math.log2(Math.max(2, fields.length)))
    this.#maxDocuments = 2 ** (31 - TIMES_BITS - this.#fieldBits)
    this.#documents = new Documents(fields.length, others)
  }

  /** Number of records, without pending changes. */
  get size(): number {
    return this.#documents.live
  }

  /** Number of live words, and of dead words of changed or removed records. */
  get words(): { readonly live: number; readonly wasted: number } {
    return this.#documents.words
  }

  /** Number of slices of some milliseconds that the pending changes take. */
  get backlog(): number {
    return Math.max(this.#pending.size / RECORDS_A_SLICE, this.#pendingLength / CHARACTERS_A_SLICE)
  }

  /**
   * Replaces the record with this id, or removes it. `settle` applies changes: hundreds in a row take a third of the time that
   * each takes separately.
   */
  replace(id: number, record: JsonObject | undefined): void {
    this.version++
    this.#pending.set(id, record)
    if (record !== undefined) for (const { name } of this.#fields) this.#pendingLength += textOf(record, name).length
  }

  /**
   * Applies pending changes until there are none or time is up.
   *
   * @throws {Error} if there are more documents than it can hold
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

  /** Drops this many pending changes, oldest first. */
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

  /**
   * Adds a word with its postings from elsewhere. Their records are among the totals of the constructor, and their other words need not be
   * added: a search finds the same as long as all words are there that match its query.
   */
  load(word: string, eachPosting: (take: TakePosting) => void): void {
    const number = this.#vocabulary.numberOf(unitsOf(word), 0, word.length)
    if (number < 0) return
    eachPosting((id, field, times, length) => {
      const document = this.#documents.admit(id)
      const place = (document << this.#fieldBits) | field
      for (let count = 0; count < times; count++) this.#postings.add(number, place)
      this.#documents.setLength(document, field, length)
    })
  }

  /** Adds the number of words in each field of a record from elsewhere, of which `load` adds those of matching fields only. */
  loadLengths(id: number, lengths: readonly number[]): void {
    const document = this.#documents.admit(id)
    for (const [field, length] of lengths.entries()) this.#documents.setLength(document, field, length)
  }

  /** The ids of all records with any of the words, in no order. */
  candidates(query: SearchQuery): number[] {
    this.#score(query)
    const found = this.#tally.answering(1)
    this.#tally.clear()
    return Array.from(found, (document) => this.#documents.ids[document] ?? 0)
  }

  /**
   * Finds the records with all the words; if there are none, those with some of them.
   *
   * @param page undefined for all
   * @param among ids of the records to consider; all if undefined
   * @param known number of records that the reader may view, if not all. Then only records of `among` determine the weights of words,
   *   so that scores reveal nothing about others
   */
  search(
    query: SearchQuery,
    page: { readonly offset: number; readonly limit: number } | undefined,
    among?: ReadonlySet<number>,
    known?: number,
  ): Found {
    this.#score(query, among === undefined || known === undefined ? undefined : { ids: among, total: known })
    const { ids } = this.#documents
    const { sums } = this.#tally
    const allowed = (found: Int32Array) =>
      among === undefined ? found : found.filter((document) => among.has(ids[document] ?? 0))
    const whole = allowed(this.#tally.answering(query.words.length))
    const partial = whole.length === 0 && query.words.length > 1
    const found = partial ? allowed(this.#tally.answering(1)) : whole
    const isBefore = (a: number, b: number) => {
      const difference = (sums[a] ?? 0) - (sums[b] ?? 0)
      return difference > 0 || (difference === 0 && (ids[a] ?? 0) < (ids[b] ?? 0))
    }
    const best = page === undefined ? found : bestOf(found, page, isBefore)
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

  /** Computes the scores of all documents, from the statistics of all or of some records. */
  #score(query: SearchQuery, some?: { readonly ids: ReadonlySet<number>; readonly total: number }): void {
    this.settle()
    const { count, ids } = this.#documents
    const live = some?.total ?? this.#documents.live
    for (const scores of [this.#word, this.#tally, this.#parts]) scores.prepare(count)
    const raise = this.#raiser(this.#searched(query), some?.ids)
    for (const word of query.words) {
      if (word.parts.length > 0) this.#scoreParts(word, query.fuzzy, raise)
      if (word.text !== '') this.#scoreText(word.text, word.prefix, query.fuzzy, raise)
      const found = some === undefined ? this.#word.size : this.#word.count((document) => some.ids.has(ids[document] ?? 0))
      this.#tally.add(this.#word, Math.log(1 + (live - found + 0.5) / (found + 0.5)))
    }
  }

  /** Scores documents that contain every part of a word. */
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

  /** Returns a function that raises the scores of all documents with a word in one of the fields. */
  #raiser(searched: readonly string[], measured?: ReadonlySet<number>): Raise {
    const { ids, lengths } = this.#documents
    const { best, documents } = this.#word
    const fields = this.#fields.length
    const fieldBits = this.#fieldBits
    const fieldMask = (1 << fieldBits) - 1
    const weights = Float64Array.from(this.#fields, ({ name, weight }) => (searched.includes(name) ? weight / 2 : 0))
    const lengthWeights = Float64Array.from(this.#fields, (_, field) => (K1 * B) / this.#documents.meanLength(field, measured))
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

/** Receives a posting: the record, the position of the field, the number of occurrences up to four, and the number of words of the field. */
export type TakePosting = (id: number, field: number, times: number, length: number) => void

type Raise = (number: number, likeness: Likeness) => void

/** The searched text of a field: text as stored, lists joined by commas. */
export function textOf(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : ''
}
