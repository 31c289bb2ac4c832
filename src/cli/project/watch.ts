import { join, relative, sep } from 'node:path'
import { watch } from 'chokidar'

/** How long to wait for more changes: an editor makes several to save one file. */
const SETTLE_MS = 50

/** Folders whose changes are none of the project's. */
const ASIDE = /^(node_modules|data|\.git)$/

export interface WatchOptions {
  /** What the work has to wait for. Changes count before that, too. */
  readonly after?: Promise<unknown>
  /** Whether a file counts, by its name within the folder; all do when absent. */
  readonly counts?: (name: string) => boolean
}

/** A folder that is watched. */
export interface Watching {
  /** From now on changes of this folder within it do not count. @param path absolute */
  except(path: string): void
  close(): Promise<void>
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
  { after = Promise.resolve(), counts = () => true }: WatchOptions = {},
): Promise<Watching> {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running = after.then(() => {})
  let exception: string | undefined
  const isExcepted = (path: string) => exception !== undefined && `${path}${sep}`.startsWith(`${exception}${sep}`)
  const isAside = (path: string) => isExcepted(path) || ASIDE.test(relative(folder, path).split(sep)[0] ?? '')
  const watcher = watch(folder, { ignored: isAside, ignoreInitial: true })
  watcher.on('all', (event, path) => {
    const name = relative(folder, path)
    // A folder says nothing that its files do not say.
    if (event.endsWith('Dir') || isAside(path) || !counts(name)) return
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
    except(path) {
      exception = path
      watcher.unwatch(path)
      for (const name of changed) if (isExcepted(join(folder, name))) changed.delete(name)
    },
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
