import type { TakePlace } from '../store/search-storage.ts'
import type { JsonObject } from '../util/json.ts'
import { Documents, type IndexTotals } from './documents.ts'
import { fieldBitsOf, Postings, TIMES_BITS } from './postings.ts'
import { Highlighter, type ParsedSearch, type Positions } from './query.ts'
import { Scorer, type SearchField } from './scorer.ts'
import { bestOf } from './scores.ts'
import { eachWord, textOf, unitsOf, wordSteps } from './tokens.ts'
import { Vocabulary } from './vocabulary.ts'

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

const RECORDS_A_SLICE = 256
const CHARACTERS_A_SLICE = 1 << 17
/** Characters that are not ASCII take longer, by this factor. */
const UNICODE_WORTH = 8
/** A record with more characters is added in steps. */
const LONG = 4096

const ASCII = /^[\0-\x7f]*$/

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
  /** The steps of the record that is being added, if it is long. */
  #adding: Iterator<void, void> | undefined
  /** Document, field and word count of the text being indexed. */
  #place = 0
  #count = 0
  readonly #scorer: Scorer

  /** @param others totals of records that `load` adds in part */
  constructor(fields: readonly SearchField[], others?: IndexTotals) {
    this.#fields = fields
    this.#fieldBits = fieldBitsOf(fields.length)
    this.#maxDocuments = 2 ** (31 - TIMES_BITS - this.#fieldBits)
    this.#documents = new Documents(fields.length, others)
    this.#scorer = new Scorer(fields, this.#vocabulary, this.#postings, this.#documents)
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

  /** True if no changes are pending. */
  get isSettled(): boolean {
    return this.#adding === undefined && this.#pending.size === 0
  }

  /**
   * Replaces the record with this id, or removes it. `settle` applies changes: hundreds in a row take a third of the time that
   * each takes separately.
   */
  replace(id: number, record: JsonObject | undefined): void {
    this.version++
    this.#pending.set(id, record)
    if (record !== undefined) this.#pendingLength += this.#lengthOf(record)
  }

  /** Number of ASCII characters that take as long as the texts of a record. */
  #lengthOf(record: JsonObject): number {
    let length = 0
    for (const { name } of this.#fields) {
      const text = textOf(record, name)
      length += ASCII.test(text) ? text.length : UNICODE_WORTH * text.length
    }
    return length
  }

  /**
   * Applies pending changes until there are none or time is up. Long records are added in steps, so `settle` must return without the time
   * being up before a search.
   *
   * @throws {Error} if there are more documents than it can hold
   */
  settle(isOver: () => boolean = () => false): void {
    if (!this.#finish(isOver)) return
    let done = 0
    for (const [id, record] of this.#pending) {
      done++
      this.#documents.remove(id)
      if (record !== undefined) this.#add(id, record)
      if (!this.#finish(isOver) || isOver()) break
    }
    this.#forget(done)
  }

  /** Continues to add a long record. @returns false if it has further steps */
  #finish(isOver: () => boolean): boolean {
    while (this.#adding !== undefined) {
      if (this.#adding.next().done === true) this.#adding = undefined
      else if (isOver()) return false
    }
    return true
  }

  /** Drops this many pending changes, oldest first. */
  #forget(count: number): void {
    if (count === this.#pending.size) this.#pending.clear()
    else {
      let left = count
      for (const id of this.#pending.keys()) {
        if (left-- === 0) break
        this.#pending.delete(id)
      }
    }
    if (this.isSettled) this.#pendingLength = 0
  }

  #add(id: number, record: JsonObject): void {
    const document = this.#documents.add(id)
    if (document >= this.#maxDocuments) throw new Error(`A search index holds no more than ${this.#maxDocuments} documents`)
    const texts = this.#fields.map(({ name }) => textOf(record, name))
    if (texts.reduce((sum, text) => sum + text.length, 0) > LONG) {
      this.#adding = this.#addingSteps(document, texts)
      return
    }
    for (const [field, text] of texts.entries()) {
      if (text === '') continue
      this.#begin(document, field)
      eachWord(text, this.#takeWord)
      this.#documents.measure(document, field, this.#count)
    }
  }

  *#addingSteps(document: number, texts: readonly string[]): Generator<void, void> {
    for (const [field, text] of texts.entries()) {
      if (text === '') continue
      this.#begin(document, field)
      yield* wordSteps(text, this.#takeWord)
      this.#documents.measure(document, field, this.#count)
      yield
    }
  }

  #begin(document: number, field: number): void {
    this.#place = (document << this.#fieldBits) | field
    this.#count = 0
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
   *
   * @param isSlight true to add postings only in records that have postings of other words
   */
  load(word: string, eachPosting: (take: TakePlace) => void, isSlight = false): void {
    const number = this.#vocabulary.numberOf(unitsOf(word), 0, word.length)
    if (number < 0) return
    this.#scorer.isInOrder = false
    eachPosting((id, field, times, length) => {
      const document = isSlight ? this.#documents.admitted(id) : this.#documents.admit(id)
      if (document < 0) return
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
  candidates(query: ParsedSearch): number[] {
    this.settle()
    this.#scorer.score(query)
    const { tally } = this.#scorer
    const found = tally.answering(1)
    tally.clear()
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
    query: ParsedSearch,
    page: { readonly offset: number; readonly limit: number } | undefined,
    among?: ReadonlySet<number>,
    known?: number,
  ): Found {
    const some = among === undefined || known === undefined ? undefined : { ids: among, total: known }
    this.settle()
    this.#scorer.score(query, some)
    const { ids } = this.#documents
    const { tally } = this.#scorer
    const { sums } = tally
    const allowed = (found: Int32Array) =>
      among === undefined ? found : found.filter((document) => among.has(ids[document] ?? 0))
    const whole = allowed(tally.answering(query.words.length))
    const partial = whole.length === 0 && query.words.length > 1
    const found = partial ? allowed(tally.answering(1)) : whole
    this.#scorer.scoreSlight(query, found, some?.ids)
    const isBefore = (a: number, b: number) => {
      const difference = (sums[a] ?? 0) - (sums[b] ?? 0)
      return difference > 0 || (difference === 0 && (ids[a] ?? 0) < (ids[b] ?? 0))
    }
    const best = page === undefined ? found : bestOf(found, page, isBefore)
    const hits = Array.from(best, (document) => ({ id: ids[document] ?? 0, score: sums[document] ?? 0 }))
    tally.clear()
    let highlighter: Highlighter | undefined
    const positionsIn = (record: JsonObject): Positions => {
      highlighter ??= new Highlighter(query, this.#vocabulary)
      return highlighter.positionsIn(record, this.#scorer.searched(query), textOf)
    }
    return { hits, total: found.length, partial: partial && found.length > 0, positionsIn }
  }
}
