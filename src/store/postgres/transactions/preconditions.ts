import type { Json } from '../../../util/json.ts'
import { referencesOf, type StoredRecord } from '../../store.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, joined, keyword, type Sql, sql } from '../sql.ts'
import { isPossible, keyValues, rowsByIndex, sameKey, uniqueColumns } from './owners.ts'
import { listParameter } from './statements.ts'

/**
 * The conditions under which records may be stored: their unique values have no other owner, and the records exist to which they refer.
 * They hold at the moment of the statement; constraints of the database hold until the end. A statement whose conditions do not hold
 * changes nothing and takes no id.
 *
 * @param fields true for the fields whose values are new
 * @returns undefined if values show that the records may not be stored
 */
export function preconditions(
  layout: Layout,
  table: TableLayout,
  records: readonly StoredRecord[],
  fields: (name: string) => boolean,
): Sql | undefined {
  const conditions: Sql[] = []
  for (const { name, keyOf } of uniqueKeysOf(table)) {
    if (!uniqueColumns(table, name).some(({ field }) => fields(field.name))) continue
    const keys = records.map(keyOf).filter((key) => key !== null)
    if (new Set(keys).size < keys.length || !keys.every((key) => isPossible(table, name, key))) return undefined
    if (keys.length > 0) conditions.push(isFree(table, name, keys, fields === ALL ? undefined : records[0]?.id))
  }
  for (const { name, relation } of table.model.relations.values()) {
    if (!fields(name)) continue
    const targets = new Set(records.flatMap((record) => referencesOf(record, name)))
    if (![...targets].every((id) => Number.isSafeInteger(id))) return undefined
    if (targets.size > 0) conditions.push(exist(layout.of(relation.target), [...targets]))
  }
  return conditions.length === 0 ? sql`true` : joined(conditions, ' and ')
}

/** Every field has a new value, as in a new record. */
export const ALL = (): boolean => true

interface Key {
  readonly name: string
  keyOf(record: StoredRecord): Json
}

const uniqueKeysOf = ({ model }: TableLayout): readonly Key[] => [
  ...model.constrained.flatMap(({ name, unique }) =>
    unique ? [{ name, keyOf: (record: StoredRecord) => record[name] ?? null }] : [],
  ),
  ...model.uniqueSets.map((set) => ({ name: set.name, keyOf: (record: StoredRecord) => set.keyOf(record) })),
]

/** @param own the id of the record that may have the value */
function isFree(table: TableLayout, name: string, keys: readonly Json[], own: number | undefined): Sql {
  const columns = uniqueColumns(table, name)
  const other = own === undefined ? [] : [sql`"r"."id" <> ${own}::bigint`]
  const values = keys.map((key) => keyValues(columns, key))
  const [only, ...more] = values
  const isSet = columns.length > 1
  if (only !== undefined && more.length === 0) {
    const same = columns.flatMap((column, index) =>
      sameKey(column, sql`${column.toParameter(only[index] ?? null)}::${keyword(column.type)}`, isSet),
    )
    return sql`not exists (select from ${table.table} "r" where ${joined([...same, ...other], ' and ')})`
  }
  const names = columns.map((_, index) => identifier(`v${index}`))
  const lists = columns.map((column, index) =>
    listParameter(
      column,
      values.map((value) => value[index] ?? null),
    ),
  )
  const same = columns.flatMap((column, index) => sameKey(column, sql`"u".${names[index] ?? column.sql}`, isSet))
  return sql`not exists (select from unnest(${joined(lists)}) as "u" (${joined(names)})
    ${rowsByIndex(table, [...same, ...other])})`
}

function exist({ table }: TableLayout, ids: readonly number[]): Sql {
  if (ids.length === 1) return sql`exists (select from ${table} where "id" = ${ids[0] ?? 0}::bigint)`
  return sql`(select count(*) from ${table} where "id" = any(${ids}::bigint[])) = ${ids.length}::bigint`
}
