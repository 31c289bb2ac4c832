import { AppError } from '../errors.ts'
import type { Clock } from '../util/clock.ts'
import { type Heap, isNearlyFull } from '../util/heap.ts'

/** Minimum time between collections of garbage that the guard asks for, in milliseconds. */
const BETWEEN_COLLECTIONS = 60_000

/**
 * Refuses what makes the store grow while the heap that it is in is nearly full: a process whose heap is full ends, and ends again at each start.
 * Reads, deletions and logins go on.
 */
export class MemoryGuard {
  readonly #heap: Heap | undefined
  readonly #clock: Clock
  #hasRemoved = false
  #collectedAt = Number.NEGATIVE_INFINITY

  /** @param heap the heap of the store's process; undefined for a store in another process */
  constructor(heap: Heap | undefined, clock: Clock) {
    this.#heap = heap
    this.#clock = clock
  }

  /** Called after a deletion. */
  removed(): void {
    this.#hasRemoved = true
  }

  /** @throws {AppError} MEMORY_FULL */
  throwIfFull(): void {
    const heap = this.#heap
    if (heap === undefined || !isNearlyFull(heap.use())) return
    this.#collectRemoved(heap)
    const use = heap.use()
    if (!isNearlyFull(use)) return
    const [used, limit] = [use.used, use.limit].map((bytes) => Math.round(bytes / 2 ** 20))
    throw new AppError(
      'MEMORY_FULL',
      `All records are in the heap of the server, of which ${used} of ${limit} MiB are used, so none is created or changed. ` +
        `Start the server with a larger heap, such as NODE_OPTIONS=--max-old-space-size=${2 * (limit ?? 0)}, keep the records in PostgreSQL, ` +
        'or delete records',
    )
  }

  /** Deleted records count until garbage is collected. V8 does that when the heap grows, which it does not while writes are refused. */
  #collectRemoved(heap: Heap): void {
    if (!this.#hasRemoved || this.#clock() - this.#collectedAt < BETWEEN_COLLECTIONS) return
    this.#hasRemoved = false
    this.#collectedAt = this.#clock()
    heap.collect()
  }
}
