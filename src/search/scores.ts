import { roomFor } from './growing.ts'

/** The best score of each document for one word. */
export class WordScores {
  best = new Float32Array(64)
  /** Scored documents, in no order. */
  documents = new Int32Array(64)
  size = 0

  /** Reserves space for this many documents. */
  prepare(documents: number): void {
    this.best = roomFor(this.best, documents)
    this.documents = roomFor(this.documents, documents)
  }

  /** Number of scored documents that pass a test. */
  count(passes: (document: number) => boolean): number {
    let count = 0
    for (let at = 0; at < this.size; at++) if (passes(this.documents[at] ?? 0)) count++
    return count
  }

  raise(document: number, score: number): void {
    const known = this.best[document] ?? 0
    if (score <= known) return
    if (known === 0) this.documents[this.size++] = document
    this.best[document] = score
  }
}

/** Sums the scores of several words and counts how many words each document matches. */
export class Tally {
  sums = new Float32Array(64)
  documents = new Int32Array(64)
  size = 0
  #counts = new Uint8Array(64)

  prepare(documents: number): void {
    this.sums = roomFor(this.sums, documents)
    this.#counts = roomFor(this.#counts, documents)
    this.documents = roomFor(this.documents, documents)
  }

  /** Adds the scores of a word, multiplied by `weight`, and clears them. */
  add(word: WordScores, weight: number): void {
    const { documents, best, size } = word
    for (let at = 0; at < size; at++) {
      const document = documents[at] ?? 0
      if (this.#counts[document] === 0) this.documents[this.size++] = document
      this.#counts[document] = (this.#counts[document] ?? 0) + 1
      this.sums[document] = (this.sums[document] ?? 0) + weight * (best[document] ?? 0)
      best[document] = 0
    }
    word.size = 0
  }

  /** Multiplies the sums of the documents of a word, by up to 1 + `share`, and clears its scores. */
  increase(word: WordScores, share: number): void {
    const { documents, best, size } = word
    for (let at = 0; at < size; at++) {
      const document = documents[at] ?? 0
      this.sums[document] = (this.sums[document] ?? 0) * (1 + share * (best[document] ?? 0))
      best[document] = 0
    }
    word.size = 0
  }

  /** The documents that match at least this many words. */
  answering(words: number): Int32Array {
    if (words <= 1) return this.documents.slice(0, this.size)
    return this.documents.subarray(0, this.size).filter((document) => (this.#counts[document] ?? 0) >= words)
  }

  clear(): void {
    for (let at = 0; at < this.size; at++) {
      const document = this.documents[at] ?? 0
      this.sums[document] = 0
      this.#counts[document] = 0
    }
    this.size = 0
  }
}

/** Up to this many items are selected by a heap; more are sorted. */
const MAX_HEAP = 1_000

/**
 * The items from position `offset`, at most `limit`, in order. Much faster than sorting all if few of many are needed.
 *
 * @param isBefore a strict total order
 */
export function bestOf(
  items: Int32Array,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  isBefore: (a: number, b: number) => boolean,
): Int32Array {
  const wanted = Math.min(items.length, offset + limit)
  const order = (a: number, b: number) => (isBefore(a, b) ? -1 : 1)
  if (wanted > MAX_HEAP) return items.slice().sort(order).subarray(offset, wanted)
  const heap = items.slice(0, wanted)
  for (let at = (wanted >>> 1) - 1; at >= 0; at--) sink(heap, at, isBefore)
  for (let at = wanted; at < items.length; at++) {
    const item = items[at] ?? 0
    if (wanted === 0 || !isBefore(item, heap[0] ?? 0)) continue
    heap[0] = item
    sink(heap, 0, isBefore)
  }
  return heap.sort(order).subarray(offset)
}

/** Restores the heap property from an item downwards. The first item of the heap is the last in order. */
function sink(heap: Int32Array, from: number, isBefore: (a: number, b: number) => boolean): void {
  const item = heap[from] ?? 0
  let at = from
  for (;;) {
    let below = 2 * at + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isBefore(heap[below] ?? 0, heap[below + 1] ?? 0)) below++
    const next = heap[below] ?? 0
    if (!isBefore(item, next)) break
    heap[at] = next
    at = below
  }
  heap[at] = item
}
