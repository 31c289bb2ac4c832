import type { Timer } from '../util/timer.ts'
import type { Endpoint } from './endpoint.ts'

export interface TurnsOptions {
  /** Delay before the next attempt to any receiver, in milliseconds. */
  readonly wait: () => number
  /** Starts one attempt, if there still is one. */
  readonly begin: (endpoint: Endpoint) => void
  readonly timer: Timer
}

/**
 * Decides which endpoint starts the next attempt while attempts are throttled: endpoints take turns, one attempt each. So an
 * endpoint with very many events does not delay the others.
 */
export class RoundRobin {
  readonly #options: TurnsOptions
  /** Endpoints with attempts to start; the one waiting longest is first. */
  readonly #line = new Set<Endpoint>()
  #isServing = false
  /** Cancels the scheduled continuation. */
  #callOff: (() => void) | undefined

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Lets an endpoint start one attempt in its turn, which may be now. */
  join(endpoint: Endpoint): void {
    this.#line.add(endpoint)
    if (!this.#isServing && this.#callOff === undefined) this.#serve()
  }

  leave(endpoint: Endpoint): void {
    this.#line.delete(endpoint)
  }

  /** Starts no more attempts. */
  close(): void {
    this.#line.clear()
    this.#callOff?.()
  }

  #serve(): void {
    this.#isServing = true
    this.#callOff = undefined
    // An endpoint that joins again during this loop goes to the end of the line.
    for (const endpoint of this.#line) {
      const wait = this.#options.wait()
      if (wait > 0) {
        this.#callOff = this.#options.timer(Math.ceil(wait), () => this.#serve())
        break
      }
      this.#line.delete(endpoint)
      this.#options.begin(endpoint)
    }
    this.#isServing = false
  }
}
