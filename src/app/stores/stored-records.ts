import type { BrokenRecord } from '../../lint/project.ts'
import { silentLog } from '../../log/log.ts'
import { findBrokenRecords, noData } from '../../service/project/broken-records.ts'
import type { Project } from '../../service/project/project.ts'
import { systemRandom } from '../../util/ids.ts'
import { openStore, placeOf } from './open-store.ts'

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
      return findBrokenRecords(opened.store, project.registry)
    })
  } finally {
    await opened.close()
  }
}
