import { isDeepStrictEqual } from 'node:util'
import { dataFolderOf } from '../app/open-store.ts'
import type { Settings } from '../config/settings.ts'
import { postgresPlace } from '../config/store-settings.ts'
import { AppError } from '../errors.ts'
import type { LiveServer } from '../http/live-server.ts'
import { loadProject, type Project, type ProjectSource } from '../project/project.ts'
import { watchFolder } from './watch.ts'

/** Matches project files. A README and the temporary files of editors do not match. */
const PROJECT_FILE = /\.(ya?ml|json|[cm]?[jt]s)$/

/** Settings that a running server cannot change. */
const FIXED_SETTINGS = ['host', 'port', 'store', 'data'] as const satisfies readonly (keyof Settings)[]

/** Maximum number of changed files named in a log line. */
const MAX_NAMES = 3

/** Reloads a server when files of its project change. */
export interface ProjectReloader {
  /** Starts reloading a server. Changes since the reloader was created trigger a reload, too. */
  start(live: LiveServer): void
  close(): Promise<void>
}

/**
 * Watches the files of a project, to reload a server when they change. A project with faults is not loaded; the server continues with
 * the last version without faults.
 *
 * @returns a promise that resolves when changes are detected; a project loaded after that misses no change
 */
export async function watchProject(source: ProjectSource): Promise<ProjectReloader> {
  let live: LiveServer | undefined
  let resolveStarted = () => {}
  const started = new Promise<void>((resolve) => {
    resolveStarted = resolve
  })
  let isFaulty = false
  const reload = async (changed: readonly string[]): Promise<void> => {
    if (live === undefined) return
    const start = performance.now()
    try {
      const project = withFixedSettings(await loadProject(source), live)
      const { log } = await live.replace({ project })
      const took = Math.round(performance.now() - start)
      log.info(`${isFaulty ? 'The faults are fixed; reloaded' : 'Reloaded'} in ${took} ms: ${named(changed)} changed`)
      for (const warning of project.warnings) log.warn(warning)
      isFaulty = false
    } catch (error) {
      isFaulty = true
      logFailure(error, changed, live)
    }
  }
  const watcher = await watchFolder(source.folder, reload, { after: started, includes: (name) => PROJECT_FILE.test(name) })
  return {
    start(server) {
      watcher.exclude(dataFolderOf(server.app.project))
      live = server
      resolveStarted()
    },
    async close() {
      resolveStarted()
      await watcher.close()
    },
  }
}

/** Replaces the settings that cannot change with the settings of the running server. */
function withFixedSettings(project: Project, { app: { settings: current, log } }: LiveServer): Project {
  const changed = FIXED_SETTINGS.filter((name) => !isDeepStrictEqual(project.settings[name], current[name]))
  if (changed.length === 0) return project
  const values = changed.map((name) => `'${name}' stays ${shownSetting(current[name])}`).join(', ')
  log.warn(`${values} until the server is restarted: this setting cannot change while it runs`)
  const { host, port, store, data } = current
  return { ...project, settings: { ...project.settings, host, port, store, data } }
}

/** The URL of a database may contain a password, so it is not shown whole. */
const shownSetting = (value: Settings[(typeof FIXED_SETTINGS)[number]]): string =>
  typeof value === 'object' ? postgresPlace(value) : String(value)

/** Logs every fault with its position, as at a start. */
function logFailure(error: unknown, changed: readonly string[], { app: { log } }: LiveServer): void {
  const lines = error instanceof AppError ? error.message.split('\n') : []
  for (const line of lines) log.error(line)
  const message = `${named(changed)} changed and cannot be loaded; the server continues with the previous version until this is fixed`
  log.error(message, error instanceof AppError ? {} : { error })
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
