import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { sql } from '../sql.ts'

/** The oldest version of PostgreSQL that is supported. */
export const OLDEST_VERSION = 14

/** What a start needs to know of a server and a schema. */
export interface DatabaseState {
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

/** True if anything was ever written into one of the given tables, by any program. */
export async function wasWritten(connection: Connection, layout: Layout, tables: readonly string[]): Promise<boolean> {
  const counters = layout.system('counters')
  const { rows } = await connection.query(
    sql`select exists (select from ${counters} where "writes" > 0 and "table_name" = any(${tables}::text[]))`,
  )
  return rows[0]?.[0] === 't'
}
