import type { Log } from '../log/log.ts'
import type { Timer } from '../util/timer.ts'
import type { Outbox, Result } from './outbox.ts'

/** Interval of storing results, in milliseconds. Each batch costs a disk write; results lost in a crash are delivered again. */
const LINGER_MS = 100
/** Maximum size of a batch; a full batch is stored immediately. */
const MAX_BATCH = 500
/** Delay before storing is retried after a failure, in milliseconds. */
const RETRY_MS = 1000
/** Maximum number of unstored results; beyond it no attempt starts. */
const MAX_HELD = 2 * MAX_BATCH

/** Collects results of attempts and stores them in batches. */
export class DeliveryBuffer {
  readonly #outbox: Outbox
  readonly #timer: Timer
  readonly #log: Log
  #results: Result[] = []
  /** The last write; writes do not overlap. */
  #keeping: Promise<void> = Promise.resolve()
  /** Cancels the scheduled write. */
  #callOff: (() => void) | undefined
  #isClosed = false
  /** True if the last write failed. */
  #isStuck = false

  constructor({ outbox, timer, log }: { outbox: Outbox; timer: Timer; log: Log }) {
    this.#outbox = outbox
    this.#timer = timer
    this.#log = log
  }

  /** Delay for new attempts in milliseconds while results cannot be stored; undefined otherwise. */
  get delay(): number | undefined {
    return this.#isStuck && this.#results.length >= MAX_HELD ? RETRY_MS : undefined
  }

  add(result: Result): void {
    if (this.#isClosed) return
    this.#results.push(result)
    // Only when it reaches this size, so that a failing store is not retried with every result.
    if (this.#results.length === MAX_BATCH) void this.flush()
    else if (this.#callOff === undefined) this.#keepIn(LINGER_MS)
  }

  /** Stores the present results. Resolves when that is done or has failed; a failure is retried later. */
  flush(): Promise<void> {
    this.#keepIn(undefined)
    this.#keeping = this.#keeping.then(() => this.#keep())
    return this.#keeping
  }

  /** Stops storing. Results of aborted attempts are discarded. */
  close(): void {
    this.#isClosed = true
    this.#keepIn(undefined)
  }

  async #keep(): Promise<void> {
    const batch = this.#results
    if (batch.length === 0 || this.#isClosed) return
    this.#results = []
    try {
      await this.#outbox.store(batch)
      this.#isStuck = false
    } catch (error) {
      this.#log.error('Webhook results could not be stored', { error })
      this.#isStuck = true
      this.#results = [...batch, ...this.#results]
      if (!this.#isClosed) this.#keepIn(RETRY_MS)
    }
  }

  /** Schedules the next write, replacing the scheduled one; undefined schedules none. */
  #keepIn(milliseconds: number | undefined): void {
    this.#callOff?.()
    this.#callOff = milliseconds === undefined ? undefined : this.#timer(milliseconds, () => void this.flush())
  }
}
