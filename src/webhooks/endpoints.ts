import type { Timer } from '../util/clock.ts'
import { Queue } from './queue.ts'

/** Maximum number of concurrent attempts to one receiver. */
const CONCURRENCY = 8
/** Number of consecutive failures that trip the circuit breaker: one attempt at a time, with a backoff in between. */
const BREAKER_THRESHOLD = 3
/** Backoff when the breaker trips, in milliseconds. Each further failure doubles it. */
const FIRST_BACKOFF_MS = 1000

/** The delivery state of one receiver: its queue, attempts in flight, circuit breaker and backoff. */
export class Endpoint {
  readonly id: number
  readonly queue = new Queue()
  /** Events in flight, including those started before the receiver was suspended. */
  readonly inFlight = new Set<number>()
  /** Number of consecutive failures. */
  failures = 0
  /** End of the backoff after a failure. */
  #backoffUntil = 0
  /** End of the pause that `Retry-After` requests; an older attempt that succeeds does not cancel it. */
  #retryAfterUntil = 0
  /** Cancels the scheduled attempt. */
  cancelTimer: (() => void) | undefined
  /** False for a suspended receiver, which is dropped when its attempts in flight have finished. */
  isActive = true
  /** Incremented on every restart, so that results of older attempts are recognised. */
  generation = 0
  /** The pending load. No attempt starts during a load, so that nothing is sent twice. */
  #loading: Promise<void> | undefined

  constructor(id: number) {
    this.id = id
  }

  /** True if another attempt may start now. */
  canStart(now: number): boolean {
    return this.#hasCapacity && this.#pausedUntil <= now
  }

  /** Time of the next check; undefined if the end of an attempt will do so or the queue is empty. */
  nextCheck(now: number): number | undefined {
    if (!this.#hasCapacity || this.queue.size === 0) return undefined
    return this.#pausedUntil > now ? this.#pausedUntil : Math.max(now, this.queue.nextDue ?? now)
  }

  /** True if the circuit breaker has tripped. The next success closes it. */
  get isTripped(): boolean {
    return this.failures >= BREAKER_THRESHOLD
  }

  /** True if the endpoint is suspended and idle, so that it can be dropped. */
  get isFinished(): boolean {
    return !this.isActive && this.inFlight.size === 0 && this.#loading === undefined
  }

  /** True if nothing is queued, in flight or being loaded. */
  get isIdle(): boolean {
    return this.queue.size === 0 && this.inFlight.size === 0 && this.#loading === undefined
  }

  /** Loads pending deliveries, after any earlier load. */
  async load(read: () => Promise<void>): Promise<void> {
    const load = (this.#loading ?? Promise.resolve()).then(read)
    const settled = load.catch(() => {})
    this.#loading = settled
    try {
      await load
    } finally {
      if (this.#loading === settled) this.#loading = undefined
    }
  }

  /** Activates the endpoint without failures or backoff. */
  restart(): void {
    this.isActive = true
    this.generation++
    this.recordSuccess()
    this.endPause()
  }

  /** Records a success. */
  recordSuccess(): void {
    this.failures = 0
    this.#backoffUntil = 0
  }

  /**
   * Records a failure.
   *
   * @param maxBackoff maximum backoff in milliseconds
   */
  recordFailure(now: number, maxBackoff: number): void {
    this.failures++
    if (!this.isTripped) return
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(this.failures - BREAKER_THRESHOLD, 20), maxBackoff)
    this.#backoffUntil = Math.max(this.#backoffUntil, now + backoff)
  }

  /** Pauses until the time that `Retry-After` requests. */
  pauseUntil(until: number): void {
    this.#retryAfterUntil = Math.max(this.#retryAfterUntil, until)
  }

  /** Ends the pause. */
  endPause(): void {
    this.#backoffUntil = 0
    this.#retryAfterUntil = 0
  }

  /** End of the present pause. */
  get #pausedUntil(): number {
    return Math.max(this.#backoffUntil, this.#retryAfterUntil)
  }

  get #hasCapacity(): boolean {
    return this.isActive && this.#loading === undefined && this.inFlight.size < (this.isTripped ? 1 : CONCURRENCY)
  }
}

/** Delays and starts of attempts, as a round robin uses them. */
interface RoundRobinOptions {
  /** Delay before the next attempt to any receiver, in milliseconds. */
  readonly delay: () => number
  /** Starts one attempt, if the endpoint still has one. */
  readonly start: (endpoint: Endpoint) => void
  readonly timer: Timer
}

/**
 * Round-robin scheduling of attempts while they are throttled: endpoints take turns, one attempt each. So an endpoint with very
 * many events does not delay the others.
 */
export class RoundRobin {
  readonly #options: RoundRobinOptions
  /** Endpoints with attempts to start; the one waiting longest is first. */
  readonly #queue = new Set<Endpoint>()
  #isRunning = false
  /** Cancels the scheduled continuation. */
  #cancelTimer: (() => void) | undefined

  constructor(options: RoundRobinOptions) {
    this.#options = options
  }

  /** Queues an endpoint for one attempt, which may start immediately. */
  enqueue(endpoint: Endpoint): void {
    this.#queue.add(endpoint)
    if (!this.#isRunning && this.#cancelTimer === undefined) this.#run()
  }

  /** Removes an endpoint from the queue. */
  remove(endpoint: Endpoint): void {
    this.#queue.delete(endpoint)
  }

  /** Starts no more attempts. */
  close(): void {
    this.#queue.clear()
    this.#cancelTimer?.()
  }

  #run(): void {
    this.#isRunning = true
    this.#cancelTimer = undefined
    // An endpoint that is queued again during this loop goes to the end.
    for (const endpoint of this.#queue) {
      const delay = this.#options.delay()
      if (delay > 0) {
        this.#cancelTimer = this.#options.timer(Math.ceil(delay), () => this.#run())
        break
      }
      this.#queue.delete(endpoint)
      this.#options.start(endpoint)
    }
    this.#isRunning = false
  }
}
