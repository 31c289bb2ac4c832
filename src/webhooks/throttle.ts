import type { Clock } from '../util/clock.ts'
import type { Traffic } from '../util/traffic.ts'

/** Attempts that may begin in a millisecond while requests come, of all receivers together: a few hundredths of the time there is. */
const RATE = 0.1
/** More may when otherwise a delivery would wait for longer than this: who writes without a pause is to wait for receivers in the end. */
const MAX_LAG_MS = 60_000
/** Attempts that may begin at once when none has for a while. */
const BURST = 2

/**
 * Lets requests go first: while they come one after another, attempts begin at no more than a small rate, so that the latency of the API
 * does not depend on receivers. Otherwise nothing holds an attempt back.
 */
export class Throttle {
  readonly #clock: Clock
  readonly #traffic: Traffic
  #credit = BURST
  #counted: number

  constructor({ clock, traffic }: { readonly clock: Clock; readonly traffic: Traffic }) {
    this.#clock = clock
    this.#traffic = traffic
    this.#counted = clock()
  }

  /**
   * How long the next attempt has to wait, in milliseconds.
   *
   * @param backlog how many events wait for receivers that take them
   */
  wait(backlog: () => number): number {
    if (!this.#traffic.isBusy) return 0
    const rate = Math.max(RATE, backlog() / MAX_LAG_MS)
    const now = this.#clock()
    this.#credit = Math.min(Math.max(BURST, rate), this.#credit + (now - this.#counted) * rate)
    this.#counted = now
    return this.#credit >= 1 ? 0 : (1 - this.#credit) / rate
  }

  /** Told of each attempt that begins. */
  begin(): void {
    this.#credit = Math.max(0, this.#credit - 1)
  }
}
