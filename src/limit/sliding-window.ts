import type { Clock } from '../util/clock.ts'

/** What became of a request, and how the caller stands now. Durations in whole seconds, rounded up. */
export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the oldest counted request leaves the window and makes room for another. */
  readonly resetSeconds: number
}

/** A caller's counted requests, oldest first: how many were made at each time. Those before `head` have left the window. */
interface Log {
  times: number[]
  counts: number[]
  head: number
  /** How many are in the window. */
  size: number
}

/** A log is not worth shortening for fewer entries that have left the window. */
const MIN_LEFT = 512

/**
 * Allows each caller at most `limit` requests in any stretch of `windowMs`, exactly: it remembers when each was made.
 * Refused requests do not count. However high the limit, a caller costs at most an entry for each tick of the clock; callers that
 * were quiet for a whole window are forgotten, and those that were quiet longest when there are too many.
 *
 * Our own, since no library that is kept up holds that promise: rate-limiter-flexible, express-rate-limit, hapi-rate-limit and
 * limiter count from one edge of a window to the next, so that twice the limit may pass around an edge; rolling-rate-limiter is
 * exact, but takes no clock, has a native one that is built on installation, and remembers as many callers as there are.
 */
export class SlidingWindow {
  readonly limit: number
  readonly windowMs: number
  readonly #clock: Clock
  readonly #maxCallers: number
  /** In the order of last use. */
  readonly #logs = new Map<string, Log>()
  #now = Number.NEGATIVE_INFINITY
  #latest: { readonly caller: string; readonly log: Log } | undefined

  constructor(options: { limit: number; windowMs: number; clock: Clock; maxCallers?: number }) {
    this.limit = options.limit
    this.windowMs = options.windowMs
    this.#clock = options.clock
    this.#maxCallers = options.maxCallers ?? 10_000
  }

  /** Counts a request of a caller, if it is allowed. */
  take(caller: string): Verdict {
    const now = this.#tell()
    const log = this.#logOf(caller, now)
    forgetUntil(now - this.windowMs, log)
    const allowed = log.size < this.limit
    if (allowed) note(now, log)
    const oldest = log.times[log.head] ?? now
    return {
      allowed,
      limit: this.limit,
      remaining: this.limit - log.size,
      resetSeconds: Math.ceil((oldest + this.windowMs - now) / 1000),
    }
  }

  /**
   * The time, which never goes back: a clock that was corrected a little stands still until it has caught up, so that no request
   * is forgotten early. One that was set back by more than a window would lock everybody out, so all starts anew.
   */
  #tell(): number {
    const now = this.#clock()
    if (now < this.#now - this.windowMs) {
      this.#logs.clear()
      this.#latest = undefined
      this.#now = now
    } else if (now > this.#now) this.#now = now
    return this.#now
  }

  /** How many entries are kept, of all callers together. */
  get entries(): number {
    return [...this.#logs.values()].reduce((sum, { times }) => sum + times.length, 0)
  }

  #logOf(caller: string, now: number): Log {
    if (this.#latest?.caller === caller) return this.#latest.log
    const log = this.#logs.get(caller) ?? { times: [], counts: [], head: 0, size: 0 }
    this.#logs.delete(caller)
    this.#logs.set(caller, log)
    this.#latest = { caller, log }
    this.#forgetQuiet(now)
    return log
  }

  /** Looks at the two that were quiet longest whenever somebody else speaks up, so that logs go faster than they come. */
  #forgetQuiet(now: number): void {
    let looks = 0
    for (const [caller, log] of this.#logs) {
      if (caller === this.#latest?.caller || ++looks > 2) return
      const last = log.times.at(-1) ?? Number.NEGATIVE_INFINITY
      if (last > now - this.windowMs && this.#logs.size <= this.#maxCallers) return
      this.#logs.delete(caller)
    }
  }
}

function note(now: number, log: Log): void {
  const last = log.times.length - 1
  if (log.times[last] === now && last >= log.head) log.counts[last] = (log.counts[last] ?? 0) + 1
  else {
    log.times.push(now)
    log.counts.push(1)
  }
  log.size++
}

function forgetUntil(time: number, log: Log): void {
  while ((log.times[log.head] ?? Number.POSITIVE_INFINITY) <= time) log.size -= log.counts[log.head++] ?? 0
  // Only once half of the log has left, so that each entry is moved about once.
  if (log.head < MIN_LEFT || log.head * 2 < log.times.length) return
  log.times = log.times.slice(log.head)
  log.counts = log.counts.slice(log.head)
  log.head = 0
}
