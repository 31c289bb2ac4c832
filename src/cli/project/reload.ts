import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import type { LiveServer } from '../../http/live-server.ts'
import { loadProject, type Project, type ProjectSource } from '../../service/project/project.ts'
import { dataFolderOf } from './project-options.ts'
import { whenChanged } from './watch.ts'

/** What a project is written in; a README and an editor's own files are not. */
const WRITTEN = /\.(ya?ml|json|[cm]?[jt]s)$/

/** What a server is bound to when it starts. */
const BOUND = ['host', 'port', 'data'] as const satisfies readonly (keyof Settings)[]

/** More names than this make no line that anybody reads. */
const MAX_NAMES = 3

/** Changes of a project's files. */
export interface Changes {
  /** From now on the project is served as its files are: those that have changed before count, too. */
  reload(live: LiveServer): void
  close(): Promise<void>
}

/**
 * Notices changes of a project's files, so that it can be served as they are. While they have faults, what was read last without any
 * goes on being served.
 *
 * @returns once every change counts; what is read after that is never older than what is reloaded
 */
export async function noticeChanges(source: ProjectSource): Promise<Changes> {
  let live: LiveServer | undefined
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let isFaulty = false
  const reload = async (changed: readonly string[]): Promise<void> => {
    if (live === undefined) return
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
  const watching = await whenChanged(source.folder, reload, { after: begun, counts: (name) => WRITTEN.test(name) })
  return {
    reload(served) {
      watching.except(dataFolderOf(served.app.project))
      live = served
      begin()
    },
    async close() {
      begin()
      await watching.close()
    },
  }
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
