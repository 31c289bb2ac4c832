/** A row that may be worked on now. */
export interface DueRow {
  readonly id: number
  /** Rows of a lane with the same key are worked on one after the other. */
  readonly key: string
}

/** Maximum number of rows of a lane that are taken from the queue and not settled in the store. */
const MAX_TAKEN = 64
/** Number of consecutive failures that trip the circuit breaker: one attempt at a time, with a backoff in between. */
const BREAKER_THRESHOLD = 3
/** Backoff when the breaker trips, in milliseconds. Each further failure doubles it. */
const FIRST_BACKOFF_MS = 1000

/** The rows with one receiver that are in this process: the limit of attempts, circuit breaker and backoff. */
export class Lane<Row extends DueRow> {
  readonly id: number
  /** Where the receiver is; a new place has nothing of the state of the former. */
  target = ''
  /** When the lease of the lane was last asked for, and whether this process got it. */
  lease: { readonly askedAt: number; readonly isHeld: boolean } | undefined
  /** Rows that were taken and not begun. */
  readonly ready: Row[] = []
  /** The keys of the rows that were taken and are not settled, by id. */
  readonly taken = new Map<number, string>()
  /** Number of rows that were settled. */
  settled = 0
  /** Number of attempts in progress. */
  attempts = 0
  /** Number of consecutive failures. */
  failures = 0
  /** True if the queue may have rows that were not taken. */
  mayHaveMore = true
  /** Incremented on every restart, so that results of older attempts are recognised. */
  generation = 0
  /** End of the backoff after a failure. */
  #backoffUntil = 0
  /** End of the pause that `Retry-After` requests; an older attempt that succeeds does not cancel it. */
  #retryAfterUntil = 0
  readonly #concurrency: number

  /** @param concurrency maximum number of attempts at the same time */
  constructor(id: number, concurrency: number) {
    this.id = id
    this.#concurrency = concurrency
  }

  /** True if another attempt may start now. */
  canStart(now: number): boolean {
    return this.attempts < this.#limit && Math.max(this.#backoffUntil, this.#retryAfterUntil) <= now
  }

  /** Number of rows that may be taken now, and begun soon. */
  room(now: number): number {
    if (!this.canStart(now) || this.ready.length > 0) return 0
    return Math.min(this.#isTripped ? 1 : MAX_TAKEN, MAX_TAKEN - this.taken.size)
  }

  take(row: Row): void {
    this.ready.push(row)
    this.taken.set(row.id, row.key)
  }

  /** Notes that the result of a row is stored, or that it has none. */
  settle({ id }: Row): void {
    this.taken.delete(id)
    this.settled++
  }

  /** Gives the rows that were not begun back to the queue. */
  giveBack(): void {
    if (this.ready.length > 0) this.mayHaveMore = true
    for (const { id } of this.ready.splice(0)) this.taken.delete(id)
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
    return this.#isTripped ? 1 : this.#concurrency
  }
}
