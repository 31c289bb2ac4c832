import { join } from 'node:path'
import type { Registry } from '../../src/model/registry.ts'
import { FileStore } from '../../src/store/file.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { Library, libraryRegistry } from '../helpers/store-contract/library.ts'

export interface Place {
  readonly folder: string
  /** `db.json`, there or not. */
  readonly file: string
  readonly registry: Registry
  readonly store: FileStore
  readonly library: Library
  /** Closes the store, if it is open, and opens it again, perhaps with other models. */
  reopen(registry?: Registry): Promise<{ store: FileStore; library: Library }>
}

/** Lends a new file store in a folder of its own. */
export async function inFolder(body: (place: Place) => Promise<void>): Promise<void> {
  const temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  const registry = libraryRegistry()
  let open = await FileStore.open(folder, registry, 'write')
  const place: Place = {
    folder,
    file: join(folder, 'db.json'),
    registry,
    store: open,
    library: new Library(open),
    async reopen(other = registry) {
      await open.close()
      open = await FileStore.open(folder, other, 'write')
      return { store: open, library: new Library(open) }
    },
  }
  try {
    await body(place)
  } finally {
    await open.close()
    await temporary.remove()
  }
}
