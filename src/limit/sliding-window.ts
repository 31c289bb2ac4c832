import type { Clock } from '../util/clock.ts'

/** What became of a request, and how the caller stands now. Durations in whole seconds, rounded up. */
export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the oldest counted request leaves the window and makes room for another. */
  readonly resetSeconds: number
}

/** The times of a caller's counted requests: a ring of as many as the limit allows. */
interface Ring {
  readonly times: Float64Array
  /** Where the next time goes, which is where the oldest one is once the ring is full. */
  next: number
}

/**
 * Allows each caller at most `limit` requests in any stretch of `windowMs`, exactly: it remembers when each was made.
 * Refused requests do not count. Memory is bounded by forgetting the callers that were quiet longest.
 */
export class SlidingWindow {
  readonly limit: number
  readonly windowMs: number
  readonly #clock: Clock
  readonly #maxCallers: number
  readonly #rings = new Map<string, Ring>()

  constructor({
    limit,
    windowMs,
    clock,
    maxCallers = 10_000,
  }: { limit: number; windowMs: number; clock: Clock; maxCallers?: number }) {
    this.limit = limit
    this.windowMs = windowMs
    this.#clock = clock
    this.#maxCallers = maxCallers
  }

  /** Counts a request of a caller, if it is allowed. */
  take(caller: string): Verdict {
    const now = this.#clock()
    const ring = this.#ringOf(caller)
    const oldest = ring.times[ring.next] ?? now
    const allowed = now - oldest >= this.windowMs
    if (allowed) {
      ring.times[ring.next] = now
      ring.next = (ring.next + 1) % this.limit
    }
    const counted = ring.times.filter((time) => now - time < this.windowMs)
    const resetMs = Math.min(...counted) + this.windowMs - now
    return { allowed, limit: this.limit, remaining: this.limit - counted.length, resetSeconds: Math.ceil(resetMs / 1000) }
  }

  #ringOf(caller: string): Ring {
    const ring = this.#rings.get(caller) ?? { times: new Float64Array(this.limit).fill(-Infinity), next: 0 }
    // Put back at the end, so that the map is in the order of last use.
    this.#rings.delete(caller)
    this.#rings.set(caller, ring)
    const [quietest] = this.#rings.keys()
    if (this.#rings.size > this.#maxCallers && quietest !== undefined) this.#rings.delete(quietest)
    return ring
  }
}
