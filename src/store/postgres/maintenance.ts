import type { Change } from '../store.ts'
import type { Connection, Database } from './connection/database.ts'
import { SYSTEM_PREFIX } from './layout/column.ts'
import type { Layout, TableLayout } from './layout/layout.ts'
import { insertGap } from './shared/stored-change-log.ts'
import { identifier, joined, type Sql, sql } from './sql.ts'

/** The oldest version of PostgreSQL that is supported. */
export const OLDEST_VERSION = 14

/** What a start needs to know of a server and a schema. */
interface DatabaseState {
  /** Major version of PostgreSQL. */
  readonly version: number
  /** True if a start has created the tables. */
  readonly isPrepared: boolean
}

/** Reads the version of the server, and whether the schema has tables. */
export async function databaseState(connection: Connection, { schema }: Layout): Promise<DatabaseState> {
  const { rows } = await connection.query(
    sql`select current_setting('server_version_num'), exists (
      select from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
        where "n"."nspname" = ${schema} and "c"."relname" = ${`${SYSTEM_PREFIX}definitions`})`,
  )
  const [version, isPrepared] = rows[0] ?? []
  return { version: Math.floor(Number(version) / 10_000), isPrepared: isPrepared === 't' }
}

/** True if anything was ever written into one of the given tables, by any program. Rows may have been written without the triggers that count. */
export async function wasWritten(connection: Connection, layout: Layout, tables: readonly string[]): Promise<boolean> {
  const counters = layout.system('counters')
  const haveRows = tables.map((name) => sql`exists (select from ${layout.of(name).table})`)
  const counted = sql`exists (select from ${counters} where "writes" > 0 and "table_name" = any(${tables}::text[]))`
  const { rows } = await connection.query(sql`select ${joined([counted, ...haveRows], ' or ')}`)
  return rows[0]?.[0] === 't'
}

/**
 * Runs work while no other process does the same in this schema; others wait. The lock belongs to a transaction, so that a pooler may
 * stand between, and ends with it.
 *
 * @param database has a connection to spare for the lock; the statements of the work must use another database
 */
export function whileAlone<T>(database: Database, schema: string, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (connection) => {
    // The work may take long, and meanwhile this transaction executes nothing.
    await connection.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await connection.query(sql`set local statement_timeout = 0`)
    await connection.query(sql`select pg_advisory_xact_lock(hashtextextended(${`admin-folder start ${schema}`}, 0))`)
    return work()
  })
}

/**
 * Removes the records of all tables except some, in one transaction, and restarts their ids at 1. Records that stay must not refer to
 * removed ones. Tables that no model has are left as they are.
 *
 * @param keep keys of the models whose records stay
 */
export async function emptyTables(database: Database, layout: Layout, keep: ReadonlySet<string>): Promise<void> {
  const emptied = layout.tables.filter(({ model }) => !keep.has(model.key))
  if (emptied.length === 0) return
  const kept = layout.tables.filter(({ model }) => keep.has(model.key))
  // PostgreSQL truncates no table that a table outside the statement may refer to, even if no row does.
  const isReferred = kept.some(({ model }) => [...model.relations.values()].some(({ relation }) => !keep.has(relation.target)))
  await database.transaction(async (connection) => {
    for (const statement of isReferred ? deletion(emptied) : [truncation(emptied)]) await connection.query(statement)
    await connection.query(insertGap(layout))
  })
}

const tablesOf = (tables: readonly TableLayout[]): Sql[] =>
  tables.flatMap(({ table, links }) => [table, ...links.map((link) => link.table)])

const truncation = (tables: readonly TableLayout[]): Sql => sql`truncate ${joined(tablesOf(tables))} restart identity`

/** Foreign keys are checked at the end of the transaction, so the order of the tables does not matter. */
const deletion = (tables: readonly TableLayout[]): Sql[] => [
  ...tablesOf(tables).map((table) => sql`delete from ${table}`),
  ...tables.map(({ table }) => sql`alter table ${table} alter column ${identifier('id')} restart`),
]

/** Number of new records of a table after which its statistics are looked at, and the number of rows that they must have at least. */
const MANY = 1000

/**
 * Analyzes tables that grow. A connection plans the check of a foreign key once, by the statistics of the referenced table at that moment.
 * If that was empty when it was last vacuumed, the plan reads the whole table for each check until its statistics change: autovacuum would
 * look at them a minute later.
 */
export class GrowingTables {
  readonly #database: Database
  readonly #layout: Layout
  /** Number of records of each table that were created since its statistics were looked at. */
  readonly #created = new Map<string, number>()

  constructor(database: Database, layout: Layout) {
    this.#database = database
    this.#layout = layout
  }

  /**
   * Counts the new records among committed changes.
   *
   * @returns tables with so many new ones that `analyze` should be called
   */
  note(changes: readonly Change[]): ReadonlySet<string> {
    const due = new Set<string>()
    for (const { table, before } of changes) {
      if (before !== undefined) continue
      const created = (this.#created.get(table) ?? 0) + 1
      this.#created.set(table, created % MANY)
      if (created === MANY) due.add(table)
    }
    return due
  }

  /** Analyzes a table if its statistics know too few rows; a table that was never vacuumed needs none. */
  async analyze(key: string): Promise<void> {
    const { schema } = this.#layout
    const { name, table } = this.#layout.of(key)
    const { rows } = await this.#database.query(
      sql`select from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
        where "n"."nspname" = ${schema} and "c"."relname" = ${name} and "c"."reltuples" between 0 and ${MANY - 1}`,
    )
    if (rows.length > 0) await this.#database.query(sql`analyze ${table}`)
  }
}
