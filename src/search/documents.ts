import { roomFor } from './growing.ts'

/** Number of records, and number of words in each of their fields. */
export interface IndexTotals {
  readonly records: number
  readonly words: readonly number[]
}

/** Number of words of a field that count. */
export const MAX_LENGTH = 0xffff

/**
 * Properties of indexed records beside their words. A changed record becomes a new document; the old one is dead: its postings
 * remain and no longer count.
 */
export class Documents {
  readonly #fields: number
  /** Documents of live records by their ids. */
  readonly #documentOf = new IdPages()
  #live = 0
  /** The record id of each document; 0 if dead. */
  #ids = new Float64Array(64)
  /** Number of words of each field of each document. */
  #lengths = new Uint16Array(64)
  /** Number of words of each field in live documents. */
  readonly #words: number[]
  #count = 0
  /** Highest id so far. A higher id belongs to a new record, which needs no lookup. */
  #highest = 0
  #wastedWords = 0
  /** Documents of records that the totals of the constructor contain, and the number of these records. */
  readonly #admitted = new IdPages()
  readonly #others: number

  /** @param others totals of all records; `admit` makes documents of some */
  constructor(fields: number, others?: IndexTotals) {
    this.#fields = fields
    this.#words = Array.from({ length: fields }, (_, field) => others?.words[field] ?? 0)
    this.#others = others?.records ?? 0
  }

  /** Number of documents, including dead ones. */
  get count(): number {
    return this.#count
  }

  /** Number of records. */
  get live(): number {
    return this.#live + this.#others
  }

  /** Number of words in live and in dead documents. */
  get words(): { readonly live: number; readonly wasted: number } {
    return { live: this.#words.reduce((sum, words) => sum + words, 0), wasted: this.#wastedWords }
  }

  get ids(): Float64Array {
    return this.#ids
  }

  get lengths(): Uint16Array {
    return this.#lengths
  }

  has(id: number): boolean {
    return this.#documentOf.get(id) !== NONE
  }

  add(id: number): number {
    const document = this.#append(id)
    if (id > this.#highest) this.#highest = id
    this.#documentOf.set(id, document)
    this.#live++
    return document
  }

  #append(id: number): number {
    const document = this.#count++
    this.#ids = roomFor(this.#ids, document)
    this.#lengths = roomFor(this.#lengths, (document + 1) * this.#fields)
    this.#ids[document] = id
    return document
  }

  /** The document of a record that the totals of the constructor contain. */
  admit(id: number): number {
    const known = this.#admitted.get(id)
    if (known >= 0) return known
    const document = this.#append(id)
    this.#admitted.set(id, document)
    return document
  }

  /** The document of such a record if it was admitted, or -1. */
  admitted(id: number): number {
    return this.#admitted.get(id)
  }

  /** Stores the number of words of a document's field. */
  measure(document: number, field: number, words: number): void {
    const length = Math.min(words, MAX_LENGTH)
    this.setLength(document, field, length)
    this.#words[field] = (this.#words[field] ?? 0) + length
  }

  /** Stores the number of words of a document's field, which the totals contain. */
  setLength(document: number, field: number, length: number): void {
    this.#lengths[document * this.#fields + field] = length
  }

  remove(id: number): void {
    if (id > this.#highest) return
    const document = this.#documentOf.get(id)
    if (document === NONE) return
    this.#documentOf.set(id, NONE)
    this.#live--
    this.#ids[document] = 0
    for (let field = 0; field < this.#fields; field++) {
      const length = this.#lengths[document * this.#fields + field] ?? 0
      this.#words[field] = (this.#words[field] ?? 0) - length
      this.#wastedWords += length
    }
  }

  /** Mean number of words of a field, at least 1, in all records or in those with these ids. */
  meanLength(field: number, measured?: ReadonlySet<number>): number {
    if (measured !== undefined) {
      let words = 0
      for (const id of measured) {
        const own = this.#documentOf.get(id)
        words += this.#lengths[(own === NONE ? this.#admitted.get(id) : own) * this.#fields + field] ?? 0
      }
      return Math.max(1, words / Math.max(1, measured.size))
    }
    return Math.max(1, (this.#words[field] ?? 0) / Math.max(1, this.live))
  }
}

/** Few ids, so that ids with gaps take little memory. */
const PAGE = 64
const NONE = -1

/**
 * A map from ids to small numbers, in pages of adjacent ids: fast where ids that follow each other are used one after the other. It does not
 * stop the event loop as it grows; a `Map` of a million ids does for 40 to 120 ms.
 */
class IdPages {
  readonly #pages = new Map<number, Int32Array>()
  /** The page of the latest id, and its number. */
  #page: Int32Array | undefined
  #number = NONE

  /** The number of an id, or -1. */
  get(id: number): number {
    return this.#pageOf(id)?.[id % PAGE] ?? NONE
  }

  set(id: number, value: number): void {
    const page = this.#pageOf(id) ?? this.#add(id)
    page[id % PAGE] = value
  }

  #pageOf(id: number): Int32Array | undefined {
    const number = Math.floor(id / PAGE)
    if (number !== this.#number) {
      this.#number = number
      this.#page = this.#pages.get(number)
    }
    return this.#page
  }

  #add(id: number): Int32Array {
    const page = new Int32Array(PAGE).fill(NONE)
    this.#pages.set(Math.floor(id / PAGE), page)
    this.#page = page
    return page
  }
}
