/** Does something later, in so many milliseconds; what comes back calls it off. Tests pass one whose time they move themselves. */
export type Timer = (milliseconds: number, work: () => void) => () => void

export const systemTimer: Timer = (milliseconds, work) => {
  const timeout = setTimeout(work, milliseconds)
  return () => clearTimeout(timeout)
}
