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
