import { LRUCache } from 'lru-cache'
import type { Clock, Timer } from '../util/clock.ts'
import { type RequestWindow, type Verdict, WINDOW_MS } from './sliding-window.ts'

/** Requests by caller in a database, each decided and counted by one statement. */
export interface CallerCounts {
  /** @returns the number of requests in the window after this one, and the milliseconds until the oldest leaves it */
  take(
    caller: string,
    limit: number,
    windowMs: number,
  ): Promise<{ readonly allowed: boolean; readonly count: number; readonly resetMs: number }>
}

/** Parts of `SharedLimits`. */
interface SharedLimitsParts {
  readonly callers: CallerCounts
  readonly log: RequestLog
  readonly clock: Clock
  readonly timer: Timer
}

/** The limits of requests that all processes of a database share. Limits with different names count separately. */
export class SharedLimits {
  readonly #callers: CallerCounts
  readonly #exchange: RequestExchange

  constructor({ callers, log, clock, timer }: SharedLimitsParts) {
    this.#callers = callers
    this.#exchange = new RequestExchange({ log, windowMs: WINDOW_MS, clock, timer })
  }

  /** A window that is exact, at the cost of a statement for each request. */
  exact(name: string, limit: number): RequestWindow {
    return {
      take: async (caller): Promise<Verdict> => {
        const { allowed, count, resetMs } = await this.#callers.take(`${name} ${caller}`, limit, WINDOW_MS)
        return { allowed, limit, remaining: Math.max(0, limit - count), resetSeconds: Math.ceil(resetMs / 1000) }
      },
    }
  }

  /** A window that permits as many requests more as a caller sends in the 250 ms after which the processes know of them. */
  exchanged(name: string, limit: number): RequestWindow {
    return new ExchangedWindow(this.#exchange, name, limit)
  }

  /** Tells the other processes of the last requests. */
  stop(): Promise<void> {
    return this.#exchange.close()
  }
}

/** A window that counts in this process and exchanges the numbers with the others, so that it costs no round trip while requests arrive. */
export class ExchangedWindow implements RequestWindow {
  readonly #exchange: RequestExchange
  readonly #name: string
  readonly #limit: number

  /** @param name of the limit; callers of limits with different names are counted separately */
  constructor(exchange: RequestExchange, name: string, limit: number) {
    this.#exchange = exchange
    this.#name = name
    this.#limit = limit
  }

  take(caller: string): Verdict | Promise<Verdict> {
    const name = `${this.#name} ${caller}`
    const ready = this.#exchange.prepare(name)
    return ready === undefined ? this.#decide(name) : ready.then(() => this.#decide(name))
  }

  #decide(name: string): Verdict {
    const { count, resetMs } = this.#exchange.standingOf(name)
    const allowed = count < this.#limit
    if (allowed) this.#exchange.add(name)
    const remaining = Math.max(0, this.#limit - count - (allowed ? 1 : 0))
    return { allowed, limit: this.#limit, remaining, resetSeconds: Math.ceil(resetMs / 1000) }
  }
}

/** What a process tells the others, and asks of them. */
interface ExchangeRequest {
  /** The numbers of requests by caller since the last exchange. */
  readonly added: ReadonlyMap<string, number>
  /** The callers whose whole window is asked for. */
  readonly wanted: readonly string[]
  /** Batches of others that were added from here on are read; only the batches of `wanted` when undefined. A time of the database, in milliseconds. */
  readonly since: number | undefined
  readonly windowMs: number
}

/** The answer to an exchange. */
interface ExchangeAnswer {
  /** The time of the database, in milliseconds. */
  readonly now: number
  /** Key of the batch of `added`. */
  readonly key: string
  readonly batches: readonly (RequestBatch & { readonly caller: string })[]
}

/** Keeps the numbers of requests of all processes for one window. */
export interface RequestLog {
  exchange(request: ExchangeRequest): Promise<ExchangeAnswer>
}

/** Parts of a `RequestExchange`. */
interface RequestExchangeParts {
  readonly log: RequestLog
  readonly windowMs: number
  readonly clock: Clock
  readonly timer: Timer
  /** Maximum number of callers whose requests are known; 10,000 by default. */
  readonly maxCallers?: number
}

/** Interval of exchanges. With `MAX_AGE`, a request is known to the others after 250 ms and the time of two statements. In milliseconds. */
const INTERVAL = 100
/** Age of the last exchange up to which its numbers are used. In milliseconds. */
const MAX_AGE = 150
/** A batch may become visible this long after its time, which is when its statement began. In milliseconds. */
const OVERLAP = 1000
/** After a longer pause, callers are asked for one by one. In milliseconds. */
const MAX_PAUSE = 5000

/**
 * Exchanges numbers of requests with the other processes of a database, every 100 ms while requests arrive. The requests of a caller are known
 * from its first request on, which waits for an exchange. Each further one is decided at once, by numbers that are at most 150 ms old.
 */
export class RequestExchange {
  readonly #parts: RequestExchangeParts
  readonly #known: LRUCache<string, RequestCount>
  #added = new Map<string, number>()
  /** Those of `#added` whose exchange is running. */
  #sent = new Map<string, number>()
  #wanted = new Set<string>()
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  /** True if a request arrived since the last exchange began. */
  #isUsed = false
  /** When the last successful exchange began. */
  #exchangedAt = Number.NEGATIVE_INFINITY
  /** The time of the database then. */
  #now = 0

