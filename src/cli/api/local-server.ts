import { dataFolderOf } from '../../app/stores/open-store.ts'
import { loadOrCreateSecret } from '../../auth/secret.ts'
import type { Settings } from '../../config/settings.ts'
import type { Project } from '../../service/project/project.ts'
import { apiOf, lockPath } from '../../store/embedded/files/lock.ts'
import { systemRandom } from '../../util/ids.ts'
import type { ProjectOptions } from '../project/project-options.ts'
import { ephemeralServerOf } from '../project/runtime-file.ts'
import type { Io } from '../terminal/io.ts'

/** A server of a project on this machine. */
export interface LocalServer {
  /** Root URL of its API. */
  readonly api: string
  /** The present settings of the project; the server may have started with others. */
  readonly settings: Settings
  /** True for `admin serve --ephemeral`. */
  readonly isEphemeral: boolean
  /** The secret that signs its tokens. */
  secret(): Promise<string>
}

/**
 * Finds the server of a project: the one that holds its data folder, otherwise an ephemeral one. With the option `--data`, an ephemeral
 * server is not looked for. The servers of a database need not be found, since commands may use it beside them.
 */
export async function localServer(io: Io, { data }: ProjectOptions, project: Project): Promise<LocalServer | undefined> {
  const { settings } = project
  const dataFolder = dataFolderOf(project)
  const api = settings.store === 'embedded' ? await apiOf(lockPath(dataFolder)) : undefined
  if (api !== undefined) {
    const secret = async () => settings.secret_key ?? (await loadOrCreateSecret(dataFolder, systemRandom))
    return { api, settings, isEphemeral: false, secret }
  }
  const ephemeral = data === undefined ? await ephemeralServerOf(io.env, project.folder) : undefined
  return ephemeral && { api: ephemeral.api, settings, isEphemeral: true, secret: async () => ephemeral.secret }
}
