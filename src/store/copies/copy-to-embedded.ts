import { rm } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { withStoredTables } from '../embedded/files/data-folder.ts'
import { nodeDisk } from '../embedded/files/disk.ts'
import { makeFolder, whileLocked } from '../embedded/files/lock.ts'
import { holdsData, snapshotPath, writeSnapshot } from '../embedded/files/recovery.ts'
import type { SnapshotPart } from '../embedded/files/snapshot-lines.ts'
import type { Connection, Database } from '../postgres/connection/database.ts'
import type { Layout } from '../postgres/layout/layout.ts'
import { rejectSteps } from '../postgres/schema/migration.ts'
import { planSchema } from '../postgres/schema/plan.ts'
import { asDatabase, type CopiedBlobs, copyFiles } from './copied-files.ts'
import { type CopiedModel, nextIdOf, readRecords, TableChecksum } from './copied-table.ts'
import type { CopyReport } from './copy-to-postgres.ts'

/** A copy from a database into a data folder. */
export interface CopyToEmbedded {
  readonly folder: string
  readonly database: Database
  readonly layout: Layout
  readonly blobs: CopiedBlobs
  /** Keys of models whose records are not copied. */
  readonly without: ReadonlySet<string>
}

/**
 * Copies all records of a database into a data folder without data, with their ids and next ids, and the bytes of their files, as of one moment.
 * Counts and checksums are compared with the written file, which is removed if they differ. Memory does not depend on the number of records.
 *
 * @throws {AppError} TASK_FAILED if the folder holds data, MIGRATION_NEEDED if the database differs from the models, DATA_CORRUPT if files
 * have not their bytes; then the folder has no records, but may have bytes, which a further copy uses
 */
export async function copyToEmbedded({ folder, database, layout, blobs, without }: CopyToEmbedded): Promise<CopyReport> {
  await makeFolder(folder)
  const { models, files } = await whileLocked(folder, async () => {
    if (await holdsData(folder)) {
      throw new AppError('TASK_FAILED', `${folder} holds data already; name an empty data folder with --data`)
    }
    return database.transaction(
      async (connection) => {
        rejectSteps(await planSchema(connection, layout))
        // Before the records, so that none names bytes that are not there.
        const files = await copyFiles(connection, layout, {
          source: blobs.inDatabase(asDatabase(connection)),
          target: blobs.folder,
        })
        const models: CopiedModel[] = []
        await writeSnapshot(folder, nodeDisk, { sequence: 1, parts: partsOf(connection, layout, without, models) })
        return { models, files }
      },
      { isolation: 'repeatable read', readOnly: true },
    )
  })
  await compare(folder, layout, models)
  return { models, files, leftBehind: [] }
}

async function* partsOf(
  connection: Connection,
  { tables }: Layout,
  without: ReadonlySet<string>,
  copied: CopiedModel[],
): AsyncGenerator<SnapshotPart> {
  for (const table of tables.filter(({ model }) => !without.has(model.key))) {
    const checksum = new TableChecksum(table.model)
    const nextId = await nextIdOf(connection, table)
    yield { kind: 'table', name: table.model.key, nextId }
    for await (const records of readRecords(connection, table)) {
      for (const record of records) checksum.add(record)
      yield { kind: 'records', records }
    }
    copied.push(checksum.result(nextId))
  }
}

/** @throws {AppError} TASK_FAILED if the file has other records than were read; it is removed */
async function compare(folder: string, { registry }: Layout, models: readonly CopiedModel[]): Promise<void> {
  const found: CopiedModel[] = []
  await withStoredTables(folder, registry, async (parts) => {
    let open: { readonly checksum: TableChecksum; readonly nextId: number } | undefined
    const end = () => {
      if (open !== undefined) found.push(open.checksum.result(open.nextId))
    }
    for await (const part of parts) {
      if (part.kind === 'table') {
        end()
        open = { checksum: new TableChecksum(registry.expect(part.name)), nextId: part.nextId }
      } else for (const record of part.records) open?.checksum.add(record)
    }
    end()
  })
  const differing = models.find((model, index) => JSON.stringify(model) !== JSON.stringify(found[index]))
  if (differing === undefined && models.length === found.length) return
  await rm(snapshotPath(folder), { force: true })
  throw new AppError('TASK_FAILED', `The copy of '${differing?.model}' differs from the database; db.json was removed`)
}
