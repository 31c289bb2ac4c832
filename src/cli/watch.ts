import { join, relative, sep } from 'node:path'

/** Debounce delay: an editor causes several events when it saves one file. */
const DEBOUNCE_MS = 50

/** Folders that are never watched. */
const IGNORED_FOLDERS = /^(node_modules|data|\.git)$/

/** Options of `watchFolder`. */
export interface WatchOptions {
  /** Delays the first call of the callback. Changes before it are collected. */
  readonly after?: Promise<unknown>
  /** Filters files by their path within the folder; all are included by default. */
  readonly includes?: (name: string) => boolean
}

/** Watches a folder until it is closed. */
export interface FolderWatcher {
  /** Ignores changes below a path from now on. @param path absolute */
  exclude(path: string): void
  /** Stops watching and waits for a running callback. */
  close(): Promise<void>
}

/**
 * Watches a folder recursively and calls back when files are added, changed, renamed or removed.
 *
 * Changes within 50 ms of each other cause one call. Calls never overlap; changes made during a call cause another one.
 *
 * @param onChange receives the paths of the changed files, relative to the folder and sorted
 * @returns a promise that resolves when changes are detected
 */
export async function watchFolder(
  folder: string,
  onChange: (changed: readonly string[]) => Promise<void>,
  { after = Promise.resolve(), includes = () => true }: WatchOptions = {},
): Promise<FolderWatcher> {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running = after.then(() => {})
  let excluded: string | undefined
  const isExcluded = (path: string) => excluded !== undefined && `${path}${sep}`.startsWith(`${excluded}${sep}`)
  const isIgnored = (path: string) => isExcluded(path) || IGNORED_FOLDERS.test(relative(folder, path).split(sep)[0] ?? '')
  // On demand, since most runs of the commands that can watch do not.
  const { watch } = await import('chokidar')
  const watcher = watch(folder, { ignored: isIgnored, ignoreInitial: true })
  watcher.on('all', (event, path) => {
    const name = relative(folder, path)
    // Changes of folders also cause events of the files in them.
    if (event.endsWith('Dir') || isIgnored(path) || !includes(name)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(() => {
        const names = [...changed].sort()
        changed.clear()
        return names.length === 0 ? undefined : onChange(names)
      })
    }, DEBOUNCE_MS)
  })
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    exclude(path) {
      excluded = path
      watcher.unwatch(path)
      for (const name of changed) if (isExcluded(join(folder, name))) changed.delete(name)
    },
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
