import { AppError } from '../../errors.ts'
import { systemTimer, type Timer } from '../../util/clock.ts'
import type { Connection, Database, ResultRow } from './connection/database.ts'
import { SYSTEM_PREFIX } from './layout/column.ts'
import { countRows } from './layout/counters.ts'
import { definitionsOf, type TableDefinition } from './layout/definitions.ts'
import type { Layout } from './layout/layout.ts'
import { databaseState } from './maintenance.ts'
import { LOCK_WAITS, type LockWaits, limitLockWaits, lockSchema, rejectSteps, untilUnlocked } from './schema/migration.ts'
import { planSchema } from './schema/plan.ts'
import { readJson, resetWords, searchTablesOf } from './search/search-tables.ts'
import { insertGap } from './shared/stored-change-log.ts'
import { identifier, joined, type Sql, sql } from './sql.ts'
import { type IdentityColumn, identityColumns, movePast, positionOf } from './transactions/sequences.ts'

/**
 * What the tables of the server say about the rows of the models where it is wrong: after rows were written without triggers, as by
 * `pg_restore --disable-triggers` and logical replication, or with ids that no sequence gave.
 */
export interface Bookkeeping {
  /** Tables with disabled triggers. `needsSuperuser` if those of constraints are among them. */
  readonly disabled: readonly { readonly table: string; readonly needsSuperuser: boolean }[]
  /** Models whose totals are not their numbers of rows. */
  readonly counts: readonly { readonly model: string; readonly total: number; readonly rows: number }[]
  /** Tables whose sequences give ids that rows have. */
  readonly ids: readonly { readonly table: string; readonly next: number; readonly highest: number }[]
  /** Searched models, and the number of records whose words are not stored and not waiting to be. */
  readonly words: readonly { readonly model: string; readonly records: number }[]
}

/** Compares the tables of the server with the rows of the models, as of one moment. Reads whole tables. */
export function examineBookkeeping(database: Database, layout: Layout): Promise<Bookkeeping> {
  return database.transaction(
    async (connection) => {
      const disabled = await disabledTriggers(connection, layout)
      const counts: Bookkeeping['counts'][number][] = []
      for (const { table, model } of layout.tables) {
        const { rows } = await connection.query(
          sql`select (select coalesce(sum("records"), 0) from ${layout.system('counters')} where "table_name" = ${model.key}),
            (select count(*) from ${table})`,
        )
        const [total = 0, found = 0] = (rows[0] ?? []).map(Number)
        if (total !== found) counts.push({ model: model.key, total, rows: found })
      }
      const ids: Bookkeeping['ids'][number][] = []
      for (const column of await identityColumns(connection, layout, await tablesOf(connection, layout))) {
        const { next, highest } = await reachOf(connection, layout, column)
        if (next <= highest) ids.push({ table: column.table, next, highest })
      }
      return { disabled, counts, ids, words: await missingWords(connection, layout) }
    },
    { isolation: 'repeatable read', readOnly: true },
  )
}

/** Of other programs, triggers are left alone. */
async function disabledTriggers(connection: Connection, layout: Layout): Promise<Bookkeeping['disabled']> {
  const { rows } = await connection.query(
    sql`select "c"."relname", bool_or("t"."tgisinternal")
      from pg_trigger "t" join pg_class "c" on "c"."oid" = "t"."tgrelid" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
      where "n"."nspname" = ${layout.schema} and "c"."relname" = any(${namesOf(layout)}::text[]) and "t"."tgenabled" in ('D', 'R')
        and ("t"."tgisinternal" or starts_with("t"."tgname"::text, ${SYSTEM_PREFIX}))
      group by 1 order by 1`,
  )
  return rows.map(([table, needsSuperuser]) => ({ table: table ?? '', needsSuperuser: needsSuperuser === 't' }))
}

const modelTables = (layout: Layout): readonly TableDefinition[] => definitionsOf(layout, undefined)

const namesOf = (layout: Layout): string[] => modelTables(layout).map(({ name }) => name)

/** The tables of the models, and those of the server. */
async function tablesOf(connection: Connection, layout: Layout): Promise<readonly string[]> {
  const { rows } = await connection.query(
    sql`select "c"."relname" from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
      where "n"."nspname" = ${layout.schema} and "c"."relkind" = 'r'
        and (starts_with("c"."relname"::text, ${SYSTEM_PREFIX}) or "c"."relname" = any(${namesOf(layout)}::text[]))`,
  )
  return rows.map(([name]) => name ?? '')
}

/** As `positionOf`. Discarded words keep their generation, which must not be given again. */
async function reachOf(connection: Connection, layout: Layout, column: IdentityColumn) {
  const position = await positionOf(connection, layout, column)
  if (column.column !== 'generation') return position
  const { documents, words } = searchTablesOf(layout)
  const { rows } = await connection.query(
    sql`select greatest((select max(generation) from ${documents}), (select max(generation) from ${words}))`,
  )
  return { ...position, highest: Math.max(position.highest, Number(rows[0]?.[0] ?? 0)) }
}

