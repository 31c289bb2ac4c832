import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Low } from 'lowdb'
import { AppError } from '../../../errors.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { isJournal, type JournalContents, readJournal } from './journal.ts'
import { draftOf, EMPTY_SNAPSHOT, type Origin, type Snapshot, SnapshotAdapter } from './snapshot.ts'
import { faultLines, type ValidationResult } from './validator.ts'

/** Minimum number of reads before damage is reported, and maximum number for a busy folder. */
const MIN_READS = 5
const MAX_READS = 100

/** A data folder as found: its open snapshot, and the journal after it. */
export interface DataFolder {
  readonly snapshot: Snapshot
  readonly journal: JournalContents
}

/** Path of the snapshot in a data folder. */
export const snapshotPath = (folder: string): string => join(folder, 'db.json')

/** Writes `db.json` by lowdb, in place of the present one. */
export async function writeSnapshot(folder: string, disk: Disk, snapshot: Snapshot): Promise<void> {
  const low = new Low<Snapshot>(new SnapshotAdapter(snapshotPath(folder), disk), EMPTY_SNAPSHOT)
  low.data = snapshot
  await low.write()
}

/** Opens the snapshot of a folder. The caller must close it. */
export const openSnapshot = (folder: string, disk: Disk): Promise<Snapshot> => openSnapshotFile(snapshotPath(folder), disk)

/** Opens a snapshot at any path. The caller must close it. */
export async function openSnapshotFile(path: string, disk: Disk): Promise<Snapshot> {
  const low = new Low<Snapshot>(new SnapshotAdapter(path, disk), EMPTY_SNAPSHOT)
  await low.read()
  return low.data
}

/** Calls `work` with an open snapshot, and closes it afterwards. */
export async function thenClose<T>(snapshot: Snapshot, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  try {
    return await work(snapshot)
  } finally {
    await snapshot.file?.close()
  }
}

/**
 * Reads a data folder that no other process writes to. The caller must close the snapshot.
 *
 * @param acceptsLoss does without the journal that `db.json` names
 * @throws {AppError} DATA_CORRUPT naming file and place
 */
export async function readFolder(folder: string, disk: Disk, acceptsLoss = false): Promise<DataFolder> {
  const snapshot = await openSnapshot(folder, disk)
  const expected = acceptsLoss ? undefined : snapshot.journal
  try {
    return { snapshot, journal: await readJournal(folder, disk, { sequence: snapshot.sequence, expected }) }
  } catch (error) {
    await snapshot.file?.close()
    throw error
  }
}

/** Removes an unfinished snapshot of a killed process. The caller must hold the lock. */
export async function removeDraft(folder: string, disk: Disk): Promise<void> {
  const draft = basename(draftOf(snapshotPath(folder)))
  if ((await disk.list(folder)).includes(draft)) await disk.remove(join(folder, draft)).catch(() => {})
}

/** Removes a torn write from the end of the journal, with a warning. */
export async function truncateTail({ torn }: JournalContents, disk: Disk, warn: (message: string) => void): Promise<void> {
  if (torn === undefined) return
  const bytes = torn.length - torn.validLength
  warn(`${torn.path} ended with an unfinished write of ${bytes} bytes, which is removed`)
  const file = await disk.openAppend(torn.path)
  try {
    await file.truncate(torn.validLength)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Reads a data folder beside a running server, which may compact the journal at any moment; then everything is read again. The
 * caller must close the snapshot, which keeps its content while open.
 *
 * @throws {AppError} DATA_CORRUPT naming file and place, STORE_UNAVAILABLE if the folder keeps changing
 */
export async function readFolderBeside(folder: string, disk: Disk): Promise<DataFolder> {
  for (let attempt = 1; ; attempt++) {
    const before = await stampOf(folder)
    try {
      const found = await readFolder(folder, disk)
      if ((await stampOf(folder)) === before) return found
      await found.snapshot.file?.close()
      throw busy(folder)
    } catch (error) {
      // A file may disappear between listing and reading. Damage that persists over several reads is real.
      const isSettled = error instanceof AppError && attempt >= MIN_READS && (await stampOf(folder)) === before
      if (isSettled || attempt === MAX_READS) throw error
    }
  }
}

/**
 * Rejects an edited file that is invalid.
 *
 * @param remedy an additional remedy for the message
 * @throws {AppError} DATA_CORRUPT naming the invalid records, up to a limit
 */
export function rejectInvalid(path: string, validation: ValidationResult | undefined, remedy = ''): void {
  if (validation === undefined || validation.faultCount === 0) return
  const lines = [
    `${path} was edited, and does not match the models:`,
    ...faultLines(validation),
    `Correct it by hand, or restore it from a backup. ${remedy}`.trimEnd(),
  ]
  throw new AppError('DATA_CORRUPT', lines.join('\n'))
}

/** The warning about an edited file that is valid. */
export function editedNotice(origin: Origin, { records }: ValidationResult): string {
  const what = origin === 'edited' ? 'was edited since it was last written' : 'has no checksum'
  return `db.json ${what}; its ${records} records were validated and are correct`
}

/**
 * True if a folder holds a snapshot or a journal.
 *
 * @throws {AppError} TASK_FAILED if it is not a readable folder
 */
export async function holdsData(folder: string): Promise<boolean> {
  const names = await nodeDisk.list(folder).catch((cause: Error) => {
    const what = `${folder} cannot be read as a data folder: ${cause.message}`
    throw new AppError('TASK_FAILED', `${what}; name a folder with --data`, { cause })
  })
  return names.some((name) => name === 'db.json' || isJournal(name))
}

/** Size of `db.json` in bytes; 0 without this file. */
export const snapshotSize = (folder: string): Promise<number> =>
  stat(snapshotPath(folder)).then(
    ({ size }) => size,
    () => 0,
  )

/** Changes whenever `db.json` is replaced. */
const stampOf = (folder: string): Promise<string> =>
  stat(snapshotPath(folder)).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => 'none',
  )

const busy = (folder: string): AppError =>
  new AppError('STORE_UNAVAILABLE', `${folder} changes faster than it can be read; try again`)
