import type { Timer } from '../../util/timer.ts'
import type { Endpoint } from './endpoint.ts'

/** Delays and starts of attempts, as a round robin uses them. */
export interface RoundRobinOptions {
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
