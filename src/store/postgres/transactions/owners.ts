import type { Json } from '../../../util/json.ts'
import type { FieldColumn } from '../layout/column.ts'
import { isLong } from '../layout/indexes.ts'
import type { TableLayout } from '../layout/layout.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import { listParameter } from './statements.ts'

/**
 * Finds the owners of values of a unique field or set.
 *
 * @param values values of the field; of a set, the texts of `keyOf`
 * @returns a query of rows `number`, position of the value from 1, id of the owner
 */
export function ownersQuery(table: TableLayout, name: string, values: readonly Json[], number: number): Sql {
  const columns = uniqueColumns(table, name)
  const keys = values.map((value) => keyValues(columns, value))
  const lists = columns.map((column, index) =>
    listParameter(
      column,
      keys.map((key) => key[index] ?? null),
    ),
  )
  const names = columns.map((_, index) => identifier(`v${index}`))
  const conditions = columns.flatMap((column, index) =>
    sameKey(column, sql`"u".${names[index] ?? column.sql}`, columns.length > 1),
  )
  return sql`select ${number}::integer, "u"."position", "r"."id"
    from unnest(${joined(lists)}) with ordinality as "u" (${joined([...names, sql`"position"`])})
    ${rowsByIndex(table, conditions)}`
}

/**
 * Joins the rows `"r"` that satisfy conditions on the values before, with their `"id"`, by looking each value up. For a plain join the server
 * may read the whole table: for a table that grows within a transaction it has no statistics, or the statistics of an empty table.
 */
export const rowsByIndex = (table: TableLayout, conditions: readonly Sql[]): Sql =>
  sql`cross join lateral (select "r"."id" from ${table.table} "r" where ${joined(conditions, ' and ')} offset 0) "r"`

/** The conditions under which a column of the table `"r"` equals a value; a long text in a set is found by its hash. */
export function sameKey(column: FieldColumn, value: Sql, isInSet: boolean): Sql[] {
  const same = sql`"r".${column.sql} = ${value}`
  return isInSet && isLong(column.field) ? [sql`md5("r".${column.sql}) = md5(${value})`, same] : [same]
}

/** The columns of a unique field or set, by its name. */
export function uniqueColumns(table: TableLayout, name: string): readonly FieldColumn[] {
  const fields = table.model.uniqueSets.find((set) => set.name === name)?.fields ?? [name]
  return fields.map((field) => table.expectColumn(field))
}

/** The values of the columns, of a value of a unique field, or of the text by which a unique set compares records (`keyOf`). */
export const keyValues = (columns: readonly FieldColumn[], key: Json): readonly Json[] =>
  columns.length > 1 && typeof key === 'string' ? (JSON.parse(key) as readonly Json[]) : [key]

/** True if a record may have this value in a unique field or set; an invalid one cannot be stored. */
export function isPossible(table: TableLayout, name: string, key: Json): boolean {
  const columns = uniqueColumns(table, name)
  const values = keyValues(columns, key)
  return columns.every((column, index) => column.isOfType(values[index] ?? null))
}
