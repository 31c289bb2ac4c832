import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'

/** The versions of tables, by their names. A version changes with every transaction that changes the table, or one of its link tables. */
export async function readVersions(
  connection: Connection,
  layout: Layout,
  tables: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await connection.query(
    sql`select "name", coalesce((select sum("writes") from ${layout.system('counters')} where "table_name" = "name"), 0)
      from unnest(${tables}::text[]) "name"`,
  )
  return new Map(rows.map(([name, version]) => [name ?? '', version ?? '']))
}
