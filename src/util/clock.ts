/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000
/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS

/** Returns the time in milliseconds since the Unix epoch. Injected, so that tests control it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

let latest = Number.NaN
let latestText = ''

/**
 * ISO 8601 in UTC with milliseconds, the only form in which timestamps are stored and sent. Caches the last result, since most
 * calls are for the present millisecond.
 */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== latest) {
    latestText = new Date(milliseconds).toISOString()
    latest = milliseconds
  }
  return latestText
}

/**
 * Runs a callback after a delay in milliseconds and returns a function that cancels it. Tests inject one whose time they
 * control.
 */
export type Timer = (milliseconds: number, callback: () => void) => () => void

/** The timer of the process, `setTimeout`. */
export const systemTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds)
  return () => clearTimeout(timeout)
}
