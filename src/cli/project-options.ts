import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { dataFolderOf, hasData, placeOf } from '../app/open-store.ts'
import { type App, type AppMode, openApp } from '../app.ts'
import { Faults } from '../config/fault.ts'
import type { Settings, SettingsInput } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { connectTo } from '../http/in-process.ts'
import { jwtCodec } from '../http/jwt-codec.ts'
import { createLog } from '../log/create-log.ts'
import type { Log } from '../log/log.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { noData } from '../project/broken-records.ts'
import { examineProject, expectProject, loadProject, type Project, type ProjectSource } from '../project/project.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { Io } from './io.ts'

/** Options of every command that works on a project. */
export interface ProjectOptions {
  /** Project folder; the current folder by default. */
  readonly project?: string
  /** Data folder; the setting `data` by default. */
  readonly data?: string
}

/** Further options of `withApp`. */
export interface OpenOptions {
  /** Settings from the command line, which override the settings of the project. */
  readonly flags?: SettingsInput
  /** Creates the log. The default writes warnings and errors as text to stderr. */
  readonly log?: (settings: Settings['log']) => Log
  /** A key that acts as the first superuser, for an application in memory. */
  readonly givenKey?: string | undefined
}

/** Adds `--project` to a command that does not use the data. */
export function withProjectOption(command: Command): Command {
  return command.addOption(new Option('--project <dir>', 'project folder (default: the current folder)'))
}

/** Adds `--project` and `--data` to a command. */
export function withProjectOptions(command: Command): Command {
  return withProjectOption(command).addOption(
    new Option('--data <dir>', 'data folder (default: the setting `data` of the project)'),
  )
}

/** Loads the project and runs work with it. The data folder is not touched. */
export async function withProject<T>(io: Io, options: ProjectOptions, work: (project: Project) => Promise<T>): Promise<T> {
  return work(await loadProject(sourceOf(io, options, {})))
}

/**
 * Loads the project and runs work with its models; faults in the views are ignored.
 *
 * A command may be about to write a view: with `> views/post.yaml` the shell creates that file, empty, before the command starts.
 *
 * @throws {ConfigError} listing every fault outside the views
 */
export async function withModels<T>(io: Io, options: ProjectOptions, work: (project: Project) => Promise<T>): Promise<T> {
  const examined = await examineProject(sourceOf(io, options, {}))
  expectProject(examined)
  const { project, faults } = examined
  const others = new Faults()
  others.addAll(faults.list.filter(({ position }) => !position.file.startsWith('views/')))
  others.throwIfAny()
  return work(project)
}

/**
 * Runs work with the data folder of a project, without opening the store.
 *
 * @param refusal the error for records that are in a database
 * @throws {AppError} TASK_FAILED when the folder holds no data
 */
export async function withDataFolder<T>(
  project: Project,
  refusal: (place: string) => AppError,
  work: (folder: string, registry: Registry) => Promise<T>,
): Promise<T> {
  const dataFolder = expectDataFolder(project, refusal)
  if (!(await hasData(project))) throw noData(dataFolder)
  return work(dataFolder, project.registry)
}

/** The data folder of a project; throws the refusal if its records are in a database. */
export function expectDataFolder(project: Project, refusal: (place: string) => AppError): string {
  if (project.settings.store !== 'embedded') throw refusal(placeOf(project))
  return dataFolderOf(project)
}

/**
 * Returns the public model with a key.
 *
 * @throws {AppError} TASK_FAILED with the most similar name, or the names of all models
 */
export function modelNamed(registry: Registry, key: string): Model {
  const model = registry.get(key)
  if (model !== undefined && !model.internal) return model
  const known = registry.public.map((each) => each.key)
  throw new AppError('TASK_FAILED', `There is no model '${key}'${meantOrKnown(key, known)}`)
}

/** The folder, environment and settings that a project is loaded from. */
export function sourceOf(io: Io, { project = '.', data }: ProjectOptions, flags: SettingsInput): ProjectSource {
  const dataFlag = data === undefined ? {} : { data: resolve(io.cwd, data) }
  return { folder: resolve(io.cwd, project), env: io.env, flags: { ...flags, ...dataFlag } }
}

const warningLog = (io: Io): Log => createLog((text) => io.stderr.write(text), { level: 'warn', format: 'text' })

/** Loads a project, opens its application, runs work with it, and closes it even if the work fails. */
export async function withApp<T>(
  io: Io,
  options: ProjectOptions,
  mode: AppMode,
  work: (app: App) => Promise<T>,
  { flags = {}, log, givenKey }: OpenOptions = {},
): Promise<T> {
  return withAppOf(io, await loadProject(sourceOf(io, options, flags)), mode, work, log, givenKey)
}

/**
 * The same with a project that is loaded already.
 *
 * @param log creates the log. The default writes warnings and errors as text to stderr
 */
export async function withAppOf<T>(
  io: Io,
  project: Project,
  mode: AppMode,
  work: (app: App) => Promise<T>,
  log: (settings: Settings['log']) => Log = () => warningLog(io),
  givenKey?: string,
): Promise<T> {
  const app = await openApp(project, mode, { tokenCodec: jwtCodec, connect: connectTo, log, givenKey })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}
