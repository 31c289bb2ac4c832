import { join } from 'node:path'
import type { BlobStore } from '../../../src/store/blobs/blob-store.ts'
import { DatabaseLocks } from '../../../src/store/blobs/database-locks.ts'
import { FolderBlobs } from '../../../src/store/blobs/folder-blobs.ts'
import { PostgresBlobs } from '../../../src/store/blobs/postgres-blobs.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { applySchema } from '../../../src/store/postgres/schema/migration.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { takeSchema } from '../../helpers/postgres/reused-schemas.ts'
import type { OpenBlobs } from '../../helpers/store/blob-contract.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'

/** Stores of two processes with the bytes in a database. */
export const inDatabase =
  (databases: () => Promise<readonly [Database, Database]>): OpenBlobs =>
  (options) =>
    opened(databases, (database, layout, folder, name) => new PostgresBlobs(database, layout, join(folder, name), options))

/** Stores of two processes with the bytes in a folder, and the locks in a database. */
export const inSharedFolder =
  (databases: () => Promise<readonly [Database, Database]>): OpenBlobs =>
  (options) =>
    opened(
      databases,
      (database, layout, folder) => new FolderBlobs(join(folder, 'shared'), new DatabaseLocks(database, layout.schema), options),
    )

async function opened(
  databases: () => Promise<readonly [Database, Database]>,
  open: (database: Database, layout: Layout, folder: string, name: string) => BlobStore,
) {
  const [database, another] = await databases()
  const registry = libraryRegistry()
  const schema = await takeSchema(database, registry)
  const layout = new Layout(registry, schema.schema)
  await applySchema(database, layout)
  const folder = await temporaryFolder()
  return {
    one: open(database, layout, folder.path, 'one'),
    other: open(another, layout, folder.path, 'other'),
    [Symbol.asyncDispose]: async () => void (await Promise.all([folder.remove(), schema.drop()])),
  }
}
