/**
 * Runs a callback after a delay in milliseconds and returns a function that cancels it. Tests inject one whose time they
 * control.
 */
export type Timer = (milliseconds: number, callback: () => void) => () => void

export const systemTimer: Timer = (milliseconds, work) => {
  const timeout = setTimeout(work, milliseconds)
  return () => clearTimeout(timeout)
}
