import { roomFor } from './growing.ts'

const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS
/** Slices hold as many postings as two to the power of their level. */
const MAX_LEVEL = 6

/** The last bits of a posting say how many times more than once a word comes up in a place: three are the most that count. */
export const TIMES_BITS = 2
export const MORE_TIMES = (1 << TIMES_BITS) - 1

/** The members of an entry: how many postings a word has, and the last of them … */
const COUNT = 0
const LAST = 1
/** … where the first slice of all before begins, and where the last one goes when it is followed by another. */
const HEAD = 2
const TAIL = 3
const WIDTH = 4

/**
 * The places in which each word comes up, as a growing list of postings: a place and how often. The last posting stands beside the
 * word, since half of all words have no other, and what was written elsewhere need not be read to go on; the rest is in slices, each
 * twice as long as the one before, cut from large blocks (M. Busch et al., Earlybird, ICDE 2012). A slice begins with where the next
 * one does.
 */
export class Postings {
  readonly #blocks: Int32Array[] = []
  #used = BLOCK
  /** An entry a word, its members beside each other, since memory is slow where it was not just used. */
  #entries = new Int32Array(64 * WIDTH)
  readonly #single = new Int32Array(1)

  /** Notes that a word comes up in a place: one time more, when that is the place in which it came up last. */
  add(word: number, place: number): void {
    const entry = word * WIDTH
    this.#entries = roomFor(this.#entries, entry + WIDTH)
    const entries = this.#entries
    const count = entries[entry + COUNT] ?? 0
    const last = entries[entry + LAST] ?? 0
    if (count > 0) {
      if (last >>> TIMES_BITS === place) {
        if ((last & MORE_TIMES) < MORE_TIMES) entries[entry + LAST] = last + 1
        return
      }
      this.#store(entry, count - 1, last)
    }
    entries[entry + COUNT] = count + 1
    entries[entry + LAST] = place << TIMES_BITS
  }

  /** Puts a posting behind so many others. */
  #store(entry: number, stored: number, posting: number): void {
    if (isFull(stored)) this.#addSlice(entry, stored)
    const tail = this.#entries[entry + TAIL] ?? 0
    this.#blockAt(tail)[tail & (BLOCK - 1)] = posting
    this.#entries[entry + TAIL] = tail + 1
  }

  /** Calls `take` with every stretch of a word's postings, which are those from `from` and before `to`. */
  eachStretch(word: number, take: (postings: Int32Array, from: number, to: number) => void): void {
    const entry = word * WIDTH
    const count = this.#entries[entry + COUNT] ?? 0
    if (count === 0) return
    let slice = this.#entries[entry + HEAD] ?? 0
    let taken = 0
    while (taken < count - 1) {
      const length = Math.min(count - 1 - taken, 1 << levelAfter(taken))
      const block = this.#blockAt(slice)
      const start = slice & (BLOCK - 1)
      take(block, start + 1, start + 1 + length)
      taken += length
      slice = block[start] ?? 0
    }
    this.#single[0] = this.#entries[entry + LAST] ?? 0
    take(this.#single, 0, 1)
  }

  #addSlice(entry: number, stored: number): void {
    const level = levelAfter(stored)
    const slice = this.#allocate((1 << level) + 1)
    if (stored === 0) {
      this.#entries[entry + HEAD] = slice
    } else {
      const previous = (this.#entries[entry + TAIL] ?? 0) - (1 << levelAfter(stored - 1)) - 1
      this.#blockAt(previous)[previous & (BLOCK - 1)] = slice
    }
    this.#entries[entry + TAIL] = slice + 1
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
}

/** The level of the slice that the posting behind so many others is in: slices hold 2, 4, 8 … postings, and those of the last level. */
const levelAfter = (stored: number): number => Math.min(MAX_LEVEL, 31 - Math.clz32(stored + 2))

/** True when so many postings fill their slices. */
const isFull = (stored: number): boolean => ((stored + 2) & ((1 << levelAfter(stored)) - 1)) === 0
