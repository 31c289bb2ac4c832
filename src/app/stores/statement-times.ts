import type { DatabaseFigures } from './opened-store.ts'

/** Upper bounds of the buckets in milliseconds; the last bucket has none. */
const BOUNDS_MS: readonly number[] = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Counts the durations of statements. */
export class StatementTimes {
  readonly #buckets = new Float64Array(BOUNDS_MS.length + 1)
  #totalMs = 0

  /** Counts a statement. */
  readonly observe = (milliseconds: number): void => {
    let bucket = 0
    while (bucket < BOUNDS_MS.length && milliseconds > (BOUNDS_MS[bucket] ?? 0)) bucket++
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#totalMs += milliseconds
  }

  histogram(): DatabaseFigures['statements'] {
    return { boundsMs: BOUNDS_MS, buckets: [...this.#buckets], totalMs: this.#totalMs }
  }
}
