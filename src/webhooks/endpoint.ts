import { Queue } from './queue.ts'

/** Maximum number of concurrent attempts to one receiver. */
const CONCURRENCY = 8
/** Number of consecutive failures after which messages are sent one at a time, with pauses. */
const TROUBLED = 3
const FIRST_REST_MS = 1000

/** The delivery state of one receiver: its queue, attempts in flight, and backoff. */
export class Endpoint {
  readonly id: number
  readonly queue = new Queue()
  /** Events in flight, including those started before the receiver was forgotten. */
  readonly running = new Set<number>()
  /** Number of consecutive failures. */
  failures = 0
  /** End of the backoff after a failure. */
  #restsUntil = 0
  /** End of the pause that the receiver asked for; an older attempt that succeeds does not cancel it. */
  #asked = 0
  /** Cancels the scheduled attempt. */
  callOff: (() => void) | undefined
  /** False for a forgotten receiver, which stays until its attempts in flight have finished. */
  isWanted = true
  /** Incremented on every restart, so that results of older attempts are recognised. */
  generation = 0
  /** The pending load. No attempt starts during a load, so that nothing is sent twice. */
  #loading: Promise<void> | undefined

  constructor(id: number) {
    this.id = id
  }

  /** True if another attempt may start now. */
  isFree(now: number): boolean {
    return this.#isOpen && this.#wakes <= now
  }

  /** When to check again; undefined if the end of an attempt will do so or the queue is empty. */
  nextLook(now: number): number | undefined {
    if (!this.#isOpen || this.queue.size === 0) return undefined
    return this.#wakes > now ? this.#wakes : Math.max(now, this.queue.nextDue ?? now)
  }

  /** True after several consecutive failures. */
  get isTroubled(): boolean {
    return this.failures >= TROUBLED
  }

  /** True if the endpoint can be dropped. */
  get isOver(): boolean {
    return !this.isWanted && this.running.size === 0 && this.#loading === undefined
  }

  /** Loads pending deliveries, after any earlier load. */
  async load(work: () => Promise<void>): Promise<void> {
    const mine = (this.#loading ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    this.#loading = settled
    try {
      await mine
    } finally {
      if (this.#loading === settled) this.#loading = undefined
    }
  }

  /** Resets failures and backoff. */
  restart(): void {
    this.isWanted = true
    this.generation++
    this.succeed()
    this.wake()
  }

  /** Records a success. */
  succeed(): void {
    this.failures = 0
    this.#restsUntil = 0
  }

  /**
   * Records a failure.
   *
   * @param longest maximum backoff in milliseconds
   */
  fail(now: number, longest: number): void {
    this.failures++
    if (!this.isTroubled) return
    const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(this.failures - TROUBLED, 20), longest)
    this.#restsUntil = Math.max(this.#restsUntil, now + rest)
  }

  /** Pauses until the given time, as the receiver asked for. */
  rest(until: number): void {
    this.#asked = Math.max(this.#asked, until)
  }

  /** Ends the pause. */
  wake(): void {
    this.#restsUntil = 0
    this.#asked = 0
  }

  /** End of the present pause. */
  get #wakes(): number {
    return Math.max(this.#restsUntil, this.#asked)
  }

  get #isOpen(): boolean {
    return this.isWanted && this.#loading === undefined && this.running.size < (this.isTroubled ? 1 : CONCURRENCY)
  }
}
