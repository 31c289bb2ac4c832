import { LRUCache } from 'lru-cache'
import type { Clock } from '../util/clock.ts'
import type { Timer } from '../util/timer.ts'
import { type RequestBatch, RequestCount } from './request-count.ts'

/** What a process tells the others, and asks of them. */
export interface ExchangeRequest {
  /** The numbers of requests by caller since the last exchange. */
  readonly added: ReadonlyMap<string, number>
  /** The callers whose whole window is asked for. */
  readonly wanted: readonly string[]
  /** The batches of the others are asked for that were added from here on; only those of `wanted` when undefined. A time of the database, in milliseconds. */
  readonly since: number | undefined
  readonly windowMs: number
}

/** The answer to an exchange. */
export interface ExchangeAnswer {
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
export interface RequestExchangeParts {
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
