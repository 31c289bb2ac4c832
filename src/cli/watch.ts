import { relative, sep } from 'node:path'
import { watch } from 'chokidar'

/** How long to wait for more changes: an editor makes several to save one file. */
const SETTLE_MS = 50

/** Folders whose changes are none of the project's. */
const ASIDE = /^(node_modules|data|\.git)$/

export interface WatchOptions {
  /** A folder whose changes do not count, absolute, beside those that never do. */
  readonly except?: string
  /** Whether a file counts, by its name within the folder; all do when absent. */
  readonly counts?: (name: string) => boolean
}

/**
 * Does some work whenever files in a folder have changed, once for changes that come together, and never twice at a time. What the work
 * itself changes is looked at again. Folders are watched, so that files may be new, removed, or saved by renaming another.
 *
 * @param work is given the names of what has changed, within the folder
 * @returns once every change counts
 */
export async function whenChanged(
  folder: string,
  work: (changed: readonly string[]) => Promise<void>,
  { except, counts = () => true }: WatchOptions = {},
): Promise<{ close(): Promise<void> }> {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const isAside = (path: string) => path === except || ASIDE.test(relative(folder, path).split(sep)[0] ?? '')
  const watcher = watch(folder, { ignored: isAside, ignoreInitial: true })
  watcher.on('all', (event, path) => {
    const name = relative(folder, path)
    // A folder says nothing that its files do not say.
    if (event.endsWith('Dir') || !counts(name)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(() => {
        const names = [...changed].sort()
        changed.clear()
        return names.length === 0 ? undefined : work(names)
      })
    }, SETTLE_MS)
  })
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
