import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import { counterRows, countersSchema, countTriggers } from './counters.ts'
import { type ColumnDefinition, definitionsOf, type TableDefinition } from './definitions.ts'

/** Creates all tables of a layout in a schema that has none of them, in one transaction. The schema is created if it does not exist. */
export async function createSchema(database: Database, layout: Layout): Promise<void> {
  await database.transaction(async (connection) => {
    for (const statement of schemaOf(layout)) await connection.query(statement)
  })
}

/** The statements that create all tables of a layout. */
export function schemaOf(layout: Layout): Sql[] {
  const tables = definitionsOf(layout)
  return [
    sql`create schema if not exists ${identifier(layout.schema)}`,
    ...countersSchema(layout),
    ...tables.map(createTable),
    ...tables.filter(({ foreignKeys }) => foreignKeys.length > 0).map(addForeignKeys),
    ...tables.flatMap(createIndexes),
    ...layout.tables.map(({ model }) => counterRows(layout, model.key)),
    ...tables.flatMap((table) => countTriggers(layout, table)),
  ]
}

function createTable({ table, columns, constraints }: TableDefinition): Sql {
  const parts = [...columns.map(declaration), ...constraints.map(({ name, definition }) => constraint(name, definition))]
  return sql`create table ${table} (${joined(parts)})`
}

const declaration = ({ name, type, isRequired }: ColumnDefinition): Sql =>
  isRequired ? sql`${identifier(name)} ${type} not null` : sql`${identifier(name)} ${type}`

const constraint = (name: string, definition: Sql): Sql => sql`constraint ${identifier(name)} ${definition}`

const addForeignKeys = ({ table, foreignKeys }: TableDefinition): Sql =>
  sql`alter table ${table} ${joined(foreignKeys.map(({ name, definition }) => sql`add ${constraint(name, definition)}`))}`

const createIndexes = ({ table, indexes }: TableDefinition): Sql[] =>
  indexes.map(({ name, definition }) => sql`create index ${identifier(name)} on ${table} ${definition}`)
