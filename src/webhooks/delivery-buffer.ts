import type { Log } from '../log/log.ts'
import type { Timer } from '../util/timer.ts'
import type { Outbox, Result } from './outbox.ts'

/** What comes of attempts is kept this often: each time costs a write to the disk, and what is lost by a crash is told twice. */
const LINGER_MS = 100
/** So many are not waited with. */
const MAX_BATCH = 500
/** How long to wait when they could not be kept. */
const RETRY_MS = 1000
/** When so many could not be kept, no more is to come of anything. */
const MAX_HELD = 2 * MAX_BATCH

/** Gathers what comes of attempts and keeps it in batches. */
export class DeliveryBuffer {
  readonly #outbox: Outbox
  readonly #timer: Timer
  readonly #log: Log
  #results: Result[] = []
  /** The batches that are being kept, one behind the other. */
  #keeping: Promise<void> = Promise.resolve()
  /** Calls off keeping what there is later. */
  #callOff: (() => void) | undefined
  #isClosed = false
  /** True when the last batch could not be kept. */
  #isStuck = false

  constructor({ outbox, timer, log }: { outbox: Outbox; timer: Timer; log: Log }) {
    this.#outbox = outbox
    this.#timer = timer
    this.#log = log
  }

  /** How long attempts are to wait because what comes of them cannot be kept, in milliseconds; undefined when it can. */
  get holdUp(): number | undefined {
    return this.#isStuck && this.#results.length >= MAX_HELD ? RETRY_MS : undefined
  }

  note(result: Result): void {
    if (this.#isClosed) return
    this.#results.push(result)
    // Not for more than those: what cannot be kept now is not tried again with every result.
    if (this.#results.length === MAX_BATCH) void this.flush()
    else if (this.#callOff === undefined) this.#keepIn(LINGER_MS)
  }

  /**
   * Keeps what there is now. Resolves when that is done, or could not be: then it is tried again later. What is noted from then on is
   * not waited for.
   */
  flush(): Promise<void> {
    this.#keepIn(undefined)
    this.#keeping = this.#keeping.then(() => this.#keep())
    return this.#keeping
  }

  /** Keeps nothing any more, and waits for nothing: what comes of an attempt that was cut off means nothing. */
  close(): void {
    this.#isClosed = true
    this.#keepIn(undefined)
  }

  async #keep(): Promise<void> {
    const batch = this.#results
    if (batch.length === 0 || this.#isClosed) return
    this.#results = []
    try {
      await this.#outbox.keep(batch)
      this.#isStuck = false
    } catch (error) {
      this.#log.error('What came of webhooks could not be kept', { error })
      this.#isStuck = true
      this.#results = [...batch, ...this.#results]
      if (!this.#isClosed) this.#keepIn(RETRY_MS)
    }
  }

  /** Keeps what there is then in so many milliseconds, rather than at another time; undefined for when somebody says so. */
  #keepIn(milliseconds: number | undefined): void {
    this.#callOff?.()
    this.#callOff = milliseconds === undefined ? undefined : this.#timer(milliseconds, () => void this.flush())
  }
}
