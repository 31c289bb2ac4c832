import type { Json } from '../../../util/json.ts'
import { referencesOf, type StoredRecord } from '../../store.ts'
import type { FieldColumn } from '../layout/column.ts'
import { isLong } from '../layout/definitions.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, joined, keyword, type Sql, sql } from '../sql.ts'
import { listParameter } from './statements.ts'

/**
 * Finds the owners of values of a unique field or set.
 *
 * @param values values of the field; of a set, the texts of `keyOf`
 * @returns a query of rows `number`, position of the value from 1, id of the owner
 */
export function ownersQuery(table: TableLayout, name: string, values: readonly Json[], number: number): Sql {
  const { names, lists, same } = givenKeys(uniqueColumns(table, name), values)
  return sql`select ${number}::integer, "u"."position", "r"."id"
    from unnest(${joined(lists)}) with ordinality as "u" (${joined([...names, sql`"position"`])})
    ${rowsByIndex(table, same)}`
}

/** Names and lists of the columns of values that are given as rows `"u"`, and the conditions under which the table `"r"` has them. */
function givenKeys(columns: readonly FieldColumn[], values: readonly Json[]) {
  const keys = values.map((value) => keyValues(columns, value))
  const listOf = (column: FieldColumn, index: number) =>
    listParameter(
      column,
      keys.map((key) => key[index] ?? null),
    )
  const names = columns.map((_, index) => identifier(`v${index}`))
  const same = columns.flatMap((column, index) => sameKey(column, sql`"u".${names[index] ?? column.sql}`, columns.length > 1))
  return { names, lists: columns.map(listOf), same }
}

/**
 * Joins the rows `"r"` that satisfy conditions on the values before, with their `"id"`, by looking each value up. For a plain join the server
 * may read the whole table: for a table that grows within a transaction it has no statistics, or the statistics of an empty table.
 */
const rowsByIndex = (table: TableLayout, conditions: readonly Sql[]): Sql =>
  sql`cross join lateral (select "r"."id" from ${table.table} "r" where ${joined(conditions, ' and ')} offset 0) "r"`

/** The conditions under which a column of the table `"r"` equals a value; a long text in a set is found by its hash. */
function sameKey(column: FieldColumn, value: Sql, isInSet: boolean): Sql[] {
  const same = sql`"r".${column.sql} = ${value}`
  return isInSet && isLong(column.field) ? [sql`md5("r".${column.sql}) = md5(${value})`, same] : [same]
}

/** The columns of a unique field or set, by its name. */
function uniqueColumns(table: TableLayout, name: string): readonly FieldColumn[] {
  const fields = table.model.uniqueSets.find((set) => set.name === name)?.fields ?? [name]
  return fields.map((field) => table.expectColumn(field))
}

/** The values of the columns, of a value of a unique field, or of the text by which a unique set compares records (`keyOf`). */
const keyValues = (columns: readonly FieldColumn[], key: Json): readonly Json[] =>
  columns.length > 1 && typeof key === 'string' ? (JSON.parse(key) as readonly Json[]) : [key]

/** True if a record may have this value in a unique field or set; an invalid one cannot be stored. */
export function isPossible(table: TableLayout, name: string, key: Json): boolean {
  const columns = uniqueColumns(table, name)
  const values = keyValues(columns, key)
  return columns.every((column, index) => column.isOfType(values[index] ?? null))
}

/**
 * The conditions under which records may be stored: their unique values have no other owner, and the records exist to which they refer.
 * They hold at the moment of the statement; constraints of the database hold until the end. A statement whose conditions do not hold
 * changes nothing and takes no id.
 *
 * @param fields true for the fields whose values are new
 * @param isNew true for a record that the same statement stores
 * @returns undefined if values show that the records may not be stored
 */
export function preconditions(
  layout: Layout,
  table: TableLayout,
  records: readonly StoredRecord[],
  fields: (name: string) => boolean,
  isNew: (table: string, id: number) => boolean = () => false,
): Sql | undefined {
  const conditions: Sql[] = []
  for (const { name, fields: own, keyOf } of table.model.uniqueKeys) {
    if (!own.some(fields)) continue
    const keys = records.map(keyOf).filter((key) => key !== null)
    if (new Set(keys).size < keys.length || !keys.every((key) => isPossible(table, name, key))) return undefined
    if (keys.length > 0) conditions.push(isFree(table, name, keys, fields === ALL ? undefined : records[0]?.id))
  }
  for (const { name, relation } of table.model.relations.values()) {
    if (!fields(name)) continue
    const targets = [...new Set(records.flatMap((record) => referencesOf(record, name)))]
    if (!targets.every((id) => Number.isSafeInteger(id))) return undefined
    const stored = targets.filter((id) => !isNew(relation.target, id))
    if (stored.length > 0) conditions.push(exist(layout.of(relation.target), stored))
  }
  return conditions.length === 0 ? sql`true` : joined(conditions, ' and ')
}

/** Every field has a new value, as in a new record. */
export const ALL = (): boolean => true

/** @param own the id of the record that may have the value */
function isFree(table: TableLayout, name: string, keys: readonly Json[], own: number | undefined): Sql {
  const columns = uniqueColumns(table, name)
  const other = own === undefined ? [] : [sql`"r"."id" <> ${own}::bigint`]
  const [first, ...more] = keys
  if (first !== undefined && more.length === 0) {
    const only = keyValues(columns, first)
    const same = columns.flatMap((column, index) =>
      sameKey(column, sql`${column.toParameter(only[index] ?? null)}::${keyword(column.type)}`, columns.length > 1),
    )
    return sql`not exists (select from ${table.table} "r" where ${joined([...same, ...other], ' and ')})`
  }
  const { names, lists, same } = givenKeys(columns, keys)
  return sql`not exists (select from unnest(${joined(lists)}) as "u" (${joined(names)})
    ${rowsByIndex(table, [...same, ...other])})`
}

function exist({ table }: TableLayout, ids: readonly number[]): Sql {
  if (ids.length === 1) return sql`exists (select from ${table} where "id" = ${ids[0] ?? 0}::bigint)`
  return sql`(select count(*) from ${table} where "id" = any(${ids}::bigint[])) = ${ids.length}::bigint`
}
