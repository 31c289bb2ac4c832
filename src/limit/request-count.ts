/** Requests of a caller that a process counted at once. */
export interface RequestBatch {
  /** Identifies the batch among those of all processes. */
  readonly key: string
  /** A time of the database, in milliseconds. */
  readonly at: number
  readonly count: number
}

/** The requests of a caller in a window, in batches. */
export class RequestCount {
  /** In the order in which they became known, which is about that of their times. */
  readonly #batches = new Map<string, RequestBatch>()
  #total = 0

  /** Adds a batch unless it is known. */
  add(batch: RequestBatch): void {
    if (this.#batches.has(batch.key)) return
    this.#batches.set(batch.key, batch)
    this.#total += batch.count
  }

  /** The number of requests after a time, and the time of the oldest of them. Those before are forgotten. */
  since(time: number): { readonly total: number; readonly oldest: number | undefined } {
    for (const { key, at, count } of this.#batches.values()) {
      if (at > time) return { total: this.#total, oldest: at }
      this.#batches.delete(key)
      this.#total -= count
    }
    return { total: 0, oldest: undefined }
  }
}
