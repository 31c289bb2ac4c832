import type { Registry } from '../../../model/registry.ts'
import { nodeDisk } from '../files/disk.ts'
import { readFolder, rejectInvalid, removeDraft, snapshotPath, truncateTail } from '../recovery/recovery.ts'
import { ignoreRecords, replay, validatorForEdited } from '../recovery/replay.ts'
import { Renaming } from '../renames/renaming.ts'
import { compact } from './compact.ts'

/**
 * Removes every table but some from a locked data folder that no store has open. The new snapshot replaces the former one
 * atomically: after a crash there is the former data or the kept tables.
 *
 * @throws {AppError} DATA_CORRUPT; then nothing is changed
 */
export async function retainTables(folder: string, registry: Registry, tables: ReadonlySet<string>): Promise<void> {
  await removeDraft(folder, nodeDisk)
  const { snapshot: opened, journal } = await readFolder(folder, nodeDisk)
  try {
    const { snapshot, overlay, validation } = await replay(
      opened,
      journal.entries,
      ignoreRecords,
      validatorForEdited(registry),
      new Renaming(registry),
    )
    rejectInvalid(snapshotPath(folder), validation)
    await truncateTail(journal, nodeDisk, () => {})
    await compact(folder, nodeDisk, { snapshot, overlay, sequence: journal.last, covered: journal.paths, tables })
  } finally {
    await opened.file?.close()
  }
}
