import type { Log } from '../log/log.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { RequestPace } from '../util/traffic.ts'
import type { AttemptResult, Outbox } from './outbox.ts'

/** Delay of a flush, in milliseconds. Each batch costs a disk write; a message whose result is lost in a crash is sent again. */
const FLUSH_INTERVAL_MS = 100
/** Maximum size of a batch; a full batch is stored immediately. */
const MAX_BATCH = 500
/** Delay before storing is retried after a failure, in milliseconds. */
const RETRY_MS = 1000
/** Maximum number of buffered results while storing fails; beyond it no attempt starts. */
const MAX_BUFFERED = 2 * MAX_BATCH

/** Buffers results of attempts and stores them in batches. */
export class DeliveryBuffer {
  readonly #outbox: Outbox
  readonly #timer: Timer
  readonly #log: Log
  #results: AttemptResult[] = []
  /** The last write; writes do not overlap. */
  #lastWrite: Promise<void> = Promise.resolve()
  /** Cancels the scheduled flush. */
  #cancelFlush: (() => void) | undefined
  #isClosed = false
  /** True if the last write failed. */
  #hasFailed = false

  constructor({ outbox, timer, log }: { outbox: Outbox; timer: Timer; log: Log }) {
    this.#outbox = outbox
    this.#timer = timer
    this.#log = log
  }

  /** Back-pressure: delay of new attempts in milliseconds while results cannot be stored; undefined otherwise. */
  get delay(): number | undefined {
    return this.#hasFailed && this.#results.length >= MAX_BUFFERED ? RETRY_MS : undefined
  }

  /** Adds a result. It is stored within 100 ms, or immediately with a full batch. */
  add(result: AttemptResult): void {
    if (this.#isClosed) return
    this.#results.push(result)
    // Only when it reaches this size, so that a failing store is not retried with every result.
    if (this.#results.length === MAX_BATCH) void this.flush()
    else if (this.#cancelFlush === undefined) this.#scheduleFlush(FLUSH_INTERVAL_MS)
  }

  /** Stores the buffered results. Resolves when that is done or has failed; a failure is retried later. */
  flush(): Promise<void> {
    this.#scheduleFlush(undefined)
    this.#lastWrite = this.#lastWrite.then(() => this.#storeBatch())
    return this.#lastWrite
  }

  /** Stops storing. Results of aborted attempts are discarded. */
  close(): void {
    this.#isClosed = true
    this.#scheduleFlush(undefined)
  }

  async #storeBatch(): Promise<void> {
    const batch = this.#results
    if (batch.length === 0 || this.#isClosed) return
    this.#results = []
    try {
      await this.#outbox.store(batch)
      this.#hasFailed = false
    } catch (error) {
      this.#log.error('Webhook results could not be stored', { error })
      this.#hasFailed = true
      this.#results = [...batch, ...this.#results]
      if (!this.#isClosed) this.#scheduleFlush(RETRY_MS)
    }
  }

  /** Replaces the scheduled flush; undefined schedules none. */
  #scheduleFlush(milliseconds: number | undefined): void {
    this.#cancelFlush?.()
    this.#cancelFlush = milliseconds === undefined ? undefined : this.#timer(milliseconds, () => void this.flush())
  }
}

/** Attempts per millisecond to all receivers together while requests arrive: a few percent of the CPU. */
const RATE = 0.1
/**
 * If deliveries would wait longer than this, attempts start faster, in milliseconds. A client that writes without pause thereby
 * waits for deliveries in the end.
 */
const MAX_LAG_MS = 60_000
/** Capacity of the bucket: attempts that may start together after a pause. */
const BURST = 2

/**
 * A token bucket that gives requests precedence: while they arrive, attempts start at a low rate, so that the latency of the API does not depend on
 * receivers. Without requests there is no limit.
 */
export class Throttle {
  readonly #clock: Clock
  readonly #traffic: RequestPace
  #tokens = BURST
  #refilledAt: number

  constructor({ clock, traffic }: { readonly clock: Clock; readonly traffic: RequestPace }) {
    this.#clock = clock
    this.#traffic = traffic
    this.#refilledAt = clock()
  }

  /**
   * Delay before the next attempt, in milliseconds.
   *
   * @param backlog returns the number of events waiting for available receivers
   */
  delay(backlog: () => number): number {
    if (!this.#traffic.isBusy) return 0
    const rate = Math.max(RATE, backlog() / MAX_LAG_MS)
    const now = this.#clock()
    this.#tokens = Math.min(Math.max(BURST, rate), this.#tokens + (now - this.#refilledAt) * rate)
    this.#refilledAt = now
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / rate
  }

  /** Takes the token of an attempt that starts. */
  takeToken(): void {
    this.#tokens = Math.max(0, this.#tokens - 1)
  }
}
