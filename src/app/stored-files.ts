import type { FileCheckParts } from '../files/file-check.ts'
import { silentLog } from '../log/log.ts'
import { noData } from '../project/broken-records.ts'
import type { Project } from '../project/project.ts'
import { systemClock } from '../util/clock.ts'
import { systemRandom } from '../util/ids.ts'
import { openStore, placeOf } from './open-store.ts'

/**
 * Does work with the files of a project: the registry, the records and the bytes. Takes no lock, so it works beside a server.
 *
 * @throws {AppError} DATA_CORRUPT, STORE_UNAVAILABLE, MIGRATION_NEEDED; TASK_FAILED when there is no data yet
 */
export async function withStoredFiles<T>(project: Project, work: (parts: FileCheckParts) => Promise<T>): Promise<T> {
  const opened = await openStore(project, 'read', { log: silentLog, random: systemRandom })
  try {
    return await opened.initialize(async (isNew) => {
      if (isNew) throw noData(placeOf(project))
      const { store, blobs, snapshotHashes } = opened
      return work({ registry: project.registry, store, blobs, snapshotHashes, now: systemClock() })
    })
  } finally {
    await opened.close()
  }
}
