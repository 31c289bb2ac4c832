import { EditDistance, maxDistance } from './edit-distance.ts'
import { beginsStopWords, isOfLetters, isStopWord, stemOf } from './stems.ts'
import { unitsOf } from './tokens.ts'
import { Trie } from './trie.ts'

/** Result instead of a word number: unknown word. */
const NONE = -1

/** Members of a slot: the word number plus one, 0 if empty; and the hash. */
const WORD = 0
const HASH = 1
const WIDTH = 2

/** Number of slots of the cache of recent words: a power of two. */
const RECENT = 1 << 13

const PART_BITS = 6
const PARTS = 1 << PART_BITS

/** An open-addressing hash table with linear probing. Its length is a power of two; its load factor is at most one half. */
interface Part {
  slots: Int32Array
  size: number
}

/**
 * Word numbers by characters, so that lookups create no strings. Hashes are FNV-1a. The table is partitioned and each part
 * grows by itself, so that no insertion moves all words. A small direct-mapped cache holds recent words, since texts mostly
 * consist of the same few thousand.
 */
export class WordTable {
  readonly #trie: Trie
  readonly #parts: readonly Part[] = Array.from({ length: PARTS }, () => ({ slots: new Int32Array(16 * WIDTH), size: 0 }))
  readonly #recent = new Int32Array(RECENT * WIDTH)

  constructor(trie: Trie) {
    this.#trie = trie
  }

  /** The number of a word, or `NONE`. */
  find(units: Uint16Array, from: number, to: number): number {
    const hash = hashOf(units, from, to)
    const recent = this.#recent
    const at = (hash & (RECENT - 1)) * WIDTH
    const last = recent[at + WORD] ?? 0
    if (last !== 0 && recent[at + HASH] === hash && this.#trie.spells(last - 1, units, from, to)) return last - 1
    const { slots } = this.#partOf(hash)
    for (let slot = first(slots, hash); ; slot = next(slots, slot)) {
      const held = slots[slot + WORD] ?? 0
      if (held === 0) return NONE
      if (slots[slot + HASH] !== hash || !this.#trie.spells(held - 1, units, from, to)) continue
      recent[at + WORD] = held
      recent[at + HASH] = hash
      return held - 1
    }
  }

  /** Adds a word that `find` did not find. */
  add(number: number, units: Uint16Array, from: number, to: number): void {
    const hash = hashOf(units, from, to)
    const part = this.#partOf(hash)
    part.size++
    if (2 * part.size * WIDTH > part.slots.length) part.slots = doubled(part.slots)
    put(part.slots, hash, number + 1)
  }

  #partOf(hash: number): Part {
    return this.#parts[hash & (PARTS - 1)] as Part
  }
}

function doubled(slots: Int32Array): Int32Array {
  const larger = new Int32Array(2 * slots.length)
  for (let slot = 0; slot < slots.length; slot += WIDTH) {
    if (slots[slot + WORD] !== 0) put(larger, slots[slot + HASH] ?? 0, slots[slot + WORD] ?? 0)
  }
  return larger
}

function put(slots: Int32Array, hash: number, word: number): void {
  let slot = first(slots, hash)
  while (slots[slot + WORD] !== 0) slot = next(slots, slot)
  slots[slot + WORD] = word
  slots[slot + HASH] = hash
}

const first = (slots: Int32Array, hash: number): number => ((hash >>> PART_BITS) * WIDTH) & (slots.length - 1)
const next = (slots: Int32Array, slot: number): number => (slot + WIDTH) & (slots.length - 1)

function hashOf(units: Uint16Array, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}

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
