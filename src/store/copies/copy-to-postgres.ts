import { AppError } from '../../errors.ts'
import { groupBy } from '../../util/json.ts'
import { withStoredTables } from '../embedded/files/data-folder.ts'
import { type Connection, type Database, StatementError } from '../postgres/connection/database.ts'
import { countRows } from '../postgres/layout/counters.ts'
import { definitionsOf } from '../postgres/layout/definitions.ts'
import type { Layout, TableLayout } from '../postgres/layout/layout.ts'
import { readCatalog } from '../postgres/schema/catalog.ts'
import { executeSteps, lockSchema, record } from '../postgres/schema/migration.ts'
import { planSchema } from '../postgres/schema/plan.ts'
import type { Phase } from '../postgres/schema/plan-draft.ts'
import { asDatabase, type CopiedBlobs, type CopiedFiles, copyFiles } from './copied-files.ts'
import { type CopiedModel, checksumOf, insertRecords, setNextId, TableChecksum } from './copied-table.ts'

/** Result of a copy. */
export interface CopyReport {
  readonly models: readonly CopiedModel[]
  readonly files: CopiedFiles
  /** Stored tables without a model, which were not copied. */
  readonly leftBehind: readonly { readonly table: string; readonly records: number }[]
}

/** A copy from a data folder into a database. */
export interface CopyToPostgres {
  readonly folder: string
  readonly database: Database
  readonly layout: Layout
  readonly blobs: CopiedBlobs
  /** Keys of models whose records are not copied. */
  readonly without: ReadonlySet<string>
}

/** Records inserted by one statement. */
const BATCH = 1000

/** What a table has before its rows come; foreign keys, indexes and triggers are faster to make afterwards. */
const BEFORE_ROWS: ReadonlySet<Phase> = new Set(['system', 'create', 'column', 'constraint'])

/**
 * Copies all records of a data folder that no process uses into an empty database, with their ids and next ids, and the bytes of their files,
 * in one transaction. Counts and checksums are compared before it is committed. Memory does not depend on the number of records.
 *
 * @throws {AppError} TASK_FAILED if the schema has tables, or records do not fit their models, DATA_CORRUPT if files have not their bytes; then
 * the database is unchanged, and a shared folder may have got bytes that no record names
 */
export function copyToPostgres({ folder, database, layout, blobs, without }: CopyToPostgres): Promise<CopyReport> {
  return withStoredTables(folder, layout.registry, (parts) =>
    database.transaction(async (connection) => {
      await lockSchema(connection, layout)
      await rejectTables(connection, layout)
      const plan = await planSchema(connection, layout)
      const steps = groupBy(plan.steps, ({ phase }) => BEFORE_ROWS.has(phase))
      await executeSteps(connection, steps.get(true) ?? [])
      const rows = await copyRows(connection, layout, parts, without)
      await executeSteps(connection, steps.get(false) ?? [])
      for (const table of definitionsOf(layout, undefined)) {
        if (table.holds === 'records') for (const statement of countRows(layout, table)) await connection.query(statement)
      }
      await record(connection, layout, plan.recorded, plan.state)
      await compare(connection, layout, rows)
      const files = await copyFiles(connection, layout, {
        source: blobs.folder,
        target: blobs.inDatabase(asDatabase(connection)),
      })
      return { ...rows, files }
    }),
  )
}

async function rejectTables(connection: Connection, { schema }: Layout): Promise<void> {
  const { tables } = await readCatalog(connection, schema)
  if (tables.size === 0) return
  const some = `${[...tables.keys()].slice(0, 3).join(', ')}${tables.size > 3 ? ' …' : ''}`
  const remedy = 'drop the schema, or name another one with the setting `store: { schema }`'
  throw new AppError('TASK_FAILED', `The schema '${schema}' is not empty: it has tables (${some}); ${remedy}`)
}

async function copyRows(
  connection: Connection,
  layout: Layout,
  parts: Parameters<Parameters<typeof withStoredTables>[2]>[0],
  without: ReadonlySet<string>,
): Promise<Omit<CopyReport, 'files'>> {
  const models = new Map<string, CopiedModel>()
  const leftBehind: { table: string; records: number }[] = []
  let stray: (typeof leftBehind)[number] | undefined
  let open: { readonly layout: TableLayout; readonly checksum: TableChecksum; readonly nextId: number } | undefined
  const end = async () => {
    if (open === undefined) return
    await connection.query(setNextId(open.layout, open.nextId))
    models.set(open.layout.model.key, open.checksum.result(open.nextId))
  }
  for await (const part of parts) {
    if (part.kind === 'table') {
      await end()
      const model = layout.registry.get(part.name)
      const isCopied = model !== undefined && !without.has(part.name)
      open = isCopied ? { layout: layout.of(part.name), checksum: new TableChecksum(model), nextId: part.nextId } : undefined
      stray = model === undefined ? { table: part.name, records: 0 } : undefined
      if (stray !== undefined) leftBehind.push(stray)
    } else if (open !== undefined) {
      for (const record of part.records) open.checksum.add(record)
      for (let from = 0; from < part.records.length; from += BATCH) {
        await insertBatch(connection, open.layout, part.records.slice(from, from + BATCH))
      }
    } else if (stray !== undefined) stray.records += part.records.length
  }
  await end()
  for (const { model } of layout.tables) {
    if (!models.has(model.key) && !without.has(model.key)) models.set(model.key, new TableChecksum(model).result(1))
  }
  return { models: [...models.values()], leftBehind: leftBehind.filter(({ records }) => records > 0) }
}

async function insertBatch(connection: Connection, layout: TableLayout, records: TableRecords): Promise<void> {
  await insertRecords(connection, layout, records).catch((error: unknown) => {
    if (!(error instanceof StatementError)) throw error
    const ids = `${records[0]?.id} to ${records.at(-1)?.id}`
    const remedy = '`admin lint --data` names records that break their model'
    throw new AppError(
      'TASK_FAILED',
      `The records ${ids} of '${layout.model.key}' cannot be copied: ${error.message}; ${remedy}`,
      { cause: error },
    )
  })
}

type TableRecords = Parameters<typeof insertRecords>[2]

/** @throws {AppError} TASK_FAILED if the database has other records than were read */
async function compare(connection: Connection, layout: Layout, { models }: Pick<CopyReport, 'models'>): Promise<void> {
  for (const expected of models) {
    const found = await checksumOf(connection, layout.of(expected.model))
    if (found.records === expected.records && found.checksum === expected.checksum && found.nextId === expected.nextId) continue
    const what = `${found.records} of ${expected.records} records, checksum ${found.checksum} in place of ${expected.checksum}`
    throw new AppError('TASK_FAILED', `The copy of '${expected.model}' differs: ${what}; nothing was copied`)
  }
}
