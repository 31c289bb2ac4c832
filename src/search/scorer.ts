import type { Documents } from './documents.ts'
import { amongDocuments, fieldBitsOf, MORE_TIMES, type Postings, type TakeRun, TIMES_BITS } from './postings.ts'
import type { ParsedSearch, QueryWord } from './query.ts'
import { Tally, WordScores } from './scores.ts'
import type { Likeness, Vocabulary } from './vocabulary.ts'

/** A searched field and its weight: greater than 0, at most 1. */
export interface SearchField {
  readonly name: string
  readonly weight: number
}

/** Parameters of BM25, as in lunr: saturation of term frequency, and influence of field length. */
const K1 = 1.2
const B = 0.75

/**
 * Each kind of match weighs half of the next better one. Frequency and position change a score by less than that, so an exact
 * match always ranks before a prefix match, and this before a misspelt one, but for stop words beside them.
 */
const WORTH: Readonly<Record<Likeness, number>> = { exact: 1, inflected: 1 / 2, prefix: 1 / 4, near: 1 / 8, far: 1 / 16 }
/** Weight of a compound whose parts occur separately. */
const WORTH_APART = 1 / 2
/** Stop words beside other words raise a score by this share together, at most. */
const WORTH_SLIGHT = 1 / 4

/** Stop words are looked up for the found documents if these are fewer than one in so many; otherwise all their postings are read. */
const MANY = 8

/** @param among passes on some of the postings */
type Raise = (number: number, likeness: Likeness, among?: (take: TakeRun) => TakeRun) => void

/** Scores the documents of an index for a query. */
export class Scorer {
  /** Results of the last query, until they are cleared. */
  readonly tally = new Tally()
  /** True if the postings of each word are in the order of the documents. */
  isInOrder = true
  readonly #fields: readonly SearchField[]
  readonly #fieldBits: number
  readonly #vocabulary: Vocabulary
  readonly #postings: Postings
  readonly #documents: Documents
  readonly #word = new WordScores()
  readonly #parts = new Tally()

  constructor(fields: readonly SearchField[], vocabulary: Vocabulary, postings: Postings, documents: Documents) {
    this.#fields = fields
    this.#fieldBits = fieldBitsOf(fields.length)
    this.#vocabulary = vocabulary
    this.#postings = postings
    this.#documents = documents
  }

  /** Names of the fields that a query searches. */
  searched({ fields }: ParsedSearch): readonly string[] {
    return this.#fields.map(({ name }) => name).filter((name) => fields?.includes(name) ?? true)
  }

  /** Computes the scores of all documents, from the statistics of all or of some records. */
  score(query: ParsedSearch, some?: { readonly ids: ReadonlySet<number>; readonly total: number }): void {
    const { count, ids } = this.#documents
    const live = some?.total ?? this.#documents.live
    for (const scores of [this.#word, this.tally, this.#parts]) scores.prepare(count)
    const raise = this.#raiser(this.searched(query), some?.ids)
    for (const word of query.words) {
      if (word.parts.length > 0) this.#scoreParts(word, query.fuzzy, raise)
      if (word.text !== '') this.#scoreText(word.text, word.prefix, query.fuzzy, raise)
      const found = some === undefined ? this.#word.size : this.#word.count((document) => some.ids.has(ids[document] ?? 0))
      this.tally.add(this.#word, Math.log(1 + (live - found + 0.5) / (found + 0.5)))
    }
  }

  /** Raises the scores of found documents that contain stop words too. It depends on no other document, so it reveals nothing of others. */
  scoreSlight(query: ParsedSearch, found: Int32Array, measured?: ReadonlySet<number>): void {
    const { slight } = query
    if (slight.length === 0 || found.length === 0) return
    const raise = this.#raiser(this.searched(query), measured)
    const isFew = this.isInOrder && found.length * MANY < this.#documents.count
    const few = isFew ? found.slice().sort() : undefined
    for (const word of slight) {
      const number = this.#vocabulary.find(word)
      if (number >= 0) raise(number, 'exact', few && amongDocuments(few, TIMES_BITS + this.#fieldBits))
      this.tally.increase(this.#word, WORTH_SLIGHT / slight.length)
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
    const raiseRun = (postings: Int32Array, from: number, to: number) => {
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
    return (number, likeness, among) => {
      worth = WORTH[likeness]
      this.#postings.eachRun(number, among === undefined ? raiseRun : among(raiseRun))
    }
  }
}
