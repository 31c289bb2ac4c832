import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'

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
