import { valueTest } from '../../../query/match.ts'
import type { Json } from '../../../util/json.ts'
import { type Bitmap, Scratch } from './bitmap.ts'
import type { FieldIndex } from './field-index.ts'
import { RowSet } from './row-set.ts'
import { type PartFilter, SubstringCache } from './substring-cache.ts'
import { Terms } from './terms.ts'

/** Candidates are looked at one by one when there are no more than this. */
const FEW = 256
const GRAM = 3
/** Of a long part so many grams are looked up, the rarest. */
const MAX_GRAMS = 6
/** Characters that a gram can tell apart: ten bits each, three in an integer that needs no box. */
const ALPHABET = 1 << 10
const SIGMA = 'σ'

/**
 * Which rows have a text with some part in it. It keeps, for every three neighbouring characters, the rows that have them:
 * those that have all trigrams of what is looked for are candidates (Zobel, Moffat & Sacks-Davis, VLDB 1993). Answers are
 * remembered, so that asking again costs little.
 */
export class TextIndex implements FieldIndex {
  readonly #grams = new Map<number, RowSet>()
  readonly #answers: SubstringCache
  readonly #scratch = new Scratch()
  readonly #valueAt: (row: number) => Json
  readonly #capacity: () => number
  /** Rows whose text has a character that grams confuse with another. */
  readonly #odd = new RowSet()

  /**
   * @param valueAt gives the value that is indexed for a row
   * @param capacity tells how many rows there are to have room for
   */
  constructor(valueAt: (row: number) => Json, capacity: () => number) {
    this.#valueAt = valueAt
    this.#capacity = capacity
    this.#answers = new SubstringCache(valueAt)
  }

  add(row: number, value: Json): void {
    if (typeof value !== 'string') return
    const folded = fold(value)
    if (!isPlain(folded)) this.#odd.add(row)
    for (let at = 0; at < folded.length; at++) {
      const gram = gramAt(folded, at)
      const rows = this.#grams.get(gram)
      if (rows === undefined) this.#grams.set(gram, RowSet.of(row))
      else rows.add(row)
    }
    this.#answers.note(row)
  }

  remove(row: number, value: Json): void {
    if (typeof value !== 'string') return
    const folded = fold(value)
    this.#odd.remove(row)
    for (let at = 0; at < folded.length; at++) this.#grams.get(gramAt(folded, at))?.remove(row)
    this.#answers.note(row)
  }

  /** At most how many rows match. */
  atMost(filter: PartFilter): number {
    const known = this.#answers.get(filter)
    if (known !== undefined) return known.size
    const sets = this.#setsFor(filter, fold(String(filter.value)))
    return sets === undefined ? this.#capacity() : Math.min(...sets.map(({ size }) => size))
  }

  /** The rows that match. */
  matching(filter: PartFilter): RowSet {
    const known = this.#answers.get(filter)
    if (known !== undefined) return known
    const found = this.#find(filter)
    this.#answers.remember(filter, found)
    return found
  }

  #find(filter: PartFilter): RowSet {
    this.#scratch.reset()
    const found = new RowSet()
    const part = fold(String(filter.value))
    const test = valueTest(filter)
    // What has all grams of a part no longer than one gram has the part, unless grams confuse a character of either.
    const isCertain = filter.operator === 'icontains' && part !== '' && part.length <= GRAM && isPlain(part)
    this.#candidates(filter, part, (row) => {
      if ((isCertain && !this.#odd.has(row)) || test(this.#valueAt(row))) found.add(row)
    })
    return found
  }

  /** Calls back with every row that may match, ascending. */
  #candidates(filter: PartFilter, part: string, visit: (row: number) => void): void {
    if (part === '') {
      for (let row = 0; row < this.#capacity(); row++) visit(row)
      return
    }
    const sets = this.#setsFor(filter, part)
    if (sets === undefined) {
      this.#beginningWith(part).forEach(visit)
      return
    }
    const [fewest = new RowSet(), ...others] = sets.sort((a, b) => a.size - b.size)
    if (fewest.size <= FEW || others.length === 0) {
      fewest.each(visit)
      return
    }
    const terms = new Terms()
    for (const set of [fewest, ...others.slice(0, MAX_GRAMS - 1)]) terms.keep(set.bitmap ?? this.#drawn(set))
    const bitmap = this.#scratch.blank(this.#capacity())
    terms.meet(bitmap)
    bitmap.forEach(visit)
  }

  /** The rows of all grams that begin with a part, which is shorter than a gram. */
  #beginningWith(part: string): Bitmap {
    const bitmap = this.#scratch.blank(this.#capacity())
    for (const [gram, rows] of this.#grams) if (beginsWith(gram, part)) rows.addTo(bitmap)
    return bitmap
  }

  #drawn(rows: RowSet): Bitmap {
    const bitmap = this.#scratch.blank(this.#capacity())
    rows.addTo(bitmap)
    return bitmap
  }

  /** The rows of each gram that a match must have; undefined when the part is shorter than one. */
  #setsFor({ operator }: PartFilter, part: string): RowSet[] | undefined {
    const count = operator === 'endswith' ? part.length : part.length - GRAM + 1
    if (count < 1) return undefined
    return Array.from({ length: count }, (_, at) => this.#grams.get(gramAt(part, at)) ?? new RowSet())
  }
}

const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) % ALPHABET : 0)

/** The grams of the last two characters of a text are filled up with nothing. */
const gramAt = (text: string, at: number): number =>
  (codeAt(text, at) * ALPHABET + codeAt(text, at + 1)) * ALPHABET + codeAt(text, at + 2)

function beginsWith(gram: number, part: string): boolean {
  const prefix = part.length === 1 ? Math.floor(gram / (ALPHABET * ALPHABET)) : Math.floor(gram / ALPHABET)
  return prefix === (part.length === 1 ? codeAt(part, 0) : codeAt(part, 0) * ALPHABET + codeAt(part, 1))
}

/** Makes texts equal that differ in case; the Greek sigma has two small forms, which one depends on its neighbours. */
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', SIGMA)

/** True when grams tell every character of a folded text from every other. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0 || code >= ALPHABET || code === SIGMA.charCodeAt(0)) return false
  }
  return true
}
