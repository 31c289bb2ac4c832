import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Low } from 'lowdb'
import { AppError } from '../errors.ts'
import type { Disk } from './disk.ts'
import { readJournal } from './journal.ts'
import { replay } from './replay.ts'
import { type Snapshot, SnapshotAdapter } from './snapshot.ts'

/** How often a reader looks before it believes in damage, and before it gives up on a busy folder. */
const MIN_READS = 5
const MAX_READS = 100

const EMPTY: Snapshot = { sequence: 0, tables: new Map() }

/**
 * Reads a data folder that nobody else writes to: the snapshot with the journal folded in, in memory. A write that was never
 * finished is cut off the journal.
 *
 * @throws {AppError} DATA_CORRUPT naming file and place
 */
export async function recover(folder: string, disk: Disk, warn: (message: string) => void): Promise<Low<Snapshot>> {
  const snapshot = snapshotIn(folder)
  await snapshot.read()
  const { entries, torn } = await readJournal(folder, disk, snapshot.data.sequence)
  if (torn !== undefined) {
    const bytes = torn.length - torn.goodLength
    warn(`${torn.path}: the last ${bytes} bytes are of a write that was never finished; they are cut off`)
    await cutOff(disk, torn)
  }
  snapshot.data = replay(snapshot.data, entries)
  return snapshot
}

/**
 * Reads a data folder beside a server, which may fold its journal into the snapshot at any moment: then all is read again.
 *
 * @throws {AppError} DATA_CORRUPT naming file and place, STORE_UNAVAILABLE when the folder is never still
 */
export async function readBeside(folder: string, disk: Disk): Promise<Low<Snapshot>> {
  for (let attempt = 1; ; attempt++) {
    const before = await stampOf(folder)
    try {
      const snapshot = snapshotIn(folder)
      await snapshot.read()
      const { entries } = await readJournal(folder, disk, snapshot.data.sequence)
      if ((await stampOf(folder)) !== before) throw busy(folder)
      snapshot.data = replay(snapshot.data, entries)
      return snapshot
    } catch (error) {
      // A file that went while it was looked for is no fault; damage that is still there after a few looks is one.
      const isSettled = error instanceof AppError && attempt >= MIN_READS && (await stampOf(folder)) === before
      if (isSettled || attempt === MAX_READS) throw error
    }
  }
}

/** The size of `db.json` in bytes, 0 when there is none. */
export const snapshotSize = (folder: string): Promise<number> =>
  stat(join(folder, 'db.json')).then(
    ({ size }) => size,
    () => 0,
  )

const snapshotIn = (folder: string): Low<Snapshot> => new Low<Snapshot>(new SnapshotAdapter(join(folder, 'db.json')), EMPTY)

/** Changes whenever `db.json` is replaced. */
const stampOf = (folder: string): Promise<string> =>
  stat(join(folder, 'db.json')).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => 'none',
  )

const busy = (folder: string): AppError =>
  new AppError('STORE_UNAVAILABLE', `${folder} changes faster than it can be read; try again`)

/** Ends a journal where its good entries end. */
async function cutOff(disk: Disk, { path, goodLength }: { readonly path: string; readonly goodLength: number }): Promise<void> {
  const file = await disk.openAppend(path)
  try {
    await file.truncate(goodLength)
    await file.sync()
  } finally {
    await file.close()
  }
}
