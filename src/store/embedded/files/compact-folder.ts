import type { Registry } from '../../../model/registry.ts'
import { compact, countRecords } from './compact.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { whileLocked } from './lock.ts'
import { editedNotice, openSnapshot, readFolder, rejectInvalid, removeDraft, snapshotPath, truncateTail } from './recovery.ts'
import { Renaming } from './renaming.ts'
import { ignoreRecords, replay, validatorForEdited } from './replay.ts'

/** Result of `compactFolder`. Sizes in bytes. */
interface CompactedFolder {
  readonly before: { readonly snapshot: number; readonly journal: number }
  readonly after: number
  readonly records: number
}

/** Options of `compactFolder`. */
interface CompactOptions {
  /**
   * Accepts a `db.json` that was edited by hand (its checksum differs) even if records do not match the models, and the loss of the journal that it
   * names.
   */
  readonly accept?: boolean
  readonly warn?: (message: string) => void
}

/**
 * Compacts the journal of a data folder that no process uses, without loading the records.
 *
 * @throws {AppError} DATA_IN_USE naming the holder, DATA_CORRUPT
 */
export function compactFolder(folder: string, registry: Registry, options: CompactOptions = {}): Promise<CompactedFolder> {
  const { accept = false, warn = () => {} } = options
  const disk = nodeDisk
  return whileLocked(folder, async () => {
    await removeDraft(folder, disk)
    const { snapshot: opened, journal } = await readFolder(folder, disk, accept)
    try {
      const sizes = await Promise.all(journal.paths.map((path) => sizeOf(path, disk)))
      const validatorFor = validatorForEdited(accept ? undefined : registry)
      const renaming = new Renaming(registry)
      const { snapshot, overlay, renamed, validation } = await replay(
        opened,
        journal.entries,
        ignoreRecords,
        validatorFor,
        renaming,
      )
      rejectInvalid(snapshotPath(folder), validation, accept ? '' : 'To accept it unchanged, add --accept')
      await truncateTail(journal, disk, warn)
      if (validation !== undefined && opened.file !== undefined && !accept) warn(editedNotice(opened.file.origin, validation))
      const isRenamed = renamed.length > 0
      for (const message of renamed) warn(message)
      const input = { snapshot, overlay, sequence: journal.last, covered: journal.paths, isRenamed }
      const { bytes } = await compact(folder, disk, input)
      const before = { snapshot: opened.file?.bytes ?? 0, journal: sizes.reduce((sum, size) => sum + size, 0) }
      return { before, after: bytes, records: await recordsIn(folder, disk) }
    } finally {
      await opened.file?.close()
    }
  })
}

async function sizeOf(path: string, disk: Disk): Promise<number> {
  const file = await disk.openRead(path)
  await file?.close()
  return file?.size ?? 0
}

async function recordsIn(folder: string, disk: Disk): Promise<number> {
  const snapshot = await openSnapshot(folder, disk)
  try {
    return await countRecords(snapshot)
  } finally {
    await snapshot.file?.close()
  }
}

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
