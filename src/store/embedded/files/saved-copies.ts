import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { AppError } from '../../../errors.ts'
import { FILE_TABLE } from '../../../model/files.ts'
import type { Registry } from '../../../model/registry.ts'
import { meantOrKnown } from '../../../util/suggest.ts'
import type { StoredRecord } from '../../store.ts'
import { retainTables } from './data-folder.ts'
import { nodeDisk } from './disk.ts'
import { journalFiles } from './journal.ts'
import { openSnapshotFile, rejectInvalid, removeDraft, snapshotPath, thenClose } from './recovery.ts'
import { Renaming } from './renaming.ts'
import { ignoreRecords, replay, validatorForEdited } from './replay.ts'

/** A named copy of `db.json`. */
export interface SavedCopy {
  readonly name: string
  readonly bytes: number
  /** Milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Names stay within the folder: no separators, and a letter or digit first. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

const copiesFolder = (folder: string): string => join(folder, 'snapshots')

/** @throws {AppError} USAGE for an invalid name */
function copyPath(folder: string, name: string): string {
  if (NAME.test(name)) return join(copiesFolder(folder), `${name}.json`)
  throw new AppError(
    'USAGE',
    `'${name}' is not a valid name of a snapshot: use letters, digits, '.', '_' and '-', a letter or digit first`,
  )
}

/** A request to save a copy. */
export interface CopyRequest {
  readonly name: string
  /** Overwrites an existing copy of that name. */
  readonly force?: boolean
}

/** @throws {AppError} USAGE for an invalid name, SNAPSHOT_EXISTS */
export async function rejectExisting(folder: string, { name, force = false }: CopyRequest): Promise<void> {
  const path = copyPath(folder, name)
  if (!force && (await sizeOf(path)) !== undefined) {
    throw new AppError('SNAPSHOT_EXISTS', `The snapshot '${name}' already exists; --force overwrites it`)
  }
}

/**
 * Copies `db.json`, which must be complete and must not change meanwhile.
 *
 * @throws {AppError} USAGE for an invalid name, SNAPSHOT_EXISTS
 */
export async function saveCopy(folder: string, request: CopyRequest): Promise<SavedCopy> {
  await rejectExisting(folder, request)
  const path = copyPath(folder, request.name)
  await mkdir(copiesFolder(folder), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.draft`
  try {
    await copyFile(snapshotPath(folder), draft)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  return describeCopy(folder, request.name)
}

/**
 * Checks that a copy exists and can be loaded.
 *
 * @throws {AppError} USAGE for an invalid name, SNAPSHOT_NOT_FOUND with the nearest, DATA_CORRUPT
 */
export async function checkCopy(folder: string, registry: Registry, name: string): Promise<void> {
  const path = await existingPath(folder, name)
  try {
    await validateCopy(path, registry)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // A remote client sees the file's name, not the location of the data folder.
    const fault = error.message.replaceAll(path, relative(folder, path))
    const words = `The snapshot '${name}' cannot be loaded, and the data is unchanged. In the data folder, ${fault}`
    throw new AppError('DATA_CORRUPT', words, { cause: error })
  }
}

/** @throws {AppError} USAGE for an invalid name, SNAPSHOT_NOT_FOUND with the nearest */
async function existingPath(folder: string, name: string): Promise<string> {
  const path = copyPath(folder, name)
  if ((await sizeOf(path)) !== undefined) return path
  const known = (await savedCopies(folder)).map((copy) => copy.name)
  throw new AppError('SNAPSHOT_NOT_FOUND', `There is no snapshot '${name}'${meantOrKnown(name, known)}`)
}

/**
 * Removes a copy.
 *
 * @throws {AppError} USAGE for an invalid name, SNAPSHOT_NOT_FOUND with the nearest
 */
export async function removeCopy(folder: string, name: string): Promise<SavedCopy> {
  const path = await existingPath(folder, name)
  const copy = await describeCopy(folder, name)
  await rm(path)
  return copy
}

/** @throws {AppError} DATA_CORRUPT, TASK_FAILED if the file cannot be read */
async function validateCopy(path: string, registry: Registry): Promise<void> {
  await thenClose(await openSnapshotFile(path, nodeDisk), async (snapshot) => {
    const { validation } = await replay(snapshot, [], ignoreRecords, validatorForEdited(registry), new Renaming(registry))
    rejectInvalid(path, validation)
  })
}

/** Replaces the data of a locked folder by a checked copy. The former data is lost. */
export async function loadCopy(folder: string, name: string): Promise<SavedCopy> {
  const draft = join(copiesFolder(folder), 'loading')
  try {
    await copyFile(copyPath(folder, name), draft)
    await removeJournal(folder)
    await rename(draft, snapshotPath(folder))
  } catch (error) {
    // On a full disk it would take up space.
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await nodeDisk.syncFolder(folder)
  return describeCopy(folder, name)
}

/** The saved copies of a data folder, by name. */
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
      .map((name) => describeCopy(folder, name)),
  )
}

/**
 * The hashes of all files that saved copies list.
 *
 * @throws {AppError} DATA_CORRUPT for a copy that cannot be read
 */
export async function hashesInCopies(folder: string, registry: Registry): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>()
  const collect = {
    table: (name: string) => (name === FILE_TABLE ? ({ sha256 }: StoredRecord) => void hashes.add(String(sha256)) : undefined),
  }
  for (const { name } of await savedCopies(folder)) {
    await thenClose(await openSnapshotFile(copyPath(folder, name), nodeDisk), (snapshot) =>
      replay(snapshot, [], collect, validatorForEdited(undefined), new Renaming(registry)),
    )
  }
  return hashes
}

/** Removes all data of a locked folder, so that the next store opened there is new. Saved copies stay. */
async function removeData(folder: string): Promise<void> {
  await removeJournal(folder)
  await rm(snapshotPath(folder), { force: true })
  await nodeDisk.syncFolder(folder)
}

/** `reset` removes every table except those to keep; `load` restores a saved copy. */
export type FolderChange =
  | { readonly kind: 'reset'; readonly keep: ReadonlySet<string> }
  | { readonly kind: 'load'; readonly copy: string }

/**
 * Changes the data of a locked folder that no store has open.
 *
 * @throws {AppError} STORE_UNAVAILABLE if the disk fails; the folder then holds the former data or an earlier state of it
 */
export async function changeData(folder: string, registry: Registry, change: FolderChange): Promise<void> {
  try {
    if (change.kind === 'load') await loadCopy(folder, change.copy)
    else if (change.keep.size === 0) await removeData(folder)
    else await retainTables(folder, registry, change.keep)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // An error without a system code is a fault of the program.
    if (cause instanceof AppError || code === undefined) throw cause
    const words = `The data could not be replaced (${code}); free disk space or correct the cause, and try again`
    throw new AppError('STORE_UNAVAILABLE', words, { cause })
  }
}

/** Newest first, so that a crash leaves an earlier state of the data. */
async function removeJournal(folder: string): Promise<void> {
  await removeDraft(folder, nodeDisk)
  for (const path of (await journalFiles(folder, nodeDisk)).reverse()) await nodeDisk.remove(path)
}

async function describeCopy(folder: string, name: string): Promise<SavedCopy> {
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
