import type { Timer } from '../util/timer.ts'
import type { Endpoint } from './endpoint.ts'

export interface TurnsOptions {
  /** How long the next attempt has to wait, of whomever, in milliseconds. */
  readonly wait: () => number
  /** Begins one attempt, or none when there is nothing to begin any more. */
  readonly begin: (endpoint: Endpoint) => void
  readonly timer: Timer
}

/**
 * Who begins an attempt next, while not everybody may at once: receivers take turns, one attempt each. So one that is told of something
 * all the time, or for which very much waits, keeps no other waiting.
 */
export class RoundRobin {
  readonly #options: TurnsOptions
  /** Those that have something to begin; whoever has waited longest is the first. */
  readonly #line = new Set<Endpoint>()
  #isServing = false
  /** Calls off going on later. */
  #callOff: (() => void) | undefined

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Has an endpoint begin one attempt when it is its turn, which may be at once. */
  join(endpoint: Endpoint): void {
    this.#line.add(endpoint)
    if (!this.#isServing && this.#callOff === undefined) this.#serve()
  }

  leave(endpoint: Endpoint): void {
    this.#line.delete(endpoint)
  }

  /** Has nobody begin anything any more. */
  close(): void {
    this.#line.clear()
    this.#callOff?.()
  }

  #serve(): void {
    this.#isServing = true
    this.#callOff = undefined
    // Whoever joins again meanwhile stands at the end, and has another turn.
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
