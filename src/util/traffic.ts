import type { Clock } from './clock.ts'

/** Number of requests within the time below that counts as busy. */
const REQUESTS = 8
const WITHIN_MS = 100

/** Measures request traffic, so that background work can give way to requests. */
export class RequestPace {
  readonly #clock: Clock
  /** Times of the latest requests. */
  readonly #times: number[] = new Array<number>(REQUESTS).fill(Number.NEGATIVE_INFINITY)
  #oldest = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records a request. */
  note(): void {
    this.#times[this.#oldest] = this.#clock()
    this.#oldest = (this.#oldest + 1) % REQUESTS
  }

  /** True if eight or more requests arrived within the last tenth of a second. */
  get isBusy(): boolean {
    return this.#clock() - (this.#times[this.#oldest] ?? 0) <= WITHIN_MS
  }
}
