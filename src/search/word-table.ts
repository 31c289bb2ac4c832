import type { Trie } from './trie.ts'

/** What there is instead of the number of a word: no such word, or one that says nothing. */
export const NONE = -1
export const SILENT = -2

/** The members of a slot: the number of a word and one more, negative for one that says nothing, 0 for none; and its hash. */
const WORD = 0
const HASH = 1
const WIDTH = 2

/** How many slots there are for words that were just found: a power of two. */
const RECENT = 1 << 13

const PART_BITS = 6
const PARTS = 1 << PART_BITS

/** An open hash table with linear probing. Its length is a power of two; it is never more than half full. */
interface Part {
  slots: Int32Array
  size: number
}

/**
 * The numbers of a trie's words by their characters: no text has to be made of them to find one. Hashes are FNV-1a's. The table is in
 * parts, each of which grows by itself, so that nobody waits while all words are moved. Words that were found stand in a small table as
 * well, one a slot, since texts are mostly made of the same few thousand: those are never far from the processor.
 */
export class WordTable {
  readonly #trie: Trie
  readonly #parts: readonly Part[] = Array.from({ length: PARTS }, () => ({ slots: new Int32Array(16 * WIDTH), size: 0 }))
  readonly #recent = new Int32Array(RECENT * WIDTH)

  constructor(trie: Trie) {
    this.#trie = trie
  }

  /** The number of the word of these characters; `NONE` or `SILENT`. */
  find(units: Uint16Array, from: number, to: number): number {
    const hash = hashOf(units, from, to)
    const recent = this.#recent
    const at = (hash & (RECENT - 1)) * WIDTH
    const last = recent[at + WORD] ?? 0
    if (last !== 0 && recent[at + HASH] === hash && this.#isSpelt(last, units, from, to)) return numberOf(last)
    const { slots } = this.#partOf(hash)
    for (let slot = first(slots, hash); ; slot = next(slots, slot)) {
      const held = slots[slot + WORD] ?? 0
      if (held === 0) return NONE
      if (slots[slot + HASH] !== hash || !this.#isSpelt(held, units, from, to)) continue
      recent[at + WORD] = held
      recent[at + HASH] = hash
      return numberOf(held)
    }
  }

  #isSpelt(held: number, units: Uint16Array, from: number, to: number): boolean {
    return this.#trie.spells(Math.abs(held) - 1, units, from, to)
  }

  /** Takes up a word that was not found. */
  add(number: number, units: Uint16Array, from: number, to: number, isSilent = false): void {
    const hash = hashOf(units, from, to)
    const part = this.#partOf(hash)
    part.size++
    if (2 * part.size * WIDTH > part.slots.length) part.slots = doubled(part.slots)
    put(part.slots, hash, isSilent ? -number - 1 : number + 1)
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

/** The number of the word that a slot holds; `SILENT` for one that says nothing. */
const numberOf = (held: number): number => (held < 0 ? SILENT : held - 1)

const first = (slots: Int32Array, hash: number): number => ((hash >>> PART_BITS) * WIDTH) & (slots.length - 1)
const next = (slots: Int32Array, slot: number): number => (slot + WIDTH) & (slots.length - 1)

function hashOf(units: Uint16Array, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}
