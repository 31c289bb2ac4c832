import { AppError } from '../../../errors.ts'
import { Renames } from '../../../model/renames.ts'
import { systemTimer } from '../../../util/timer.ts'
import { PERMISSION_TABLE, type StoredContent } from '../../stored-names.ts'
import type { Connection, Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { identifier, sql } from '../sql.ts'
import { readCatalog } from './catalog.ts'
import { LOCK_WAITS, limitLockWaits, untilUnlocked } from './lock-waits.ts'
import { lockSchema } from './migration.ts'
import { describePlan } from './plan/describe-plan.ts'
import { planSchema } from './plan/plan.ts'
import { dropStatements } from './plan/plan-tables.ts'
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
