import { LRUCache } from 'lru-cache'
import { valueTest } from '../../../query/match.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import type { Steps } from '../../../util/slices.ts'
import { foldCase } from '../../../util/text.ts'
import { type Bitmap, bitmapFor, eachInSteps, STEP_WORK } from './bitmap.ts'
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
  /** What is being found, by filter. Each query that waits for it takes its next step. */
  readonly #finding = new Map<string, Steps<void>>()
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
    const known = this.#answers.sizeOf(filter)
    if (known !== undefined) return Math.min(known, this.#capacity())
    const sets = this.#setsFor(filter, foldCase(String(filter.value)))
    return sets === undefined ? this.#capacity() : Math.min(...sets.map(({ size }) => size))
  }

  /** Finds the rows that match, so that `matching` need not. Texts may change between the steps. */
  *prepare(filter: PartFilter): Steps<void> {
    const key = keyOf(filter)
    while (this.#answers.get(filter) === undefined) {
      const steps = this.#finding.get(key) ?? this.#answerTo(filter)
      this.#finding.set(key, steps)
      let isOver = true
      try {
        isOver = steps.next().done === true
      } finally {
        if (isOver) this.#finding.delete(key)
      }
      if (!isOver) yield
    }
  }

  /** The rows that match. */
  matching(filter: PartFilter): RowSet {
    const steps = this.prepare(filter)
    while (steps.next().done !== true);
    return this.#answers.get(filter) ?? new RowSet()
  }

  #answerTo(filter: PartFilter): Steps<void> {
    return this.#answers.catchUp(filter) ?? this.#find(filter)
  }

  /** Checks the candidates, and keeps the rows that match. */
  *#find(filter: PartFilter): Steps<void> {
    const { changes } = this.#answers
    const found = new RowSet()
    const part = foldCase(String(filter.value))
    const test = valueTest(filter)
    // Candidates of a text no longer than a trigram need no check, unless it has confusable characters.
    const isCertain = filter.operator === 'icontains' && part !== '' && part.length <= GRAM && isPlain(part)
    const candidates = yield* this.#candidates(filter, part)
    yield* eachInSteps(candidates, (row) => {
      const value = isCertain && !this.#odd.has(row) ? undefined : this.#valueAt(row)
      if (value === undefined || test(value)) found.add(row)
      return workOf(value)
    })
    this.#answers.remember(filter, found, changes)
  }

  /** The rows that may match. They are not copied if a single set has them, so they may change between steps. */
  *#candidates(filter: PartFilter, part: string): Steps<Bitmap> {
    if (part === '') {
      const all = bitmapFor(this.#capacity())
      all.addRange(0, this.#capacity())
      return all
    }
    const sets = this.#setsFor(filter, part)
    if (sets === undefined) return yield* this.#beginningWith(part)
    const [fewest = new RowSet(), ...others] = sets.sort((a, b) => a.size - b.size)
    if (fewest.size <= FEW || others.length === 0) return this.#bitmapOf(fewest)
    const rowFilter = new RowFilter()
    for (const set of [fewest, ...others.slice(0, MAX_GRAMS - 1)]) rowFilter.require(this.#bitmapOf(set))
    const bitmap = bitmapFor(this.#capacity())
    rowFilter.computeInto(bitmap)
    return bitmap
  }

  /** The rows of all trigrams that begin with a text shorter than a trigram. */
  *#beginningWith(part: string): Steps<Bitmap> {
    const bitmap = bitmapFor(this.#capacity())
    for (const [gram, rows] of this.#grams) {
      if (!beginsWith(gram, part)) continue
      rows.addTo(bitmap)
      yield
    }
    return bitmap
  }

  #bitmapOf(rows: RowSet): Bitmap {
    if (rows.bitmap !== undefined) return rows.bitmap
    const bitmap = bitmapFor(rows.last)
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

  /** The rows of an entry that has caught up. */
  get(filter: PartFilter): RowSet | undefined {
    const answer = this.#kept.get(keyOf(filter))
    return answer?.knows === this.#changes ? answer.rows : undefined
  }

  /** Upper bound of the number of rows, if there is an entry. */
  sizeOf(filter: PartFilter): number | undefined {
    const answer = this.#keptFor(filter)
    return answer && answer.rows.size + this.#changes - answer.knows
  }

  /** An entry, unless more has changed since than is kept. */
  #keptFor(filter: PartFilter): Answer | undefined {
    const answer = this.#kept.get(keyOf(filter))
    return answer === undefined || this.#changes - answer.knows > CHANGES ? undefined : answer
  }

  /** Brings an entry up to date; undefined if there is none. */
  catchUp(filter: PartFilter): Steps<void> | undefined {
    const answer = this.#keptFor(filter)
    return answer && this.#update(answer)
  }

  *#update(answer: Answer): Steps<void> {
    let work = 0
    while (answer.knows < this.#changes && this.#changes - answer.knows <= CHANGES) {
      const row = this.#changed[answer.knows++ % CHANGES] ?? 0
      const value = this.#valueAt(row)
      if (answer.test(value)) answer.rows.add(row)
      else answer.rows.remove(row)
      work += workOf(value)
      if (work < STEP_WORK) continue
      yield
      work = 0
    }
  }

  /** @param knows the number of changes before the rows were found */
  remember(filter: PartFilter, rows: RowSet, knows: number): void {
    this.#kept.set(keyOf(filter), { rows, test: valueTest(filter), knows })
  }
}

/** How much work the check of a value is, in characters or nanoseconds; undefined if only its row is noted. */
const workOf = (value: Json | undefined): number =>
  value === undefined ? NOTING : CHECKING + (typeof value === 'string' ? value.length : 0)
const NOTING = 4
const CHECKING = 64

const keyOf = ({ operator, value }: PartFilter): string => `${operator} ${value}`
