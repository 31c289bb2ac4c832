import { EditDistance } from './edit-distance.ts'
import { roomFor } from './growing.ts'
import { isStopWord, stemOf } from './stems.ts'
import { Trie } from './trie.ts'

const MAX_REMEMBERED = 1 << 15
const OFTEN = 8
const SAYS_NOTHING = -1

/** How a word of a text answers to a word that is looked for, best first. */
export type Likeness = 'exact' | 'inflected' | 'prefix' | 'near' | 'far'

/** All words of the records of a model, by number. Words are never forgotten: an index that holds too many of them is made anew. */
export class Vocabulary {
  readonly #trie = new Trie()
  readonly #edits = new EditDistance(this.#trie)
  /** Words by the stem that they have in common with others, unless they are it. */
  readonly #families = new Map<string, number[]>()
  /** The numbers of words that come up often: finding them in the trie takes longer. */
  readonly #remembered = new Map<string, number>()
  /** How often each word came up, up to a number from which on it is remembered. */
  #sightings = new Uint8Array(64)

  /** The number of a word that a record holds; -1 for one that says nothing. */
  numberOf(word: string): number {
    const known = this.#remembered.get(word)
    if (known !== undefined) return known
    const size = this.#trie.size
    const number = isSilent(word) ? SAYS_NOTHING : this.#trie.add(word)
    if (number === size) this.#addToFamily(word, number)
    this.#remember(word, number)
    return number
  }

  #remember(word: string, number: number): void {
    if (number !== SAYS_NOTHING) {
      this.#sightings = roomFor(this.#sightings, number)
      const sightings = (this.#sightings[number] ?? 0) + 1
      this.#sightings[number] = sightings
      if (sightings < OFTEN) return
    }
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(apart(word), number)
  }

  #addToFamily(word: string, number: number): void {
    const stem = stemOf(word)
    if (stem === word) return
    const family = this.#families.get(stem)
    if (family === undefined) this.#families.set(apart(stem), [number])
    else family.push(number)
  }

  /** Calls `take` with the word itself and those with the same stem. */
  eachExact(word: string, take: (number: number, likeness: Likeness) => void): void {
    const itself = this.#trie.find(word)
    if (itself !== -1) take(itself, 'exact')
    const stem = stemOf(word)
    const base = stem === word ? -1 : this.#trie.find(stem)
    // The stem of a word is not always its own: `univers` belongs to `univers`, but some stems have other stems.
    if (base !== -1 && stemOf(stem) === stem) take(base, 'inflected')
    for (const number of this.#families.get(stem) ?? []) if (number !== itself) take(number, 'inflected')
  }

  eachFrom(prefix: string, take: (number: number, likeness: Likeness) => void): void {
    this.#trie.eachFrom(prefix, (number) => take(number, 'prefix'))
  }

  /** Calls `take` with words that differ in one place, from 3 letters on, or in two, from 6 letters on (Elasticsearch's AUTO). */
  eachNear(word: string, take: (number: number, likeness: Likeness) => void): void {
    const limit = word.length < 3 ? 0 : word.length < 6 ? 1 : 2
    if (limit === 0) return
    this.#edits.eachNear(word, limit, (number, distance) => {
      if (distance > 0) take(number, distance === 1 ? 'near' : 'far')
    })
  }
}

/** A word by itself: what is cut from a text keeps all of the text in memory. */
const apart = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le')

/** True for what is not worth a place in an index. */
export const isSilent = (word: string): boolean => word === '' || isStopWord(word)
