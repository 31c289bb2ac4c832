import { join, resolve } from 'node:path'
import { grantsPrecedeSeeds } from '../accounts/roles.ts'
import { postgresPlace } from '../config/store-settings.ts'
import { silentLog } from '../log/log.ts'
import type { Project } from '../project/project.ts'
import { holdsData } from '../store/embedded/files/recovery.ts'
import type { Clock } from '../util/clock.ts'
import type { AppMode } from './dependencies.ts'
import { filesFolder, openFileStore, openMemoryStore, type StoreParts } from './embedded-stores.ts'
import type { OpenedStore } from './opened-store.ts'
import type { OpenDatabase } from './postgres-store.ts'

/** Dependencies of a store, whatever its engine. */
export interface OpenParts extends StoreParts {
  readonly openDatabase?: OpenDatabase | undefined
  /** Takes the place of the clock of the database in limits, for tests. */
  readonly clock?: Clock | undefined
}

/**
 * Opens the store that a project's settings name, or one in memory in mode `ephemeral`.
 *
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT, CONFIG_INVALID, MIGRATION_NEEDED, STORE_UNAVAILABLE
 */
export async function openStore(project: Project, mode: AppMode, parts: OpenParts): Promise<OpenedStore> {
  const { registry, settings } = project
  if (mode === 'ephemeral') return openMemoryStore(registry, parts)
  if (settings.store === 'embedded') return openFileStore(dataFolderOf(project), registry, mode, parts)
  const { log, random, clock, openDatabase } = parts
  const { expectShared, openPostgresStore } = await postgres()
  const grantsFirst = grantsPrecedeSeeds(project)
  return openPostgresStore(registry, {
    settings: expectShared(settings),
    mode,
    files: databaseFiles(project, dataFolderOf(project)),
    grantsFirst,
    log,
    random,
    clock,
    ...(openDatabase && { openDatabase }),
  })
}

/** The folders for the files of a project whose store is a database. @param dataFolder in which this process receives files */
export const databaseFiles = (
  { folder, settings: { files } }: Pick<Project, 'folder' | 'settings'>,
  dataFolder: string,
): { readonly incoming: string; readonly shared: string | undefined } => ({
  incoming: join(filesFolder(dataFolder), 'incoming'),
  shared: files.store === undefined ? undefined : resolve(folder, files.store),
})

/** Loaded when it is needed, since the driver makes every start longer. */
const postgres = () => import('./postgres-store.ts')

/** The absolute path of a project's data folder, which the embedded engine uses. */
export const dataFolderOf = ({ folder, settings }: Pick<Project, 'folder' | 'settings'>): string => resolve(folder, settings.data)

/** The place of a project's records, for people; without a password. */
export const placeOf = (project: Pick<Project, 'folder' | 'settings'>): string =>
  project.settings.store === 'embedded' ? dataFolderOf(project) : postgresPlace(project.settings.store)

/**
 * True if records have ever been stored for a project.
 *
 * @throws {AppError} STORE_UNAVAILABLE
 */
export async function hasData(project: Project): Promise<boolean> {
  const { settings, registry } = project
  if (settings.store === 'embedded') return holdsData(dataFolderOf(project))
  const { databaseHasData } = await postgres()
  return databaseHasData(registry, { settings: settings.store, log: silentLog })
}
