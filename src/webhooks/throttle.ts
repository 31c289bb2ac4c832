import type { Clock } from '../util/clock.ts'
import type { Traffic } from '../util/traffic.ts'

/** Attempts per millisecond to all receivers together while requests arrive: a few percent of the CPU. */
const RATE = 0.1
/**
 * If deliveries would wait longer than this, attempts start faster, in milliseconds. A client that writes without pause thereby
 * waits for deliveries in the end.
 */
const MAX_LAG_MS = 60_000
/** Attempts that may start together after a pause. */
const BURST = 2

/**
 * Gives requests precedence: while they arrive, attempts start at a low rate, so that the latency of the API does not depend on
 * receivers. Without requests there is no limit.
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
   * Delay before the next attempt, in milliseconds.
   *
   * @param backlog returns the number of events waiting for available receivers
   */
  wait(backlog: () => number): number {
    if (!this.#traffic.isBusy) return 0
    const rate = Math.max(RATE, backlog() / MAX_LAG_MS)
    const now = this.#clock()
    this.#credit = Math.min(Math.max(BURST, rate), this.#credit + (now - this.#counted) * rate)
    this.#counted = now
    return this.#credit >= 1 ? 0 : (1 - this.#credit) / rate
  }

  /** Counts an attempt. */
  begin(): void {
    this.#credit = Math.max(0, this.#credit - 1)
  }
}
