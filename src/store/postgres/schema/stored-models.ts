import { Renames } from '../../../model/renames.ts'
import { systemTimer } from '../../../util/clock.ts'
import type { Json } from '../../../util/json.ts'
import {
  MAX_SAMPLE,
  PERMISSION_TABLE,
  type StoredContent,
  type StoredField,
  type StoredNames,
  type StoredTable,
} from '../../stored-models.ts'
import type { Connection, Database } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, literal, sql } from '../sql.ts'
import { type CatalogTable, readCatalog, readRecorded } from './catalog.ts'
import { LOCK_WAITS, limitLockWaits, lockSchema, record, rejectSteps, untilUnlocked } from './migration.ts'
import { planSchema } from './plan.ts'
import { dropStatements } from './plan-tables.ts'

/** Counts the records of every table that was applied and is not dropped, and reads the permissions. */
export async function storedContentIn(connection: Connection, layout: Layout): Promise<StoredContent> {
  const counts = new Map<string, number>()
  for (const { key, name } of await appliedTables(connection, layout)) {
    const { rows } = await connection.query(sql`select count(*) from ${identifier(layout.schema, name)}`)
    counts.set(key, Number(rows[0]?.[0] ?? 0))
  }
  if (!counts.has(PERMISSION_TABLE)) return { tables: counts, permissions: [] }
  const { rows } = await connection.query(
    sql`select "id", "codename", "name" from ${layout.of(PERMISSION_TABLE).table} order by "id"`,
  )
  const permissions = rows.map(([id, codename, name]) => ({ id: Number(id), codename: codename ?? '', name: name ?? null }))
  return { tables: counts, permissions }
}

/**
 * Drops the tables of models that the layout does not have, with their link tables, in one transaction.
 *
 * @throws {AppError} MIGRATION_NEEDED if other steps come first, TASK_FAILED if a table stays locked; then nothing is changed
 */
export function dropTablesOf(database: Database, layout: Layout, models: ReadonlySet<string>): Promise<void> {
  const drop = () =>
    database.transaction(async (connection) => {
      await lockSchema(connection, layout)
      await limitLockWaits(connection, LOCK_WAITS)
      const { steps, unused, recorded, state } = await planSchema(connection, layout)
      rejectSteps({ steps, unused })
      const dropped = [...recorded].filter(([, { model, isUnused }]) => isUnused === true && models.has(model))
      for (const statement of dropped.flatMap(([name, { model }]) => dropStatements(layout, name, model))) {
        await connection.query(statement)
      }
      const names = new Set(dropped.map(([name]) => name))
      const left = new Map([...recorded].filter(([name]) => !names.has(name)))
      await record(connection, layout, left, state)
    })
  return untilUnlocked(database, layout, LOCK_WAITS, systemTimer, drop)
}

/** The names of tables and columns that were applied and are not dropped, after the renames that the models declare. Reads only. */
export async function storedNamesIn(connection: Connection, layout: Layout): Promise<StoredNames> {
  const found = new Map<string, StoredTable>()
  for (const { key, table, columns } of await appliedTables(connection, layout)) {
    const own = columns.filter((column) => table.columns.has(column) && !isFlag(column))
    found.set(key, await storedTable(connection, layout, table, { own, key }))
  }
  return found
}

/** The tables of models that were applied and are not dropped, with the present names of their models. */
async function appliedTables(connection: Connection, layout: Layout) {
  const { tables } = await readCatalog(connection, layout.schema)
  if (!tables.has(`${SYSTEM_PREFIX}definitions`)) return []
  const names = new Renames(layout.registry)
  return [...(await readRecorded(connection, layout))].flatMap(([name, { model, columns }]) => {
    const table = tables.get(name)
    // A link table belongs to a field of its owner.
    return table === undefined || !('id' in columns)
      ? []
      : [{ name, table, key: names.table(model), columns: Object.keys(columns) }]
  })
}

const isFlag = (column: string): boolean => column.startsWith('_')

async function storedTable(
  connection: Connection,
  { schema, registry }: Layout,
  { actual }: CatalogTable,
  { own, key }: { own: readonly string[]; key: string },
): Promise<StoredTable> {
  const table = identifier(schema, actual)
  const { rows } = await connection.query(sql`select count(*) from ${table}`)
  const [names, model] = [new Renames(registry), registry.get(key)]
  const fields = new Map<string, StoredField>()
  for (const column of own) {
    const field = names.fieldsOf(key).get(column) ?? column
    const isKnown = model?.fields.has(field) === true
    const name = identifier(column)
    const present = sql`from ${table} where ${name} is not null`
    const counted = await connection.query(isKnown ? sql`select 1 ${present} limit 1` : sql`select count(*) ${present}`)
    const records = Number(counted.rows[0]?.[0] ?? 0)
    if (records === 0) continue
    const sample = isKnown
      ? []
      : (await connection.query(sql`select to_json(${name}) ${present} limit ${literal(MAX_SAMPLE)}`)).rows.map(
          ([value]) => JSON.parse(value ?? 'null') as Json,
        )
    fields.set(field, { records, sample })
  }
  return { records: Number(rows[0]?.[0] ?? 0), fields }
}
