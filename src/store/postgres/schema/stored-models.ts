import { AppError } from '../../../errors.ts'
import type { Model } from '../../../model/model.ts'
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
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { identifier, literal, sql } from '../sql.ts'
import { type CatalogTable, readCatalog } from './catalog.ts'
import { describePlan } from './describe-plan.ts'
import { LOCK_WAITS, limitLockWaits, untilUnlocked } from './lock-waits.ts'
import { lockSchema } from './migration.ts'
import { planSchema } from './plan.ts'
import { dropStatements } from './plan-tables.ts'
import { readRecorded, recordStatements } from './recorded.ts'

/** Counts the records of every table that was applied and is not dropped, and reads the permissions. */
export async function storedContentIn(connection: Connection, layout: Layout): Promise<StoredContent> {
  const { tables } = await readCatalog(connection, layout.schema)
  const names = new Renames(layout.registry)
  const counts = new Map<string, number>()
  if (!tables.has(`${SYSTEM_PREFIX}definitions`)) return { tables: counts, permissions: [] }
  for (const [name, { model, columns }] of await readRecorded(connection, layout)) {
    // A link table belongs to a field of its owner.
    if (!tables.has(name) || !('id' in columns)) continue
    const { rows } = await connection.query(sql`select count(*) from ${identifier(layout.schema, name)}`)
    counts.set(names.table(model), Number(rows[0]?.[0] ?? 0))
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
      if (steps.length > 0) {
        const remedy = 'apply the steps first, with `admin migrate --apply`'
        throw new AppError(
          'MIGRATION_NEEDED',
          `The database differs from the models; ${remedy}:\n${describePlan({ steps, unused })}`,
        )
      }
      const dropped = [...recorded].filter(([, { model, isUnused }]) => isUnused === true && models.has(model))
      for (const statement of dropped.flatMap(([name, { model }]) => dropStatements(layout, name, model))) {
        await connection.query(statement)
      }
      const names = new Set(dropped.map(([name]) => name))
      const left = new Map([...recorded].filter(([name]) => !names.has(name)))
      for (const statement of recordStatements(layout, left, state)) await connection.query(statement)
    })
  return untilUnlocked(database, layout, LOCK_WAITS, systemTimer, drop)
}

/** The names of tables and columns that were applied and are not dropped, after the renames that the models declare. Reads only. */
export async function storedNamesIn(connection: Connection, layout: Layout): Promise<StoredNames> {
  const { tables } = await readCatalog(connection, layout.schema)
  const names = new Renames(layout.registry)
  const found = new Map<string, StoredTable>()
  if (!tables.has(`${SYSTEM_PREFIX}definitions`)) return found
  for (const [name, { model, columns }] of await readRecorded(connection, layout)) {
    const table = tables.get(name)
    // A link table belongs to a field of its owner.
    if (table === undefined || !('id' in columns)) continue
    const key = names.table(model)
    const own = Object.keys(columns).filter((column) => table.columns.has(column) && !isFlag(column))
    found.set(key, await storedTable(connection, layout, table, { own, key, names, model: layout.registry.get(key) }))
  }
  return found
}

const isFlag = (column: string): boolean => column.startsWith('_')

async function storedTable(
  connection: Connection,
  { schema }: Layout,
  { actual }: CatalogTable,
  { own, key, names, model }: { own: readonly string[]; key: string; names: Renames; model: Model | undefined },
): Promise<StoredTable> {
  const table = identifier(schema, actual)
  const { rows } = await connection.query(sql`select count(*) from ${table}`)
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
