import type { PostgresSettings } from '../config/settings.ts'
import type { BrokenRecord, LostName } from '../lint/project.ts'
import { silentLog } from '../log/log.ts'
import { findBrokenRecords, noData } from '../project/broken-records.ts'
import type { Project } from '../project/project.ts'
import { findLostNames, findRemovedModels, type RemovedModel } from '../project/stored-models.ts'
import { retainTables, storedContent, storedNames } from '../store/embedded/files/data-folder.ts'
import { whileLocked } from '../store/embedded/files/lock.ts'
import { PgDatabase } from '../store/postgres/connection/pg-database.ts'
import { Layout } from '../store/postgres/layout/layout.ts'
import { dropTablesOf, storedContentIn, storedNamesIn } from '../store/postgres/schema/stored-models.ts'
import { systemRandom } from '../util/ids.ts'
import { dataFolderOf, openStore, placeOf } from './open-store.ts'

/**
 * Finds what the data of a project holds of removed models. Takes no lock, so it works beside a server.
 *
 * @throws {AppError} DATA_CORRUPT, RENAME_CONFLICT, STORE_UNAVAILABLE
 */
export async function removedModels(project: Project): Promise<RemovedModel[]> {
  const { registry, settings } = project
  const content =
    settings.store === 'embedded'
      ? await storedContent(dataFolderOf(project), registry)
      : await withDatabase(settings.store, registry, storedContentIn)
  return findRemovedModels(content, registry)
}

/**
 * Removes the tables of removed models, with their records. The other data stays as it is.
 *
 * @throws {AppError} DATA_IN_USE while a process holds the data folder; MIGRATION_NEEDED, TASK_FAILED
 */
export async function removeTables({ registry, settings, ...project }: Project, removed: readonly RemovedModel[]): Promise<void> {
  const keys = new Set(removed.filter(({ hasTable }) => hasTable).map(({ key }) => key))
  if (keys.size === 0) return
  if (settings.store !== 'embedded') {
    return withDatabase(settings.store, registry, (database, layout) => dropTablesOf(database, layout, keys))
  }
  const folder = dataFolderOf({ ...project, settings })
  const kept = new Set(registry.all.map(({ key }) => key))
  await whileLocked(folder, () => retainTables(folder, registry, kept))
}

async function withDatabase<T>(
  { url, schema }: PostgresSettings,
  registry: Project['registry'],
  work: (database: PgDatabase, layout: Layout) => Promise<T>,
): Promise<T> {
  const database = new PgDatabase(url, { pool: 1 })
  try {
    return await work(database, new Layout(registry, schema))
  } finally {
    await database.close()
  }
}

/** Finds stored fields and models of a project that look renamed. Takes no lock, so it works beside a server. */
export async function lostNames(project: Project): Promise<LostName[]> {
  const { registry, settings } = project
  if (settings.store === 'embedded') return findLostNames(await storedNames(dataFolderOf(project), registry), registry)
  const database = new PgDatabase(settings.store.url, { pool: 1 })
  try {
    return findLostNames(await storedNamesIn(database, new Layout(registry, settings.store.schema)), registry)
  } finally {
    await database.close()
  }
}

/**
 * Finds the stored records of a project that break its present models. Takes no lock, so it works beside a server.
 *
 * @throws {AppError} DATA_CORRUPT, STORE_UNAVAILABLE; TASK_FAILED when there is no data yet
 */
export async function brokenRecords(project: Project): Promise<BrokenRecord[]> {
  const opened = await openStore(project, 'read', { log: silentLog, random: systemRandom })
  try {
    return await opened.initialize(async (isNew) => {
      if (isNew) throw noData(placeOf(project))
      return findBrokenRecords(opened.store, project.registry, opened.blobs)
    })
  } finally {
    await opened.close()
  }
}
