import { type FSWatcher, watch } from 'node:fs'

/** How long to wait for more changes: an editor makes several to save one file. */
const SETTLE_MS = 50

/** Folders whose changes are none of the project's. */
const ASIDE = /^(node_modules|data|\.git)([/\\]|$)/

/**
 * Does some work whenever a file in a folder has changed, once for changes that come together, and never twice at a time.
 * What the work itself changes is looked at again.
 */
export function whenChanged(folder: string, work: () => Promise<void>): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const watcher: FSWatcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && ASIDE.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(work)
    }, SETTLE_MS)
  })
  return {
    close() {
      clearTimeout(timer)
      watcher.close()
      return running
    },
  }
}
