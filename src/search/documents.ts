import { roomFor } from './growing.ts'

/**
 * What an index knows of records beside their words. A record that changes becomes another document, and the one that it was
 * is dead: its postings stay where they are and no longer count.
 */
export class Documents {
  readonly #fields: number
  readonly #documentOf = new Map<number, number>()
  /** The record of each document, 0 when it is dead. */
  #ids = new Float64Array(64)
  /** How many words each field of each document has. */
  #lengths = new Uint16Array(64)
  /** How many words each field has in documents that are in use. */
  readonly #words: number[]
  #count = 0
  /** The highest id that there was: one above it is a new record's, as most that are added. */
  #highest = 0
  #wastedWords = 0

  constructor(fields: number) {
    this.#fields = fields
    this.#words = Array.from({ length: fields }, () => 0)
  }

  /** How many there are, dead ones too. */
  get count(): number {
    return this.#count
  }

  /** How many records there are. */
  get live(): number {
    return this.#documentOf.size
  }

  /** How many words there are in documents that are in use, and in dead ones. */
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
    return this.#documentOf.has(id)
  }

  add(id: number): number {
    const document = this.#count++
    if (id > this.#highest) this.#highest = id
    this.#ids = roomFor(this.#ids, document)
    this.#lengths = roomFor(this.#lengths, (document + 1) * this.#fields)
    this.#ids[document] = id
    this.#documentOf.set(id, document)
    return document
  }

  /** Says how many words a field of a document has. */
  measure(document: number, field: number, words: number): void {
    const length = Math.min(words, 0xffff)
    this.#lengths[document * this.#fields + field] = length
    this.#words[field] = (this.#words[field] ?? 0) + length
  }

  remove(id: number): void {
    if (id > this.#highest) return
    const document = this.#documentOf.get(id)
    if (document === undefined) return
    this.#documentOf.delete(id)
    this.#ids[document] = 0
    for (let field = 0; field < this.#fields; field++) {
      const length = this.#lengths[document * this.#fields + field] ?? 0
      this.#words[field] = (this.#words[field] ?? 0) - length
      this.#wastedWords += length
    }
  }

  /** How many words a field has on the average, at least one. */
  meanLength(field: number): number {
    return Math.max(1, (this.#words[field] ?? 0) / Math.max(1, this.live))
  }
}
