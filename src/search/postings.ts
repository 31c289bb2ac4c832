import { roomFor } from './growing.ts'

const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS
/** Slices hold 2^level postings. */
const MAX_LEVEL = 6

/** Number of low bits of a posting that count further occurrences of the word in a place, up to three. */
export const TIMES_BITS = 2
export const MORE_TIMES = (1 << TIMES_BITS) - 1

/** Number of bits of a posting that hold the position of one of so many fields. */
export const fieldBitsOf = (fields: number): number => Math.ceil(Math.log2(Math.max(2, fields)))

/** Receives a run of postings, from `from` up to but not including `to`. */
export type TakeRun = (postings: Int32Array, from: number, to: number) => void

/** Members of an entry: the number of postings of a word, and the last posting … */
const COUNT = 0
const LAST = 1
/** … the start of the first slice, and the position for the next posting. */
const HEAD = 2
const TAIL = 3
const WIDTH = 4

/**
 * Postings: for each word, the places where it occurs and how often. The last posting is stored in the word's entry, since half
 * of all words have only one, and appending then reads no other memory. The others are in slices of doubling size, allocated
 * from large blocks (M. Busch et al., Earlybird, ICDE 2012). Each slice starts with the address of the next.
 */
export class Postings {
  readonly #blocks: Int32Array[] = []
  #used = BLOCK
  /** One entry for each word, its members adjacent for locality. */
  #entries = new Int32Array(64 * WIDTH)
  readonly #single = new Int32Array(1)

  /** Adds an occurrence of a word in a place; increments the count if it is the word's last place. */
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

  /** Appends a posting. */
  #store(entry: number, stored: number, posting: number): void {
    if (isFull(stored)) this.#addSlice(entry, stored)
    const tail = this.#entries[entry + TAIL] ?? 0
    this.#blockAt(tail)[tail & (BLOCK - 1)] = posting
    this.#entries[entry + TAIL] = tail + 1
  }

  /** Calls `take` with each run of a word's postings, from `from` up to but not including `to`. */
  eachRun(word: number, take: TakeRun): void {
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

/** The level of the slice that holds the posting at this position: slices hold 2, 4, 8 … postings, up to the maximum level. */
const levelAfter = (stored: number): number => Math.min(MAX_LEVEL, 31 - Math.clz32(stored + 2))

/** True if this many postings fill their slices exactly. */
const isFull = (stored: number): boolean => ((stored + 2) & ((1 << levelAfter(stored)) - 1)) === 0

/**
 * Passes on the postings of some documents. It reads one posting of each run without them, and finds them by bisection in others.
 *
 * @param documents in ascending order, as the postings must be
 * @param shift number of bits of a posting below its document
 */
export function amongDocuments(documents: Int32Array, shift: number): (take: TakeRun) => TakeRun {
  const end = documents.length
  return (take) => {
    let next = 0
    return (postings, from, to) => {
      const last = (postings[to - 1] ?? 0) >>> shift
      for (let low = from; next < end && (documents[next] ?? 0) <= last; next++) {
        const wanted = documents[next] ?? 0
        for (let high = to; low < high; ) {
          const middle = (low + high) >>> 1
          if ((postings[middle] ?? 0) >>> shift < wanted) low = middle + 1
          else high = middle
        }
        const first = low
        while (low < to && (postings[low] ?? 0) >>> shift === wanted) low++
        if (low > first) take(postings, first, low)
        // The next run may have more of this document.
        if (low === to && wanted === last) return
      }
    }
  }
}
