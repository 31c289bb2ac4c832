import type { PostgresSettings } from '../../config/settings.ts'
import type { Project } from '../../service/project/project.ts'
import { findRemovedModels, type RemovedModel } from '../../service/project/removed-models.ts'
import { retainTables } from '../../store/embedded/compaction/retain-tables.ts'
import { whileLocked } from '../../store/embedded/files/lock.ts'
import { storedContent } from '../../store/embedded/recovery/stored-content.ts'
import { PgDatabase } from '../../store/postgres/connection/pg-database.ts'
import { Layout } from '../../store/postgres/layout/layout.ts'
import { dropTablesOf, storedContentIn } from '../../store/postgres/schema/removed-tables.ts'
import { dataFolderOf } from './open-store.ts'

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
