import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type App, type AppMode, openApp } from '../../app.ts'
import { Faults } from '../../config/fault.ts'
import type { Settings, SettingsInput } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { jwtCodec } from '../../http/plugins/jwt-codec.ts'
import { createLog, type Log } from '../../log/log.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { noData } from '../../service/project/broken-records.ts'
import { examineProject, loadProject, type Project, type ProjectSource } from '../../service/project/project.ts'
import { holdsData } from '../../store/embedded/recovery/recovery.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { Io } from '../terminal/io.ts'

/** Options of every command that works on a project. */
export interface ProjectOptions {
  /** The current folder when it is absent. */
  readonly project?: string
  readonly data?: string
}

/** What only some commands have to say about how a project is opened. */
export interface Opening {
  readonly flags?: SettingsInput
  /** Makes the log; without it a person is told of what they should know, and of nothing else. */
  readonly log?: (settings: Settings['log']) => Log
}

/** Gives a command the option that names a project whose data it has nothing to do with. */
export function withProjectOption(command: Command): Command {
  return command.addOption(new Option('--project <dir>', 'project folder (default: the current folder)'))
}

/** Gives a command the options that name a project and its data. */
export function withProjectOptions(command: Command): Command {
  return withProjectOption(command).addOption(
    new Option('--data <dir>', 'data folder (default: the setting `data` of the project)'),
  )
}

/** Loads the project that the options name, and does something with it without touching its data. */
export async function withProject<T>(io: Io, options: ProjectOptions, work: (project: Project) => Promise<T>): Promise<T> {
  return work(await loadProject(sourceOf(io, options, {})))
}

/**
 * Does something with the models of the project that the options name. Its views may be faulty: they may be what is about to be
 * written, and a shell that writes output into a file has made that file, empty, before anything else begins.
 *
 * @throws {ConfigError} listing every fault outside the views
 */
export async function withModels<T>(io: Io, options: ProjectOptions, work: (project: Project) => Promise<T>): Promise<T> {
  const { project, faults } = await examineProject(sourceOf(io, options, {}))
  const others = new Faults()
  others.addAll(faults.list.filter(({ position }) => !position.file.startsWith('views/')))
  others.throwIfAny()
  return work(project)
}

/**
 * Loads the project that the options name, and does something with its data folder without opening the store.
 *
 * @throws {AppError} TASK_FAILED when there is no data yet
 */
export async function withDataFolder<T>(
  io: Io,
  options: ProjectOptions,
  work: (folder: string, registry: Registry) => Promise<T>,
): Promise<T> {
  const project = await loadProject(sourceOf(io, options, {}))
  const dataFolder = dataFolderOf(project)
  if (!(await holdsData(dataFolder))) throw noData(dataFolder)
  return work(dataFolder, project.registry)
}

/** Where a project's data is, absolute. */
export const dataFolderOf = ({ folder, settings }: Project): string => resolve(folder, settings.data)

/**
 * The model that an argument names.
 *
 * @throws {AppError} TASK_FAILED with the nearest name there is
 */
export function modelNamed(registry: Registry, key: string): Model {
  const model = registry.get(key)
  if (model !== undefined && !model.internal) return model
  const known = registry.public.map((each) => each.key)
  throw new AppError('TASK_FAILED', `There is no model '${key}'${meantOrKnown(key, known)}`)
}

/** Where the project is that options name. */
export function sourceOf(io: Io, { project = '.', data }: ProjectOptions, flags: SettingsInput): ProjectSource {
  const dataFlag = data === undefined ? {} : { data: resolve(io.cwd, data) }
  return { folder: resolve(io.cwd, project), env: io.env, flags: { ...flags, ...dataFlag } }
}

const personalLog = (io: Io): Log => createLog((text) => io.stderr.write(text), { level: 'warn', format: 'text' })

/** Opens the project that the options name, does something with it, and closes it whatever happens. */
export async function withApp<T>(
  io: Io,
  options: ProjectOptions,
  mode: AppMode,
  work: (app: App) => Promise<T>,
  { flags = {}, log = () => personalLog(io) }: Opening = {},
): Promise<T> {
  const app = await openApp(sourceOf(io, options, flags), mode, { tokenCodec: jwtCodec, log })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}
