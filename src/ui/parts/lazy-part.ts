import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/**
 * A component whose code is loaded after the first contents of the page, or when it is rendered earlier. So a part that is used first
 * while the server cannot be reached is there.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  const loadModule = async () => ({ default: await load() })
  // A failure shows when the part is rendered.
  void firstContents.then(() => whenIdle(() => void load().catch(() => {})))
  return lazy(loadModule)
}

const { promise, resolve } = Promise.withResolvers<void>()

/** Resolves when the page shows its first contents. Code and icons that they do not need are loaded after that. */
export const firstContents: Promise<void> = promise

/** Reports that the first contents are there. Further calls do nothing. */
export const markFirstContents: () => void = resolve

/** Milliseconds until the work is done in a browser that does not say when it is idle. */
const DELAY_MS = 100

/** Does some work when the browser has time. */
export function whenIdle(work: () => void): void {
  // Safari has no such function.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work, DELAY_MS)
}
