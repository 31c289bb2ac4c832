/** Milliseconds until the work is done in a browser that does not say when it is idle. */
const DELAY_MS = 100

/** Does some work when the browser has time. */
export function whenIdle(work: () => void): void {
  // Safari has no such function.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work, DELAY_MS)
}
