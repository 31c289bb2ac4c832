import { type ComponentType, createElement, lazy } from 'react'
import { LoadFailure } from '../load-failure.ts'

/**
 * A component whose code is loaded after the first contents of the page, or when it is rendered earlier. So a part that is used first
 * while the server cannot be reached is there. It is rendered within `Loaded` or `LoadedPopup`.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  // A failure shows when the part is rendered.
  void firstContents.then(() => whenIdle(() => void load().catch(() => {})))
  return partOnUse(load)
}

/** The same for a part that few users need: its code is loaded when it is rendered. */
export function partOnUse<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const attempt = (): ComponentType<Props> => {
    const part: ComponentType<Props> = lazy(async () => {
      try {
        return { default: await load() }
      } catch (error) {
        throw new LoadFailure(error, () => {
          if (current === part) current = attempt()
        })
      }
    })
    return part
  }
  let current = attempt()
  return (props) => createElement(current, props)
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
