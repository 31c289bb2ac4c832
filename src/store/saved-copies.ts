import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { compactFolder } from './compaction.ts'
import { nodeDisk } from './disk.ts'
import { journalFiles } from './journal.ts'
import { acquireLock } from './lock.ts'
import { removeDraft, snapshotPath } from './recovery.ts'

/** A copy of `db.json` that was kept under a name. */
export interface SavedCopy {
  readonly name: string
  readonly bytes: number
  /** Milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Names cannot lead out of the folder: no separators, and a letter or a digit first. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

const copiesFolder = (folder: string): string => join(folder, 'snapshots')

/** @throws {AppError} USAGE for what cannot be the name of a file */
function copyPath(folder: string, name: string): string {
  if (NAME.test(name)) return join(copiesFolder(folder), `${name}.json`)
  throw new AppError('USAGE', `'${name}' cannot name a snapshot: letters, digits, '.', '_' and '-', a letter or digit first`)
}

/**
 * Keeps a copy of the data in a folder under a name, while nobody uses it.
 *
 * @throws {AppError} USAGE, DATA_IN_USE naming the holder, DATA_CORRUPT; TASK_FAILED when the name is taken
 */
export async function saveCopy(folder: string, registry: Registry, name: string, { force = false } = {}): Promise<SavedCopy> {
  const path = copyPath(folder, name)
  if (!force && (await sizeOf(path)) !== undefined) {
    throw new AppError('TASK_FAILED', `There is a snapshot '${name}' already; --force writes over it`)
  }
  // Afterwards `db.json` is all there is.
  await compactFolder(folder, registry)
  return held(folder, async () => {
    await mkdir(copiesFolder(folder), { recursive: true, mode: 0o700 })
    const draft = `${path}.draft`
    await copyFile(snapshotPath(folder), draft)
    await rename(draft, path)
    return found(folder, name)
  })
}

/**
 * Puts a copy in the place of the data in a folder, while nobody uses it. What is replaced is lost.
 *
 * @throws {AppError} USAGE, DATA_IN_USE naming the holder; TASK_FAILED when there is no such copy
 */
export async function loadCopy(folder: string, name: string): Promise<SavedCopy> {
  const path = copyPath(folder, name)
  if ((await sizeOf(path)) === undefined) {
    const known = (await savedCopies(folder)).map((copy) => copy.name)
    throw new AppError('TASK_FAILED', `There is no snapshot '${name}'${meantOrKnown(name, known)}`)
  }
  return held(folder, async () => {
    const draft = join(copiesFolder(folder), 'loading')
    await copyFile(path, draft)
    await removeJournal(folder)
    await rename(draft, snapshotPath(folder))
    await nodeDisk.syncFolder(folder)
    return found(folder, name)
  })
}

/** The copies that are kept beside the data of a folder, by name. */
export async function savedCopies(folder: string): Promise<SavedCopy[]> {
  const files = await readdir(copiesFolder(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))
  return Promise.all(
    names
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => found(folder, name)),
  )
}

/**
 * Removes all data of a folder, while nobody uses it: the next store that is opened there is new. Copies that were saved stay.
 *
 * @throws {AppError} DATA_IN_USE naming the holder
 */
export async function removeData(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await held(folder, async () => {
    await removeJournal(folder)
    await rm(snapshotPath(folder), { force: true })
    await nodeDisk.syncFolder(folder)
  })
}

/** The newest first: what a crash leaves behind is an earlier state of the data. */
async function removeJournal(folder: string): Promise<void> {
  await removeDraft(folder, nodeDisk)
  for (const path of (await journalFiles(folder, nodeDisk)).reverse()) await nodeDisk.remove(path)
}

async function held<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(join(folder, 'lock'))
  try {
    return await work()
  } finally {
    await release()
  }
}

async function found(folder: string, name: string): Promise<SavedCopy> {
  const { size, mtimeMs } = await stat(copyPath(folder, name))
  return { name, bytes: size, savedAt: mtimeMs }
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )
