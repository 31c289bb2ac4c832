import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { LiveServer } from '../http/live-server.ts'
import { loadProject, type Project, type ProjectSource } from '../service/project.ts'
import { dataFolderOf } from './project-options.ts'
import { whenChanged } from './watch.ts'

/** What a project is written in; a README and an editor's own files are not. */
const WRITTEN = /\.(ya?ml|json|[cm]?[jt]s)$/

/** What a server is bound to when it starts. */
const BOUND = ['host', 'port', 'data'] as const satisfies readonly (keyof Settings)[]

/** More names than this make no line that anybody reads. */
const MAX_NAMES = 3

/**
 * Serves a project as its files are, whenever they have changed. While they have faults, what was read last without any goes on being
 * served.
 *
 * @returns once every change counts
 */
export async function reloadOnChange(live: LiveServer, source: ProjectSource): Promise<{ close(): Promise<void> }> {
  let isFaulty = false
  const reload = async (changed: readonly string[]): Promise<void> => {
    const start = performance.now()
    try {
      const project = bound(await loadProject(source), live)
      const { log } = await live.replace({ project })
      const took = Math.round(performance.now() - start)
      log.info(`${isFaulty ? 'All is well again; reloaded' : 'Reloaded'} in ${took} ms: ${named(changed)} changed`)
      for (const warning of project.warnings) log.warn(warning)
      isFaulty = false
    } catch (error) {
      isFaulty = true
      tell(error, changed, live)
    }
  }
  const except = dataFolderOf(live.app.project)
  return whenChanged(source.folder, reload, { except, counts: (name) => WRITTEN.test(name) })
}

/** A project with those settings that cannot change while a server runs as they are. */
function bound(project: Project, { app: { settings: present, log } }: LiveServer): Project {
  const changed = BOUND.filter((name) => project.settings[name] !== present[name])
  if (changed.length === 0) return project
  const values = changed.map((name) => `'${name}' stays ${present[name]}`).join(', ')
  log.warn(`${values} until the server is started again: what it is bound to does not change while it runs`)
  const { host, port, data } = present
  return { ...project, settings: { ...project.settings, host, port, data } }
}

/** Tells what keeps the files from being served, as a start does: every fault, with its place. */
function tell(error: unknown, changed: readonly string[], { app: { log } }: LiveServer): void {
  const lines = error instanceof AppError ? error.message.split('\n') : []
  for (const line of lines) log.error(line)
  const what = `${named(changed)} changed, and cannot be served: what was read before goes on being served until that is mended`
  log.error(what, error instanceof AppError ? {} : { error })
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
