import type { Timer } from '../util/timer.ts'
import type { Endpoint } from './endpoint.ts'

export interface RoundRobinOptions {
  /** Delay before the next attempt to any receiver, in milliseconds. */
  readonly delay: () => number
  /** Starts one attempt, if there still is one. */
  readonly start: (endpoint: Endpoint) => void
  readonly timer: Timer
}

/**
 * Decides which endpoint starts the next attempt while attempts are throttled: endpoints take turns, one attempt each. So an
 * endpoint with very many events does not delay the others.
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

  /** Lets an endpoint start one attempt in its turn, which may be now. */
  enqueue(endpoint: Endpoint): void {
    this.#queue.add(endpoint)
    if (!this.#isRunning && this.#cancelTimer === undefined) this.#run()
  }

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
    // An endpoint that joins again during this loop goes to the end of the line.
    for (const endpoint of this.#queue) {
      const wait = this.#options.delay()
      if (wait > 0) {
        this.#cancelTimer = this.#options.timer(Math.ceil(wait), () => this.#run())
        break
      }
      this.#queue.delete(endpoint)
      this.#options.start(endpoint)
    }
    this.#isRunning = false
  }
}
