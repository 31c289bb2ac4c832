import type { Plan, SortKey } from '../../../query/plan.ts'
import type { FieldColumn } from '../layout/column.ts'
import { beginningOf, isLong, isOrdered } from '../layout/indexes.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { EMPTY, identifier, joined, type Sql, sql } from '../sql.ts'
import type { Conditions } from './conditions.ts'
import { storedText } from './stored-text.ts'

/** A sort order in SQL. */
interface Order {
  /** Joins with the related records that the order reads, or no text. */
  readonly joins: Sql
  /** The keys after ORDER BY, the last of them the id. */
  readonly keys: Sql
}

/**
 * Translates a sort order. Nulls are last ascending and first descending, as PostgreSQL sorts by default.
 *
 * @param isReversed from the last record to the first
 */
export function orderOf(
  sort: readonly SortKey[],
  table: TableLayout,
  alias: Sql,
  layout: Layout,
  conditions: Conditions,
  isReversed = false,
): Order {
  const joins: Sql[] = []
  const keys: Sql[] = []
  for (const { field, order, ordering, through } of sort) {
    let [of, at] = [table, alias]
    if (through !== undefined) {
      of = layout.of(through.target)
      at = conditions.alias()
      const only = through.only === undefined ? EMPTY : sql` and ${conditions.all([through.only], of, at)}`
      joins.push(sql` left join ${of.table} ${at} on ${at}."id" = ${alias}.${table.expectColumn(through.field).sql}${only}`)
    }
    for (const key of keysOf(of, at, field, ordering)) keys.push((order === 'asc') === isReversed ? sql`${key} desc` : key)
    // Ids are unique, so further keys decide nothing.
    if (field === 'id' && through === undefined) return { joins: joined(joins, ''), keys: joined(keys) }
  }
  return { joins: joined(joins, ''), keys: joined([...keys, isReversed ? sql`${alias}."id" desc` : sql`${alias}."id"`]) }
}

function keysOf(table: TableLayout, alias: Sql, field: string, ordering: SortKey['ordering']): readonly Sql[] {
  const column = table.expectColumn(field)
  const at = sql`${alias}.${column.sql}`
  if (isLong(column.field)) return [beginningOf(at), at]
  const byText = column.type === 'numeric' && ordering === undefined ? storedText(column, at) : undefined
  return [byText ?? at]
}

/** Highest number of rows up to the end of the page. */
const MAX_ROWS = 1000

const RECORD = identifier('r')
const FIRST = identifier('f')

/**
 * The rows of a page in descending order of one field; undefined for other plans. Records with the same value are in ascending order of
 * their ids, as in the index, which is scanned backward for the values. PostgreSQL would sort all records with a value, which may be a
 * quarter of a table. So the value at the end of the page is found first; then the records with greater values, with that value and without one
 * are read, each in the order of the index and at most as many as there are up to the end of the page. The value is compared by `>=` and
 * `<=`, since PostgreSQL would scan the index of ids after `=`, however far it has to go for the first match.
 */
export function selectWithTies(table: TableLayout, { filters, sort, offset, limit }: Plan): Sql | undefined {
  const [first, second] = sort
  const rows = offset + limit
  if (first === undefined || filters.length > 0 || rows > MAX_ROWS || table.model.internal) return undefined
  const column = tiedColumn(table, first)
  if (column === undefined || (second !== undefined && !isById(second))) return undefined
  const key = sql`${RECORD}.${column.sql}`
  const all = sql`select ${RECORD}.xmin, ${RECORD}.* from ${table.table} ${RECORD}`
  const keys = sql`(select ${key} as "key" from ${table.table} ${RECORD} order by ${key} desc limit ${rows}) ${FIRST}`
  const least = column.type === 'boolean' ? sql`bool_and(${FIRST}."key")` : sql`min(${FIRST}."key")`
  const last = sql`(select ${least} from ${keys})`
  const id = sql`${RECORD}."id"`
  return sql`select ${FIRST}.* from (
    (${all} where ${key} > ${last} order by ${key} desc limit ${rows})
    union all (${all} where ${key} >= ${last} and ${key} <= ${last} order by ${key}, ${id} limit ${rows})
    union all (${all} where ${key} is null order by ${id} limit ${rows})
  ) ${FIRST} order by ${FIRST}.${column.sql} desc, ${FIRST}."id" limit ${limit} offset ${offset}`
}

/** The column of a descending key that has an index and may have equal values. */
function tiedColumn(table: TableLayout, { field, order, ordering, through }: SortKey): FieldColumn | undefined {
  const column = through === undefined && order === 'desc' ? table.column(field) : undefined
  if (column === undefined || column.field.unique || !isOrdered(column.field) || isLong(column.field)) return undefined
  return column.type === 'numeric' && ordering === undefined ? undefined : column
}

const isById = ({ field, order, through }: SortKey): boolean => field === 'id' && order === 'asc' && through === undefined
