import type { Clock } from '../../util/clock.ts'
import type { Traffic } from '../../util/traffic.ts'

/** Attempts per millisecond to all receivers together while requests arrive: a few percent of the CPU. */
const RATE = 0.1
/**
 * If deliveries would wait longer than this, attempts start faster, in milliseconds. A client that writes without pause thereby
 * waits for deliveries in the end.
 */
const MAX_LAG_MS = 60_000
/** Capacity of the bucket: attempts that may start together after a pause. */
const BURST = 2

/**
 * A token bucket that gives requests precedence: while they arrive, attempts start at a low rate, so that the latency of the API does not depend on
 * receivers. Without requests there is no limit.
 */
export class Throttle {
  readonly #clock: Clock
  readonly #traffic: Traffic
  #tokens = BURST
  #refilledAt: number

  constructor({ clock, traffic }: { readonly clock: Clock; readonly traffic: Traffic }) {
    this.#clock = clock
    this.#traffic = traffic
    this.#refilledAt = clock()
  }

  /**
   * Delay before the next attempt, in milliseconds.
   *
   * @param backlog returns the number of events waiting for available receivers
   */
  delay(backlog: () => number): number {
    if (!this.#traffic.isBusy) return 0
    const rate = Math.max(RATE, backlog() / MAX_LAG_MS)
    const now = this.#clock()
    this.#tokens = Math.min(Math.max(BURST, rate), this.#tokens + (now - this.#refilledAt) * rate)
    this.#refilledAt = now
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / rate
  }

  /** Takes the token of an attempt that starts. */
  takeToken(): void {
    this.#tokens = Math.max(0, this.#tokens - 1)
  }
}
