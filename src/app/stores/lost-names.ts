import type { LostName } from '../../lint/project.ts'
import { findLostNames } from '../../service/project/lost-names.ts'
import type { Project } from '../../service/project/project.ts'
import { storedNames } from '../../store/embedded/recovery/stored-names.ts'
import { PgDatabase } from '../../store/postgres/connection/pg-database.ts'
import { Layout } from '../../store/postgres/layout/layout.ts'
import { storedNamesIn } from '../../store/postgres/schema/renames/stored-names.ts'
import { dataFolderOf } from './open-store.ts'

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
