import { roomFor } from './growing.ts'

const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS
const MAX_LEVEL = 10

/** The last bits of a posting say how many times more than once a word comes up in a place: three are the most that count. */
export const TIMES_BITS = 2
export const MORE_TIMES = (1 << TIMES_BITS) - 1

/** The members of an entry: how many postings a word has, the first of them, and where its first slice begins … */
const COUNT = 0
const FIRST = 1
const HEAD = 2
/** … where the next posting goes, how many still fit there, and how long that slice is, as a power of two. */
const TAIL = 3
const ROOM = 4
const LEVEL = 5
const WIDTH = 6

/**
 * The places in which each word comes up, as a growing list of postings: a place and how often. The first posting stands beside
 * the word, since half of all words have no other; the rest is in slices, each twice as long as the one before, cut from large
 * blocks (M. Busch et al., Earlybird, ICDE 2012). A slice begins with where the next one does.
 */
export class Postings {
  readonly #blocks: Int32Array[] = []
  #used = BLOCK
  /** An entry a word, its members beside each other, since memory is slow where it was not just used. */
  #entries = new Int32Array(64 * WIDTH)
  readonly #single = new Int32Array(1)

  /** How many postings a word has. */
  count(word: number): number {
    return this.#entries[word * WIDTH + COUNT] ?? 0
  }

  /** Notes that a word comes up in a place: one time more, when that is the place in which it came up last. */
  add(word: number, place: number): void {
    const entry = word * WIDTH
    this.#entries = roomFor(this.#entries, entry + WIDTH)
    const entries = this.#entries
    const count = entries[entry + COUNT] ?? 0
    if (count > 0 && this.#repeats(entry, count, place)) return
    entries[entry + COUNT] = count + 1
    const posting = place << TIMES_BITS
    if (count === 0) {
      entries[entry + FIRST] = posting
      return
    }
    if (entries[entry + ROOM] === 0) this.#addSlice(entry)
    const tail = entries[entry + TAIL] ?? 0
    this.#blockAt(tail)[tail & (BLOCK - 1)] = posting
    entries[entry + TAIL] = tail + 1
    entries[entry + ROOM] = (entries[entry + ROOM] ?? 0) - 1
  }

  #repeats(entry: number, count: number, place: number): boolean {
    const address = (this.#entries[entry + TAIL] ?? 0) - 1
    const list = count === 1 ? this.#entries : this.#blockAt(address)
    const at = count === 1 ? entry + FIRST : address & (BLOCK - 1)
    const last = list[at] ?? 0
    if (last >>> TIMES_BITS !== place) return false
    if ((last & MORE_TIMES) < MORE_TIMES) list[at] = last + 1
    return true
  }

  /** Calls `take` with every stretch of a word's postings, which are those from `from` and before `to`. */
  eachStretch(word: number, take: (postings: Int32Array, from: number, to: number) => void): void {
    const entry = word * WIDTH
    const count = this.count(word)
    if (count === 0) return
    this.#single[0] = this.#entries[entry + FIRST] ?? 0
    take(this.#single, 0, 1)
    let left = count - 1
    let slice = this.#entries[entry + HEAD] ?? 0
    for (let level = 1; left > 0; level++) {
      const length = Math.min(left, 1 << Math.min(level, MAX_LEVEL))
      const block = this.#blockAt(slice)
      const start = slice & (BLOCK - 1)
      take(block, start + 1, start + 1 + length)
      left -= length
      slice = block[start] ?? 0
    }
  }

  #addSlice(entry: number): void {
    const entries = this.#entries
    const last = entries[entry + LEVEL] ?? 0
    const level = Math.min(last + 1, MAX_LEVEL)
    const slice = this.#allocate((1 << level) + 1)
    if (last === 0) {
      entries[entry + HEAD] = slice
    } else {
      const previous = (entries[entry + TAIL] ?? 0) - (1 << last) - 1
      this.#blockAt(previous)[previous & (BLOCK - 1)] = slice
    }
    entries[entry + LEVEL] = level
    entries[entry + TAIL] = slice + 1
    entries[entry + ROOM] = 1 << level
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
