import type { Clock } from '../util/clock.ts'

/** What became of a request, and how the caller stands now. Durations in whole seconds, rounded up. */
export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the oldest counted request leaves the window and makes room for another. */
  readonly resetSeconds: number
}

/** A caller's counted requests, oldest first; those before `head` have left the window. */
interface Log {
  times: number[]
  head: number
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
  readonly #logs = new Map<string, Log>()

  constructor(options: { limit: number; windowMs: number; clock: Clock; maxCallers?: number }) {
    this.limit = options.limit
    this.windowMs = options.windowMs
    this.#clock = options.clock
    this.#maxCallers = options.maxCallers ?? 10_000
  }

  /** Counts a request of a caller, if it is allowed. */
  take(caller: string): Verdict {
    const now = this.#clock()
    const log = this.#logOf(caller)
    this.#forgetBefore(now - this.windowMs, log)
    const allowed = log.times.length - log.head < this.limit
    if (allowed) log.times.push(now)
    const oldest = log.times[log.head] ?? now
    return {
      allowed,
      limit: this.limit,
      remaining: this.limit - (log.times.length - log.head),
      resetSeconds: Math.ceil((oldest + this.windowMs - now) / 1000),
    }
  }

  #forgetBefore(time: number, log: Log): void {
    while ((log.times[log.head] ?? Number.POSITIVE_INFINITY) <= time) log.head++
    if (log.head < this.limit) return
    log.times = log.times.slice(log.head)
    log.head = 0
  }

  #logOf(caller: string): Log {
    const log = this.#logs.get(caller) ?? { times: [], head: 0 }
    // Put back at the end, so that the map is in the order of last use.
    this.#logs.delete(caller)
    this.#logs.set(caller, log)
    const [quietest] = this.#logs.keys()
    if (this.#logs.size > this.#maxCallers && quietest !== undefined) this.#logs.delete(quietest)
    return log
  }
}
