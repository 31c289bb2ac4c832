import { LRUCache } from 'lru-cache'
import type { Clock } from '../util/clock.ts'

/** Length of the window of the limits of requests, in milliseconds. */
export const WINDOW_MS = 60_000

/** Result of counting a request. Durations in whole seconds, rounded up. */
export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Time until the oldest counted request leaves the window. */
  readonly resetSeconds: number
}

/** Allows each caller a number of requests in any interval of some length. */
export interface RequestWindow {
  /** Counts a request of a caller if it is allowed. */
  take(caller: string): Verdict | Promise<Verdict>
}

/**
 * The counted requests of a caller, oldest first: the number of requests at each time. Entries before `head` have left the
 * window.
 */
interface Log {
  times: number[]
  counts: number[]
  head: number
  /** Number of requests in the window. */
  size: number
}

/** Expired entries are removed only in batches of at least this size. */
const MIN_LEFT = 512
/** Interval at which callers who sent nothing in the last window are forgotten. In milliseconds. */
const TIDY_MS = 1000

/**
 * Sliding-window log: allows each caller at most `limit` requests in any interval of `windowMs`, exactly. Rejected requests do
 * not count. A caller costs at most one entry for each tick of the clock, whatever the limit. Callers without a request in the
 * last window are forgotten, and the least recently active ones when there are too many.
 *
 * No maintained library guarantees this: rate-limiter-flexible, express-rate-limit, hapi-rate-limit and limiter count fixed
 * windows, so that twice the limit may pass around an edge. rolling-rate-limiter is exact, but takes no clock, builds a native
 * one on installation, and does not bound the number of callers.
 */
export class SlidingWindow implements RequestWindow {
  readonly limit: number
  readonly windowMs: number
  readonly #clock: Clock
  readonly #logs: LRUCache<string, Log>
  #now = Number.NEGATIVE_INFINITY
  /** When quiet callers were last forgotten. */
  #tidiedAt = Number.NEGATIVE_INFINITY
  #latest: { readonly caller: string; readonly log: Log } | undefined

  constructor(options: { limit: number; windowMs: number; clock: Clock; maxCallers?: number }) {
    this.limit = options.limit
    this.windowMs = options.windowMs
    this.#clock = options.clock
    this.#logs = new LRUCache({ max: options.maxCallers ?? 10_000 })
  }

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
   * The time, which never goes back: after a small correction the clock stands still until it has caught up, so that no request
   * is forgotten early. After a correction of more than a window the counters are reset, since otherwise every caller would
   * stay locked out.
   */
  #tell(): number {
    const now = this.#clock()
    if (now < this.#now - this.windowMs) {
      this.#logs.clear()
      this.#latest = undefined
      this.#now = now
      this.#tidiedAt = now
    } else if (now > this.#now) this.#now = now
    return this.#now
  }

  /** Number of entries of all callers. */
  get entries(): number {
    return [...this.#logs.values()].reduce((sum, { times }) => sum + times.length, 0)
  }

  #logOf(caller: string, now: number): Log {
    if (this.#latest?.caller === caller) return this.#latest.log
    const log = this.#logs.get(caller) ?? { times: [], counts: [], head: 0, size: 0 }
    this.#logs.set(caller, log)
    this.#latest = { caller, log }
    this.#forgetQuiet(now)
    return log
  }

  /** Removes the logs of callers without a request in the window, at most once a second. */
  #forgetQuiet(now: number): void {
    if (now < this.#tidiedAt + TIDY_MS) return
    this.#tidiedAt = now
    const quiet: string[] = []
    for (const caller of this.#logs.rkeys()) {
      const last = this.#logs.peek(caller)?.times.at(-1) ?? now
      if (last > now - this.windowMs || caller === this.#latest?.caller) break
      quiet.push(caller)
    }
    for (const caller of quiet) this.#logs.delete(caller)
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
  // Only once half of the log has expired, so that each entry is moved about once.
  if (log.head < MIN_LEFT || log.head * 2 < log.times.length) return
  log.times = log.times.slice(log.head)
  log.counts = log.counts.slice(log.head)
  log.head = 0
}
