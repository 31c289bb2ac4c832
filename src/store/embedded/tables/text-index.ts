import { LRUCache } from 'lru-cache'
import { valueTest } from '../../../query/match.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import { runInSlices, runSlice, Slices, type Steps } from '../../../util/slices.ts'
import { foldCase } from '../../../util/text.ts'
import { type Bitmap, bitmapFor, eachInSteps } from './bitmap.ts'
import { RowFilter } from './row-filter.ts'
import { RowSet } from './row-set.ts'

/** Up to this number of candidates, checking each takes less time than intersecting further trigrams. */
const FEW = 256
const GRAM = 3
/** Maximum number of trigrams intersected for one text, the rarest; further ones exclude hardly any row. */
const MAX_GRAMS = 6
/** Number of characters that trigrams distinguish: ten bits each, so that three fit into a small integer. */
const ALPHABET = 1 << 10

/**
 * Trigram index: for every three consecutive characters, the rows that contain them. Rows with all trigrams of a search text
 * are candidates (Zobel, Moffat & Sacks-Davis, VLDB 1993). Results are cached.
 */
export class TextIndex {
  readonly #grams = new Map<number, RowSet>()
  readonly #answers: SubstringCache
  /** What is being found in slices, by filter. */
  readonly #finding = new Map<string, Promise<void>>()
  readonly #valueAt: (row: number) => Json
  readonly #capacity: () => number
  /** Rows whose text has a character that shares its trigram code with another (`isPlain`). Their values are always checked. */
  readonly #odd = new RowSet()

  /**
   * @param valueAt returns the indexed value of a row
   * @param capacity returns the number of rows to reserve space for
   */
  constructor(valueAt: (row: number) => Json, capacity: () => number) {
    this.#valueAt = valueAt
    this.#capacity = capacity
    this.#answers = new SubstringCache(valueAt)
  }

  add(row: number, value: Json): void {
    if (typeof value !== 'string') return
    const folded = foldCase(value)
    if (!isPlain(folded)) this.#odd.add(row)
    for (let at = 0; at < folded.length; at++) {
      const gram = gramAt(folded, at)
      const rows = this.#grams.get(gram)
      if (rows === undefined) this.#grams.set(gram, RowSet.of(row))
      else rows.add(row)
    }
    this.#answers.noteChange(row)
  }

  remove(row: number, value: Json): void {
    if (typeof value !== 'string') return
    const folded = foldCase(value)
    this.#odd.remove(row)
    for (let at = 0; at < folded.length; at++) this.#grams.get(gramAt(folded, at))?.remove(row)
    this.#answers.noteChange(row)
  }

  /** Upper bound of the number of matching rows. */
  atMost(filter: PartFilter): number {
    const known = this.#answers.get(filter)
    if (known !== undefined) return known.size
    const sets = this.#setsFor(filter, foldCase(String(filter.value)))
    return sets === undefined ? this.#capacity() : Math.min(...sets.map(({ size }) => size))
  }

