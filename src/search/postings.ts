import { roomFor } from './growing.ts'

const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS
const MAX_LEVEL = 10

/** The last bits of a posting say how many times more than once a word comes up in a place: three are the most that count. */
export const TIMES_BITS = 2
export const MORE_TIMES = (1 << TIMES_BITS) - 1

/**
 * The places in which each word comes up, as a growing list of postings: a place and how often. The first posting stands beside
 * the word, since half of all words have no other; the rest is in slices, each twice as long as the one before, cut from large
 * blocks (M. Busch et al., Earlybird, ICDE 2012).
 */
export class Postings {
  readonly #blocks: Int32Array[] = []
  #used = BLOCK
  #counts = new Int32Array(64)
  #firsts = new Int32Array(64)
  /** Where a word's first slice begins. A slice begins with where the next one does. */
  #heads = new Int32Array(64)
  /** Where the next number goes, how many still fit there, and how long the slice is (as a power of two). */
  #tails = new Int32Array(64)
  #rooms = new Uint16Array(64)
  #levels = new Uint8Array(64)
  readonly #single = new Int32Array(1)

  /** How many postings a word has. */
  count(word: number): number {
    return this.#counts[word] ?? 0
  }

  /** Notes that a word comes up in a place: one time more, when that is the place in which it came up last. */
  add(word: number, place: number): void {
    if (word >= this.#counts.length) this.#makeRoom(word)
    const count = this.#counts[word] ?? 0
    if (count > 0 && this.#repeats(word, count, place)) return
    this.#counts[word] = count + 1
    const posting = place << TIMES_BITS
    if (count === 0) {
      this.#firsts[word] = posting
      return
    }
    if (this.#rooms[word] === 0) this.#addSlice(word)
    const tail = this.#tails[word] ?? 0
    this.#blockAt(tail)[tail & (BLOCK - 1)] = posting
    this.#tails[word] = tail + 1
    this.#rooms[word] = (this.#rooms[word] ?? 0) - 1
  }

  #repeats(word: number, count: number, place: number): boolean {
    const address = (this.#tails[word] ?? 0) - 1
    const list = count === 1 ? this.#firsts : this.#blockAt(address)
    const at = count === 1 ? word : address & (BLOCK - 1)
    const last = list[at] ?? 0
    if (last >>> TIMES_BITS !== place) return false
    if ((last & MORE_TIMES) < MORE_TIMES) list[at] = last + 1
    return true
  }

  /** Calls `take` with every stretch of a word's numbers, which are those from `from` and before `to`. */
  eachStretch(word: number, take: (numbers: Int32Array, from: number, to: number) => void): void {
    const count = this.count(word)
    if (count === 0) return
    this.#single[0] = this.#firsts[word] ?? 0
    take(this.#single, 0, 1)
    let left = count - 1
    let slice = this.#heads[word] ?? 0
    for (let level = 1; left > 0; level++) {
      const length = Math.min(left, 1 << Math.min(level, MAX_LEVEL))
      const block = this.#blockAt(slice)
      const start = slice & (BLOCK - 1)
      take(block, start + 1, start + 1 + length)
      left -= length
      slice = block[start] ?? 0
    }
  }

  #addSlice(word: number): void {
    const level = Math.min((this.#levels[word] ?? 0) + 1, MAX_LEVEL)
    const length = 1 << level
    const slice = this.#allocate(length + 1)
    if (this.#levels[word] === 0) {
      this.#heads[word] = slice
    } else {
      const previous = (this.#tails[word] ?? 0) - (1 << (this.#levels[word] ?? 0)) - 1
      this.#blockAt(previous)[previous & (BLOCK - 1)] = slice
    }
    this.#levels[word] = level
    this.#tails[word] = slice + 1
    this.#rooms[word] = length
  }

  #allocate(length: number): number {
    if (this.#used + length > BLOCK) {
      this.#blocks.push(new Int32Array(BLOCK))
      this.#used = 0
    }
    const address = (this.#blocks.length - 1) * BLOCK + this.#used
    this.#used += length
    return address
  }

  #blockAt(address: number): Int32Array {
    const block = this.#blocks[address >>> BLOCK_BITS]
    if (block === undefined) throw new Error(`There is no block for ${address}`)
    return block
  }

  #makeRoom(word: number): void {
    this.#counts = roomFor(this.#counts, word)
    this.#firsts = roomFor(this.#firsts, word)
    this.#heads = roomFor(this.#heads, word)
    this.#tails = roomFor(this.#tails, word)
    this.#rooms = roomFor(this.#rooms, word)
    this.#levels = roomFor(this.#levels, word)
  }
}