  constructor(parts: RequestExchangeParts) {
    this.#parts = parts
    this.#known = new LRUCache({ maxSize: parts.maxCallers ?? 10_000, sizeCalculation: () => 1 })
  }

  /** Waits until the requests of a caller are known; undefined if they are. */
  prepare(caller: string): Promise<void> | undefined {
    this.#isUsed = true
    const isCurrent = Math.abs(this.#parts.clock() - this.#exchangedAt) < MAX_AGE
    if (isCurrent && this.#known.has(caller)) {
      this.#schedule()
      return undefined
    }
    this.#wanted.add(caller)
    return this.#exchange()
  }

  /** The number of a caller's requests in the window, and the milliseconds until the oldest leaves it. */
  standingOf(caller: string): { readonly count: number; readonly resetMs: number } {
    const { windowMs, clock } = this.#parts
    const now = this.#now + Math.max(0, clock() - this.#exchangedAt)
    const own = (this.#added.get(caller) ?? 0) + (this.#sent.get(caller) ?? 0)
    const known = this.#known.get(caller)
    const { total, oldest } = known?.since(now - windowMs) ?? { total: 0, oldest: undefined }
    return { count: total + own, resetMs: Math.max(0, (oldest ?? now) + windowMs - now) }
  }

  /** Counts a request of a caller. */
  add(caller: string): void {
    this.#added.set(caller, (this.#added.get(caller) ?? 0) + 1)
    this.#schedule()
  }

  /** Tells the others of the last requests. */
  async close(): Promise<void> {
    this.#cancelTimer?.()
    if (this.#added.size > 0) await this.#exchange().catch(() => {})
    this.#cancelTimer?.()
  }

  /** An exchange that has not begun yet. */
  #exchange(): Promise<void> {
    this.#next ??= (this.#running ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#running = this.#run().finally(() => {
          this.#running = undefined
        })
        return this.#running
      })
    return this.#next
  }

  async #run(): Promise<void> {
    const { log, windowMs, clock } = this.#parts
    const startedAt = clock()
    const pause = Math.abs(startedAt - this.#exchangedAt)
    if (pause > MAX_PAUSE) this.#known.clear()
    const since = this.#known.size === 0 ? undefined : this.#now - OVERLAP
    const wanted = [...this.#wanted]
    this.#isUsed = false
    this.#wanted = new Set()
    this.#sent = this.#added
    this.#added = new Map()
    try {
      const answer = await log.exchange({ added: this.#sent, wanted, since, windowMs })
      this.#note(answer, wanted)
      this.#exchangedAt = startedAt
      this.#now = answer.now
    } catch (error) {
      for (const [caller, count] of this.#sent) this.#added.set(caller, (this.#added.get(caller) ?? 0) + count)
      throw error
    } finally {
      this.#sent = new Map()
    }
    this.#schedule()
  }

  #note({ now, key, batches }: ExchangeAnswer, wanted: readonly string[]): void {
    for (const caller of wanted) if (!this.#known.has(caller)) this.#known.set(caller, new RequestCount())
    for (const batch of batches) {
      const count = this.#known.peek(batch.caller)
      count?.add(batch)
      // A caller that this process does not serve any more is not asked for, and must not grow.
      count?.since(now - this.#parts.windowMs)
    }
    for (const [caller, count] of this.#sent) this.#known.peek(caller)?.add({ key, at: now, count })
  }

  /** Plans the next exchange. */
  #schedule(): void {
    if (this.#cancelTimer !== undefined || (this.#added.size === 0 && !this.#isUsed)) return
    this.#cancelTimer = this.#parts.timer(INTERVAL, () => {
      this.#cancelTimer = undefined
      // The requests that wait for an exchange report its error.
      this.#exchange().catch(() => {})
    })
  }
}

/** Requests of a caller that a process counted at once. */
interface RequestBatch {
  /** Identifies the batch among the batches of all processes. */
  readonly key: string
  /** A time of the database, in milliseconds. */
  readonly at: number
  readonly count: number
}

/** The requests of a caller in a window, in batches. */
class RequestCount {
  /** In the order in which they became known, which is about the order of their times. */
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
