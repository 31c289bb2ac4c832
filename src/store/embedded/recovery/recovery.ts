import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Low } from 'lowdb'
import { AppError } from '../../../errors.ts'
import { type Disk, nodeDisk } from '../files/disk.ts'
import { isJournal, type JournalContents, readJournal } from '../journal/journal.ts'
import { draftOf, EMPTY, type Origin, type Snapshot, SnapshotAdapter } from '../snapshot/snapshot.ts'
import { faultLines, type ValidationResult } from './validator.ts'

/** How often a reader looks before it believes in damage, and before it gives up on a busy folder. */
const MIN_READS = 5
const MAX_READS = 100

/** A data folder as it was found: its snapshot, open, and what the journal holds beyond it. */
export interface Found {
  readonly snapshot: Snapshot
  readonly journal: JournalContents
}

export const snapshotPath = (folder: string): string => join(folder, 'db.json')

/** lowdb over `db.json`. */
export const snapshotIn = (folder: string, disk: Disk): Low<Snapshot> =>
  new Low<Snapshot>(new SnapshotAdapter(snapshotPath(folder), disk), EMPTY)

/** Opens the snapshot of a folder, which the caller must close. */
export async function openSnapshot(folder: string, disk: Disk): Promise<Snapshot> {
  return openSnapshotFile(snapshotPath(folder), disk)
}

/** Opens a snapshot wherever it is, which the caller must close. */
export async function openSnapshotFile(path: string, disk: Disk): Promise<Snapshot> {
  const low = new Low<Snapshot>(new SnapshotAdapter(path, disk), EMPTY)
  await low.read()
  return low.data
}

/**
 * Looks at a data folder that nobody else writes to. The snapshot is to be closed by the caller.
 *
 * @throws {AppError} DATA_CORRUPT naming file and place
 */
export async function find(folder: string, disk: Disk): Promise<Found> {
  const snapshot = await openSnapshot(folder, disk)
  try {
    return { snapshot, journal: await readJournal(folder, disk, snapshot.sequence) }
  } catch (error) {
    await snapshot.file?.close()
    throw error
  }
}

/** Removes what a process that was killed while it wrote a snapshot left of it. Only for whoever holds the folder. */
export async function removeDraft(folder: string, disk: Disk): Promise<void> {
  const draft = basename(draftOf(snapshotPath(folder)))
  if ((await disk.list(folder)).includes(draft)) await disk.remove(join(folder, draft)).catch(() => {})
}

/** Cuts a write that was never finished off the journal, and says so. */
export async function mendTail({ torn }: JournalContents, disk: Disk, warn: (message: string) => void): Promise<void> {
  if (torn === undefined) return
  const bytes = torn.length - torn.goodLength
  warn(`${torn.path}: the last ${bytes} bytes are of a write that was never finished; they are cut off`)
  const file = await disk.openAppend(torn.path)
  try {
    await file.truncate(torn.goodLength)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Looks at a data folder beside a server, which may fold its journal into the snapshot at any moment: then all is read again.
 * The snapshot is to be closed by the caller; being open, it stays what it was.
 *
 * @throws {AppError} DATA_CORRUPT naming file and place, STORE_UNAVAILABLE when the folder is never still
 */
export async function findBeside(folder: string, disk: Disk): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    const before = await stampOf(folder)
    try {
      const found = await find(folder, disk)
      if ((await stampOf(folder)) === before) return found
      await found.snapshot.file?.close()
      throw busy(folder)
    } catch (error) {
      // A file that went while it was looked for is no fault; damage that is still there after a few looks is one.
      const isSettled = error instanceof AppError && attempt >= MIN_READS && (await stampOf(folder)) === before
      if (isSettled || attempt === MAX_READS) throw error
    }
  }
}

/**
 * Refuses a file that was changed by hand and is broken.
 *
 * @param remedy another one
 * @throws {AppError} DATA_CORRUPT naming every broken record, up to a limit
 */
export function refuseBroken(path: string, judgement: ValidationResult | undefined, remedy = ''): void {
  if (judgement === undefined || judgement.faultCount === 0) return
  const lines = [
    `${path} is not as it was last written, and does not fit the models:`,
    ...faultLines(judgement),
    `Mend it by hand, or restore it from a copy. ${remedy}`.trimEnd(),
  ]
  throw new AppError('DATA_CORRUPT', lines.join('\n'))
}

/** What a person should know of a file that is not as we wrote it, and fine. */
export function foreignNotice(origin: Origin, { records }: ValidationResult): string {
  const what = origin === 'edited' ? 'was changed by hand since it was last written' : 'has no checksum, as one made by hand'
  return `db.json ${what}; its ${records} records were checked and are fine`
}

/**
 * True when there is a snapshot or a journal in a folder.
 *
 * @throws {AppError} TASK_FAILED when it is no folder, or one that cannot be looked into
 */
export async function holdsData(folder: string): Promise<boolean> {
  const names = await nodeDisk.list(folder).catch((cause: Error) => {
    const what = `${folder} cannot be read as a data folder: ${cause.message}`
    throw new AppError('TASK_FAILED', `${what}; name a folder with --data`, { cause })
  })
  return names.some((name) => name === 'db.json' || isJournal(name))
}

/** The size of `db.json` in bytes, 0 when there is none. */
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

/** Does something with what was found, and closes it. */
export async function closing(found: Found, work: (found: Found) => Promise<unknown>): Promise<void> {
  try {
    await work(found)
  } finally {
    await found.snapshot.file?.close()
  }
}
