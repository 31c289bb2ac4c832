import { EditDistance } from './edit-distance.ts'
import { beginsStopWords, isOfLetters, isStopWord, stemOf } from './stems.ts'
import { unitsOf } from './tokens.ts'
import { Trie } from './trie.ts'
import { NONE, WordTable } from './word-table.ts'

/** Kinds of match between a word of a text and a word of a query, best first. */
export type Likeness = 'exact' | 'inflected' | 'prefix' | 'near' | 'far'

/** All words of a model's records, by number. Words are never removed; an index with too many dead ones is rebuilt. */
export class Vocabulary {
  readonly #trie = new Trie()
  readonly #words = new WordTable(this.#trie)
  readonly #edits = new EditDistance(this.#trie)
  /** Words by their stem, unless they equal it. */
  readonly #families = new Map<string, number[]>()
  /** Stop words. They match themselves, and beginnings of some length. */
  readonly #stops = new Set<number>()

  /** The number of a word, or -1 if it is empty. The word is the characters from `from` up to but not including `to`. */
  numberOf(units: Uint16Array, from: number, to: number): number {
    if (from === to) return NONE
    const known = this.#words.find(units, from, to)
    return known === NONE ? this.#learn(units, from, to) : known
  }

  #learn(units: Uint16Array, from: number, to: number): number {
    const number = this.#trie.add(units, from, to)
    this.#words.add(number, units, from, to)
    // Only such words have another stem or are stop words, so no string is created for others.
    if (!isOfLetters(units, from, to)) return number
    const word = wordOf(units, from, to)
    if (isStopWord(word)) this.#stops.add(number)
    else this.#addToFamily(word, number)
    return number
  }

  #addToFamily(word: string, number: number): void {
    const stem = stemOf(word)
    if (stem === word) return
    const family = this.#families.get(stem)
    if (family === undefined) this.#families.set(stem, [number])
    else family.push(number)
  }

  /** Calls `take` with the word itself and those with the same stem. */
  eachExact(word: string, take: (number: number, likeness: Likeness) => void): void {
    const itself = this.find(word)
    if (itself !== NONE) take(itself, 'exact')
    if (isStopWord(word)) return
    const stem = stemOf(word)
    const base = stem === word || isStopWord(stem) ? NONE : this.find(stem)
    // The stem of a word need not be its own stem; only those that are belong to the family.
    if (base !== NONE && stemOf(stem) === stem) take(base, 'inflected')
    for (const number of this.#families.get(stem) ?? []) if (number !== itself) take(number, 'inflected')
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    return this.#words.find(unitsOf(word), 0, word.length)
  }

  eachFrom(prefix: string, take: (number: number, likeness: Likeness) => void): void {
    const hasStops = beginsStopWords(prefix)
    this.#trie.eachFrom(prefix, (number) => {
      if (hasStops || !this.#stops.has(number)) take(number, 'prefix')
    })
  }

  /** Calls `take` with words at distance one or two. */
  eachNear(word: string, take: (number: number, likeness: Likeness) => void): void {
    const limit = maxDistance(word)
    if (limit === 0) return
    this.#edits.eachNear(word, limit, (number, distance) => {
      if (distance > 0 && !this.#stops.has(number)) take(number, distance === 1 ? 'near' : 'far')
    })
  }
}

function wordOf(units: Uint16Array, from: number, to: number): string {
  let word = ''
  for (let at = from; at < to; at++) word += String.fromCharCode(units[at] ?? 0)
  return word
}

/** Maximum edit distance of a word: one from 3 letters on, two from 6 letters on (AUTO in Elasticsearch). */
export const maxDistance = (word: string): 0 | 1 | 2 => (word.length < 3 ? 0 : word.length < 6 ? 1 : 2)
