import type { Log } from '../log/log.ts'
import type { Timer } from '../util/timer.ts'
import type { Outbox, Result } from './outbox.ts'

/** What comes of attempts is kept this often: each time costs a write to the disk, and what is lost by a crash is told twice. */
const LINGER_MS = 100
/** So many are not waited with. */
const MAX_BATCH = 500
/** How long to wait when they could not be kept. */
const RETRY_MS = 1000

/** Gathers what comes of attempts and keeps it in batches. */
export class Ledger {
  readonly #outbox: Outbox
  readonly #timer: Timer
  readonly #log: Log
  #results: Result[] = []
  #keeping: Promise<void> | undefined
  /** Ends the waiting for more. */
  #hurry: (() => void) | undefined
  #isHurried = false
  #isClosed = false

  constructor({ outbox, timer, log }: { outbox: Outbox; timer: Timer; log: Log }) {
    this.#outbox = outbox
    this.#timer = timer
    this.#log = log
  }

  note(result: Result): void {
    if (this.#isClosed) return
    this.#results.push(result)
    if (this.#results.length >= MAX_BATCH) this.#hurry?.()
    this.#keeping ??= this.#keepAll()
  }

  /** Keeps what there is now. Resolves when that is done, or could not be: then it is tried again later. */
  async flush(): Promise<void> {
    this.#isHurried = true
    this.#hurry?.()
    await this.#keeping
    this.#isHurried = false
  }

  /** Keeps nothing any more, and waits for nothing: what comes of an attempt that was cut off means nothing. */
  close(): void {
    this.#isClosed = true
    this.#hurry?.()
  }

  async #keepAll(): Promise<void> {
    while (this.#results.length > 0) {
      if (this.#results.length < MAX_BATCH) await this.#pause(LINGER_MS)
      const batch = this.#results
      this.#results = []
      try {
        await this.#outbox.keep(batch)
      } catch (error) {
        this.#log.error('What came of webhooks could not be kept', { error })
        this.#results = [...batch, ...this.#results]
        if (this.#isHurried || this.#isClosed) break
        await this.#pause(RETRY_MS)
      }
    }
    this.#keeping = undefined
  }

  #pause(milliseconds: number): Promise<void> {
    if (this.#isHurried) return Promise.resolve()
    return new Promise((resolve) => {
      const callOff = this.#timer(milliseconds, () => this.#hurry?.())
      this.#hurry = () => {
        callOff()
        this.#hurry = undefined
        resolve()
      }
    })
  }
}
