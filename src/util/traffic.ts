import type { Clock } from './clock.ts'

/** So many requests within this time, and they come one after another. */
const REQUESTS = 8
const WITHIN_MS = 100

/** Knows whether requests come one after another, so that what can wait lets them go first. */
export class Traffic {
  readonly #clock: Clock
  /** When the last requests came. */
  readonly #times: number[] = new Array<number>(REQUESTS).fill(Number.NEGATIVE_INFINITY)
  #oldest = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Told of each request when it comes. */
  note(): void {
    this.#times[this.#oldest] = this.#clock()
    this.#oldest = (this.#oldest + 1) % REQUESTS
  }

  /** True when eight requests or more came within the last tenth of a second. */
  get isBusy(): boolean {
    return this.#clock() - (this.#times[this.#oldest] ?? 0) <= WITHIN_MS
  }
}
