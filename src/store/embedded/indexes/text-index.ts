import { valueTest } from '../../../query/match.ts'
import type { Json } from '../../../util/json.ts'
import { foldCase } from '../../../util/plain-text.ts'
import { type Bitmap, Scratch } from '../row-sets/bitmap.ts'
import { RowSet } from '../row-sets/row-set.ts'
import { Terms } from '../row-sets/terms.ts'
import type { FieldIndex } from './field-index.ts'
import { type PartFilter, SubstringCache } from './substring-cache.ts'

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
export class TextIndex implements FieldIndex {
  readonly #grams = new Map<number, RowSet>()
  readonly #answers: SubstringCache
  readonly #scratch = new Scratch()
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
    const part = foldCase(String(filter.value))
    const test = valueTest(filter)
    // Candidates of a text no longer than a trigram need no check, unless it has confusable characters.
    const isCertain = filter.operator === 'icontains' && part !== '' && part.length <= GRAM && isPlain(part)
    this.#candidates(filter, part, (row) => {
      if ((isCertain && !this.#odd.has(row)) || test(this.#valueAt(row))) found.add(row)
    })
    return found
  }

  /** Calls back with every candidate row, ascending. */
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
    for (const set of [fewest, ...others.slice(0, MAX_GRAMS - 1)]) terms.require(set.bitmap ?? this.#bitmapOf(set))
    const bitmap = this.#scratch.blank(this.#capacity())
    terms.computeInto(bitmap)
    bitmap.forEach(visit)
  }

  /** The rows of all trigrams that begin with a text shorter than a trigram. */
  #beginningWith(part: string): Bitmap {
    const bitmap = this.#scratch.blank(this.#capacity())
    for (const [gram, rows] of this.#grams) if (beginsWith(gram, part)) rows.addTo(bitmap)
    return bitmap
  }

  #bitmapOf(rows: RowSet): Bitmap {
    const bitmap = this.#scratch.blank(this.#capacity())
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
