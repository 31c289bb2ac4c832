import type { SearchedTable } from '../../search-storage.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import { searchTablesOf, TRIGGER_COUNT, triggerCount, triggerDefinitions } from './search-tables.ts'

/** Creates the triggers of a table where they are missing. If they were, or if other words are stored, all words are made again. */
export async function openTable(connection: Connection, layout: Layout, searched: SearchedTable): Promise<void> {
  const { state } = searchTablesOf(layout)
  const { table, fields, revision } = searched
  const known = sql`select number, fields = ${fields}::text[] and revision = ${revision} from ${state} where table_name = ${table}`
  let { rows } = await connection.query(known)
  if (rows.length === 0)
    await connection.query(sql`insert into ${state} (table_name) values (${table}) on conflict (table_name) do nothing`)
  // Two processes that start at once take turns.
  rows = (await connection.query(sql`${known} for update`)).rows
  const number = Number(rows[0]?.[0])
  const triggers = await connection.query(sql`select ${triggerCount(layout.of(table), number)}`)
  const areThere = Number(triggers.rows[0]?.[0]) === TRIGGER_COUNT
  if (areThere && rows[0]?.[1] === 't') return
  if (!areThere) for (const definition of triggerDefinitions(layout, layout.of(table), number)) await connection.query(definition)
  await resetWords(connection, layout, searched, number)
}

/** Discards the stored words of a table and notes all its records as changed. The row of the state must be locked. */
export async function resetWords(connection: Connection, layout: Layout, searched: SearchedTable, number: number): Promise<void> {
  const { state, changes } = searchTablesOf(layout)
  const { table, fields, revision } = searched
  await connection.query(
    sql`update ${state} set generation = default, fields = ${fields}::text[], revision = ${revision}, records = 0,
      lengths = ${fields.map(() => 0)}::bigint[] where number = ${number}`,
  )
  await connection.query(sql`delete from ${changes} where number = ${number}`)
  await connection.query(
    sql`insert into ${changes} (number, id) select ${number}::integer, id from ${layout.of(table).table} order by id`,
  )
}
