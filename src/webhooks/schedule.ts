import type { Random } from '../util/ids.ts'

const JITTER = 0.2
const MAX_REST_SECONDS = 5
const DAY_MS = 86_400_000
/** More than jitter and a busy receiver make of the longest wait. */
const LONGEST_WAIT = 1.25

/** When retries are made. Times in milliseconds. */
export class Schedule {
  readonly #seconds: readonly number[]
  readonly #random: Random

  /** @param seconds how long to wait after each attempt that failed */
  constructor(seconds: readonly number[], random: Random) {
    this.#seconds = seconds
    this.#random = random
  }

  /**
   * How long to wait after an attempt that failed: what the schedule says, ± 20 % so that receivers are not met by all retries at
   * once, or what the receiver asked for, within the shortest and the longest wait of the schedule.
   *
   * @param failed how many attempts have failed
   * @param asked by `Retry-After`
   * @returns undefined when there is no attempt left
   */
  waitAfter(failed: number, asked?: number): number | undefined {
    const seconds = this.#seconds[failed - 1]
    if (seconds === undefined) return undefined
    if (asked !== undefined) return this.restAfter(asked)
    const spread = this.#random(4).readUInt32BE() / 2 ** 32
    return Math.round(1000 * seconds * (1 - JITTER + 2 * JITTER * spread))
  }

  /** How long to leave a receiver alone that asks for it, within the shortest and the longest wait of the schedule. */
  restAfter(asked: number): number {
    const seconds = this.#seconds.length === 0 ? [MAX_REST_SECONDS] : this.#seconds
    return Math.min(Math.max(asked, 1000 * Math.min(...seconds)), 1000 * Math.max(...seconds))
  }

  /** When nothing was tried for so long, that is not because something waits to be tried again. */
  get quiet(): number {
    return Math.max(DAY_MS, 1000 * LONGEST_WAIT * Math.max(...this.#seconds))
  }

  /** A receiver that fails is left alone for no longer than this before the next message is tried. */
  get shortest(): number {
    return 1000 * Math.min(...this.#seconds, MAX_REST_SECONDS)
  }
}

/** What a `Retry-After` asks for (RFC 9110, section 10.2.3), in milliseconds from `now`; undefined when it asks for nothing. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return 1000 * Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