  /**
   * Finds the rows that match in slices, so that `matching` need not. Changes meanwhile are caught up with.
   *
   * @returns undefined if they are known, or found in one slice
   */
  prepare(filter: PartFilter, slices: Slices = new Slices()): Promise<void> | undefined {
    const key = keyOf(filter)
    const running = this.#finding.get(key)
    if (running !== undefined || this.#answers.get(filter) !== undefined) return running
    const steps = this.#find(filter)
    if (runSlice(steps, slices) !== undefined) return undefined
    const finding = slices
      .next()
      .then(() => runInSlices(steps, slices))
      .then(() => {})
      .finally(() => this.#finding.delete(key))
    this.#finding.set(key, finding)
    return finding
  }

  /** The rows that match. */
  matching(filter: PartFilter): RowSet {
    const known = this.#answers.get(filter)
    if (known !== undefined) return known
    const steps = this.#find(filter)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
  }

  /** Checks the candidates, and keeps the rows that match. */
  *#find(filter: PartFilter): Steps<RowSet> {
    const { changes } = this.#answers
    const found = new RowSet()
    const part = foldCase(String(filter.value))
    const test = valueTest(filter)
    // Candidates of a text no longer than a trigram need no check, unless it has confusable characters.
    const isCertain = filter.operator === 'icontains' && part !== '' && part.length <= GRAM && isPlain(part)
    yield* eachInSteps(this.#candidates(filter, part), (row) => {
      if ((isCertain && !this.#odd.has(row)) || test(this.#valueAt(row))) found.add(row)
    })
    this.#answers.remember(filter, found, changes)
    return found
  }

  #candidates(filter: PartFilter, part: string): Bitmap {
    const bitmap = bitmapFor(this.#capacity())
    if (part === '') {
      bitmap.addRange(0, this.#capacity())
      return bitmap
    }
    const sets = this.#setsFor(filter, part)
    if (sets === undefined) return this.#beginningWith(part)
    const [fewest = new RowSet(), ...others] = sets.sort((a, b) => a.size - b.size)
    if (fewest.size <= FEW || others.length === 0) return this.#bitmapOf(fewest)
    const rowFilter = new RowFilter()
    for (const set of [fewest, ...others.slice(0, MAX_GRAMS - 1)]) rowFilter.require(set.bitmap ?? this.#bitmapOf(set))
    rowFilter.computeInto(bitmap)
    return bitmap
  }

  /** The rows of all trigrams that begin with a text shorter than a trigram. */
  #beginningWith(part: string): Bitmap {
    const bitmap = bitmapFor(this.#capacity())
    for (const [gram, rows] of this.#grams) if (beginsWith(gram, part)) rows.addTo(bitmap)
    return bitmap
  }

  #bitmapOf(rows: RowSet): Bitmap {
    const bitmap = bitmapFor(this.#capacity())
    rows.addTo(bitmap)
    return bitmap
  }

  /** The rows of each trigram that a match must contain; undefined if the text is too short. */
  #setsFor({ operator }: PartFilter, part: string): RowSet[] | undefined {
    const count = operator === 'endswith' ? part.length : part.length - GRAM + 1
    if (count < 1) return undefined
    return Array.from({ length: count }, (_, at) => this.#grams.get(gramAt(part, at)) ?? new RowSet())
  }
}

const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) % ALPHABET : 0)

/** The trigrams at the end of a text are padded with zeros. */
const gramAt = (text: string, at: number): number =>
  (codeAt(text, at) * ALPHABET + codeAt(text, at + 1)) * ALPHABET + codeAt(text, at + 2)

function beginsWith(gram: number, part: string): boolean {
  const prefix = part.length === 1 ? Math.floor(gram / (ALPHABET * ALPHABET)) : Math.floor(gram / ALPHABET)
  return prefix === (part.length === 1 ? codeAt(part, 0) : codeAt(part, 0) * ALPHABET + codeAt(part, 1))
}

/** True if every character of the folded text has a code of its own. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0 || code >= ALPHABET) return false
  }
  return true
}

/** A filter on part of a text. */
export type PartFilter = FieldFilter & { readonly operator: 'icontains' | 'endswith' }

/** Approximate capacity of the cache, and overhead of an entry. In bytes. */
const CAPACITY = 32 << 20
const OVERHEAD = 500
/** Number of changed rows kept, more than change while rows are found in slices. Checking them takes some milliseconds. */
const CHANGES = 1 << 14

interface Answer {
  readonly rows: RowSet
  readonly test: (value: Json) => boolean
  /** Number of changes that the entry includes. */
  knows: number
}

/** Cached results of substring filters. An entry catches up with the rows that changed since. */
class SubstringCache {
  readonly #valueAt: (row: number) => Json
  readonly #kept = new LRUCache<string, Answer>({
    maxSize: CAPACITY,
    sizeCalculation: ({ rows }) => rows.bytes + OVERHEAD,
  })
  readonly #changed = new Uint32Array(CHANGES)
  #changes = 0

  /** @param valueAt returns the present text of a row */
  constructor(valueAt: (row: number) => Json) {
    this.#valueAt = valueAt
  }

  /** Number of changes so far. */
  get changes(): number {
    return this.#changes
  }

  /** Records that the text of a row has changed. */
  noteChange(row: number): void {
    this.#changed[this.#changes++ % CHANGES] = row
  }

  get(filter: PartFilter): RowSet | undefined {
    const answer = this.#kept.get(keyOf(filter))
    if (answer === undefined || this.#changes - answer.knows > CHANGES) return undefined
    for (; answer.knows < this.#changes; answer.knows++) {
      const row = this.#changed[answer.knows % CHANGES] ?? 0
      if (answer.test(this.#valueAt(row))) answer.rows.add(row)
      else answer.rows.remove(row)
    }
    return answer.rows
  }

  /** @param knows the number of changes before the rows were found */
  remember(filter: PartFilter, rows: RowSet, knows: number): void {
    this.#kept.set(keyOf(filter), { rows, test: valueTest(filter), knows })
  }
}

const keyOf = ({ operator, value }: PartFilter): string => `${operator} ${value}`
