import { cpSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Registry } from '../../../src/model/registry.ts'
import { FileStore, type FileStoreOptions } from '../../../src/store/embedded/file-store.ts'
import type { StoredRecord } from '../../../src/store/store.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { Library, libraryRegistry } from '../../helpers/store/library.ts'
import { testsOf } from '../../helpers/tests-of.ts'

export interface Place {
  readonly folder: string
  /** Path of `db.json`, whether or not it exists. */
  readonly file: string
  readonly registry: Registry
  readonly store: FileStore
  readonly shelves: Library
  /** Closes the store if it is open, and opens it again, optionally with other models. */
  reopen(registry?: Registry): Promise<{ store: FileStore; shelves: Library }>
}

/** Calls `use` with a new file store in a temporary folder. */
export async function inFolder(body: (place: Place) => Promise<void>, options: FileStoreOptions = {}): Promise<void> {
  const temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  const registry = libraryRegistry()
  let open = await FileStore.open(folder, registry, 'write', options)
  const place: Place = {
    folder,
    file: join(folder, 'db.json'),
    registry,
    store: open,
    shelves: new Library(open),
    async reopen(other = registry) {
      await open.close()
      open = await FileStore.open(folder, other, 'write', options)
      return { store: open, shelves: new Library(open) }
    },
  }
  try {
    await body(place)
  } finally {
    await open.close()
    await temporary.remove()
  }
}

/** Declares such a test. */
export const folderTest = testsOf(inFolder)

/** The records on disk at this moment, as another process reads them. */
export async function onDisk(folder: string): Promise<Record<string, readonly StoredRecord[]>> {
  const reader = await FileStore.open(folder, libraryRegistry(), 'read')
  const everything = await new Library(reader).everything()
  await reader.close()
  return everything
}

/** The genres that are on disk at this moment. */
export async function genresOnDisk(folder: string): Promise<unknown[]> {
  return ((await onDisk(folder)).genre ?? []).map(({ name }) => name)
}

/** Names of the journal files in alphabetical order. */
export const journalsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('journal.'))
    .sort()

/** Copies a folder synchronously, as a crash at this moment would leave it, without the lock. */
export function copyAsCrashed(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (source) => !basename(source).startsWith('lock') })
}

/** Opens a folder for writing, calls `use` with the store and closes it. */
export async function whenOpened<T>(folder: string, body: (shelves: Library, warnings: string[]) => Promise<T>): Promise<T> {
  const warnings: string[] = []
  const store = await FileStore.open(folder, libraryRegistry(), 'write', { warn: (message) => warnings.push(message) })
  try {
    return await body(new Library(store), warnings)
  } finally {
    await store.close()
  }
}
