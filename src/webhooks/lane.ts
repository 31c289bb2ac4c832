import type { Job } from './outbox.ts'

/** Maximum number of concurrent attempts to one receiver. */
const CONCURRENCY = 8
/** Maximum number of deliveries that are taken from the queue and not settled in the store. */
const MAX_TAKEN = 64
/** Number of consecutive failures that trip the circuit breaker: one attempt at a time, with a backoff in between. */
const BREAKER_THRESHOLD = 3
/** Backoff when the breaker trips, in milliseconds. Each further failure doubles it. */
const FIRST_BACKOFF_MS = 1000

/** The deliveries to one receiver that are in this process: the limit of attempts, circuit breaker and backoff. */
export class Lane {
  readonly id: number
  /** The receiver's URL; a new one has nothing of the state of the former. */
  url = ''
  /** Deliveries that were taken and not begun. */
  readonly ready: Job[] = []
  /** The records of the deliveries that were taken and are not settled, by event. */
  readonly taken = new Map<number, string>()
  /** Number of deliveries whose results were stored. */
  settled = 0
  /** Number of attempts that wait for a response. */
  attempts = 0
  /** Number of consecutive failures. */
  failures = 0
  /** True if the queue may have deliveries that were not taken. */
  mayHaveMore = true
  /** Incremented on every restart, so that results of older attempts are recognised. */
  generation = 0
  /** End of the backoff after a failure. */
  #backoffUntil = 0
  /** End of the pause that `Retry-After` requests; an older attempt that succeeds does not cancel it. */
  #retryAfterUntil = 0

  constructor(id: number) {
    this.id = id
  }

  /** True if another attempt may start now. */
  canStart(now: number): boolean {
    return this.attempts < this.#limit && Math.max(this.#backoffUntil, this.#retryAfterUntil) <= now
  }

  /** Number of deliveries that may be taken now, and begun soon. */
  room(now: number): number {
    if (!this.canStart(now) || this.ready.length > 0) return 0
    return Math.min(this.#isTripped ? 1 : MAX_TAKEN, MAX_TAKEN - this.taken.size)
  }

  take(job: Job): void {
    this.ready.push(job)
    this.taken.set(job.event, job.record)
  }

  /** Notes that the result of a delivery is stored. */
  settle(job: Job): void {
    this.taken.delete(job.event)
    this.settled++
  }

  /** Gives the deliveries that were not begun back to the queue. */
  giveBack(): void {
    if (this.ready.length > 0) this.mayHaveMore = true
    for (const { event } of this.ready.splice(0)) this.taken.delete(event)
  }

  /** Starts anew, without failures or pause. */
  restart(): void {
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
    if (!this.#isTripped) return
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
    this.mayHaveMore = true
  }

  /** True if the circuit breaker has tripped. The next success closes it. */
  get #isTripped(): boolean {
    return this.failures >= BREAKER_THRESHOLD
  }

  get #limit(): number {
    return this.#isTripped ? 1 : CONCURRENCY
  }
}
