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
