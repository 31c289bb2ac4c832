import { DAY_MS } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'

/** Maximum deviation of a delay, as a share of it. */
const JITTER = 0.2
/** Upper bound of `maxBackoff`, and the only delay of an empty schedule. */
const MAX_BACKOFF_SECONDS = 5
/** Longest gap between two attempts relative to the longest delay: 20 % jitter, and time for a busy receiver. */
const GAP_FACTOR = 1.25

/** Delays between the attempts of a delivery. It holds no state: the outbox stores the number of attempts. Times in milliseconds. */
export class RetrySchedule {
  readonly #seconds: readonly number[]
  readonly #random: Random

  /** @param seconds delay after each failed attempt */
  constructor(seconds: readonly number[], random: Random) {
    this.#seconds = seconds
    this.#random = random
  }

  /**
   * Delay after a failed attempt: from the schedule ± 20 % jitter, or from `Retry-After`, between the shortest and the
   * longest delay of the schedule.
   *
   * @param failed number of failed attempts
   * @param retryAfterMs delay given by `Retry-After`
   * @returns undefined if no attempt is left
   */
  delayAfter(failed: number, retryAfterMs?: number): number | undefined {
    const seconds = this.#seconds[failed - 1]
    if (seconds === undefined) return undefined
    if (retryAfterMs !== undefined) return this.clampRetryAfter(retryAfterMs)
    const random = this.#random(4).readUInt32BE() / 2 ** 32
    return Math.round(1000 * seconds * (1 - JITTER + 2 * JITTER * random))
  }

  /** The delay of a `Retry-After` header, between the shortest and the longest delay of the schedule. */
  clampRetryAfter(retryAfterMs: number): number {
    const seconds = this.#seconds.length === 0 ? [MAX_BACKOFF_SECONDS] : this.#seconds
    return Math.min(Math.max(retryAfterMs, 1000 * Math.min(...seconds)), 1000 * Math.max(...seconds))
  }

  /** Longest gap between two attempts of one delivery. A receiver without attempts for longer has no retry waiting. */
  get maxGap(): number {
    return Math.max(DAY_MS, 1000 * GAP_FACTOR * Math.max(...this.#seconds))
  }

  /** Maximum backoff of a failing receiver before its next message is attempted. */
  get maxBackoff(): number {
    return 1000 * Math.min(...this.#seconds, MAX_BACKOFF_SECONDS)
  }
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3) into milliseconds from `now`; undefined if absent or invalid. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return 1000 * Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