/** The stored words of tables that models have, with their state locked if they are to be changed. */
async function searchedTables(connection: Connection, layout: Layout, lock: Sql) {
  const { state } = searchTablesOf(layout)
  const { rows } = await connection.query(
    sql`select table_name, number, generation, array_to_json(fields), revision from ${state}
      where table_name = any(${layout.tables.map(({ model }) => model.key)}::text[]) order by table_name ${lock}`,
  )
  return rows.map(([table, number, generation, fields, revision]: ResultRow) => ({
    number: Number(number),
    generation: Number(generation),
    searched: { table: table ?? '', fields: readJson<string[]>(fields) ?? [], maxText: 0, revision: Number(revision) },
  }))
}

/** A record without a document, and a document without its record, that no note announces. Texts are not compared. */
async function missingWords(connection: Connection, layout: Layout): Promise<Bookkeeping['words']> {
  const { changes, documents } = searchTablesOf(layout)
  const words: Bookkeeping['words'][number][] = []
  for (const { number, generation, searched } of await searchedTables(connection, layout, sql``)) {
    const unnoted = (id: Sql) => sql`not exists (select from ${changes} c where c.number = ${number} and c.id = ${id})`
    const { table } = layout.of(searched.table)
    const { rows } = await connection.query(
      sql`select (select count(*) from ${table} r where ${unnoted(sql`r.id`)}
            and not exists (select from ${documents} d where d.generation = ${generation} and d.id = r.id))
          + (select count(*) from ${documents} d where d.generation = ${generation} and ${unnoted(sql`d.id`)}
            and ${unnoted(sql`0`)} and not exists (select from ${table} r where r.id = d.id))`,
    )
    const records = Number(rows[0]?.[0] ?? 0)
    if (records > 0) words.push({ model: searched.table, records })
  }
  return words
}

/**
 * Brings the tables of the server to the rows of the models, while servers run: enables the triggers, moves the sequences, counts the rows, and
 * lets the words of all records be stored again, which running servers do in the background. Writes wait meanwhile. Triggers of constraints are
 * enabled by a superuser only.
 *
 * @throws {AppError} MIGRATION_NEEDED if there are no tables, or others than the models define, TASK_FAILED if a table stays locked; then
 *   nothing is changed
 */
export async function repairBookkeeping(
  database: Database,
  layout: Layout,
  { lockWaits = LOCK_WAITS, timer = systemTimer }: { readonly lockWaits?: LockWaits; readonly timer?: Timer } = {},
): Promise<void> {
  await untilUnlocked(database, layout, lockWaits, timer, () =>
    database.transaction(async (connection) => {
      await lockSchema(connection, layout)
      await limitLockWaits(connection, lockWaits)
      if (!(await databaseState(connection, layout)).isPrepared) throw noTables(layout)
      rejectSteps(await planSchema(connection, layout))
      const tables = modelTables(layout)
      await connection.query(sql`lock table ${joined(tables.map(({ table }) => table))} in share row exclusive mode`)
      const searched = await searchedTables(connection, layout, sql`for update`)
      await enableTriggers(connection, layout)
      for (const column of await identityColumns(connection, layout, await tablesOf(connection, layout))) {
        await movePast(connection, column, (await reachOf(connection, layout, column)).highest)
      }
      for (const definition of tables.filter(({ holds }) => holds === 'records')) {
        for (const statement of countRows(layout, definition)) await connection.query(statement)
      }
      for (const each of searched) await resetWords(connection, layout, each.searched, each.number)
      // Restored entries have the transaction ids of another server.
      await connection.query(sql`delete from ${layout.system('changes')}`)
      await connection.query(insertGap(layout))
    }),
  )
}

const noTables = ({ schema }: Layout): AppError =>
  new AppError(
    'MIGRATION_NEEDED',
    `The schema '${schema}' has no tables yet; create them with \`admin migrate --apply\`, or restore them by pg_restore`,
  )

async function enableTriggers(connection: Connection, layout: Layout): Promise<void> {
  const disabled = await disabledTriggers(connection, layout)
  if (disabled.length === 0) return
  const { rows } = await connection.query(
    sql`select "c"."relname", "t"."tgname" from pg_trigger "t" join pg_class "c" on "c"."oid" = "t"."tgrelid"
      join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
      where "n"."nspname" = ${layout.schema} and "c"."relname" = any(${disabled.map(({ table }) => table)}::text[])
        and "t"."tgenabled" in ('D', 'R') and (starts_with("t"."tgname"::text, ${SYSTEM_PREFIX})
          or "t"."tgisinternal" and (select "rolsuper" from pg_roles where "rolname" = current_user))`,
  )
  for (const [table, trigger] of rows) {
    const place = identifier(layout.schema, table ?? '')
    await connection.query(sql`alter table ${place} enable trigger ${identifier(trigger ?? '')}`)
  }
}

/** The statement by which a superuser enables all triggers of a table. */
export const enablingStatement = (schema: string, table: string): string =>
  sql`alter table ${identifier(schema, table)} enable trigger all`.compile().text
