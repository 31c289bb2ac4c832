import { LRUCache } from 'lru-cache'
import { type Filter, type Plan, relatedTables, type SortKey } from '../../../query/plan.ts'
import type { FoundPage } from '../../store.ts'
import type { ResultRow } from '../connection/database.ts'
import type { FieldColumn } from '../layout/column.ts'
import { beginningOf, isLong, isOrdered } from '../layout/definitions.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { EMPTY, identifier, joined, literal, type Sql, sql } from '../sql.ts'
import { Conditions } from './conditions.ts'
import { storedText } from './text-conditions.ts'

type Selected = Pick<Plan, 'filters' | 'sort'>

const RECORD = identifier('r')
const PAGE = identifier('p')
const COUNTER = identifier('c')

/** The rows of a plan in order, with all columns and the version of the row. */
function selectRows(table: TableLayout, plan: Selected & Partial<Plan>, layout: Layout): Sql {
  const { limit = Number.POSITIVE_INFINITY, offset = 0 } = plan
  const limited = Number.isFinite(limit) ? sql` limit ${limit}` : EMPTY
  return sql`${selectAll(table, plan, layout)}${limited}${offset > 0 ? sql` offset ${offset}` : EMPTY}`
}

/** The same rows of a page without filters, the last one first: PostgreSQL skips the records behind the page in place of those before it. */
function selectRowsFromEnd(table: TableLayout, plan: Plan, layout: Layout): Sql {
  const after = sql`${recordsOf(table, layout)} - ${plan.offset}`
  const limited = sql` limit greatest(least(${after}, ${plan.limit}), 0) offset greatest(${after} - ${plan.limit}, 0)`
  return sql`${selectAll(table, plan, layout, true)}${limited}`
}

/** The statement of the records of a plan, without a total or version. */
export const selectRecords = (table: TableLayout, plan: Selected & Partial<Plan>, layout: Layout): Sql =>
  sql`select ${table.selectList(PAGE)} from (${selectRows(table, plan, layout)}) ${PAGE}`

function selectAll(table: TableLayout, { filters, sort }: Selected, layout: Layout, isReversed = false): Sql {
  const conditions = new Conditions(layout)
  const { joins, keys } = orderOf(sort, table, RECORD, layout, conditions, isReversed)
  const where = whereOf(filters, table, conditions)
  return sql`select ${RECORD}.xmin, ${RECORD}.* from ${table.table} ${RECORD}${joins}${where} order by ${keys}`
}

/** The number of records of a table, by its counters. */
const recordsOf = ({ model }: TableLayout, layout: Layout): Sql =>
  sql`(select sum("records")::bigint from ${layout.system('counters')} where "table_name" = ${model.key})`

function whereOf(filters: readonly Filter[], table: TableLayout, conditions: Conditions): Sql {
  return filters.length === 0 ? EMPTY : sql` where ${conditions.all(filters, table, RECORD)}`
}

/** The number of matching records, counted. */
function countRows(table: TableLayout, filters: readonly Filter[], layout: Layout): Sql {
  return sql`(select count(*) from ${table.table} ${RECORD}${whereOf(filters, table, new Conditions(layout))})`
}

/** The ids among some that match. */
export function selectMatching(table: TableLayout, filters: readonly Filter[], ids: readonly number[], layout: Layout): Sql {
  const matches = new Conditions(layout).all(filters, table, RECORD)
  return sql`select ${RECORD}."id" from ${table.table} ${RECORD} where ${RECORD}."id" = any(${ids}::bigint[]) and ${matches}`
}

/** How a page is read. */
interface PageOptions {
  /** The last record first; only for plans without filters. */
  readonly isFromEnd?: boolean
  /** The version in which the page was read before; if it is the present one, the page is not read again, and has no records. */
  readonly readIn?: string | undefined
}

/**
 * The statement of a page: in each row the version of what the plan reads, the total, and a record; one row without a record if the page
 * is empty. All are of one snapshot. The records of the page are joined to a single row, which keeps their order.
 *
 * @param known the total of an earlier version; it is counted again only if that version is not the present one
 */
export function selectPage(
  table: TableLayout,
  plan: Plan,
  layout: Layout,
  known: CountedTotal | undefined,
  { isFromEnd = false, readIn }: PageOptions = {},
): Sql {
  const { filters, limit } = plan
  // The number of records comes from the counters, without conditions that read other tables.
  const tables =
    filters.length === 0 ? [table.model.key] : [...new Set([table.model.key, ...relatedTables({ filters, sort: [] })])]
  const counters = sql`(select sum("writes") as "version", sum("records") as "records" from ${layout.system('counters')}
    where "table_name" = any(${tables}::text[])) ${COUNTER}`
  const head = sql`select ${COUNTER}."version", ${totalOf(table, filters, layout, known)}`
  if (limit === 0) return sql`${head} from ${counters}`
  const fromStart = () => selectWithTies(table, plan) ?? selectRows(table, plan, layout)
  const rows = isFromEnd ? selectRowsFromEnd(table, plan, layout) : fromStart()
  // PostgreSQL does not execute a subquery with a limit of 0; a limit of null does not limit. The rows keep their own limit, which the planner knows.
  const changed =
    readIn === undefined
      ? rows
      : sql`select * from (${rows}) ${RECORD} limit case when ${COUNTER}."version" = ${readIn}::numeric then 0 end`
  return sql`${head}, ${table.selectList(PAGE)} from ${counters} left join lateral (${changed}) ${PAGE} on true`
}

/** True if the version that `selectPage` returns covers all records of the page: no other table orders it. */
export const hasVersion = ({ sort }: Plan): boolean => relatedTables({ filters: [], sort }).size === 0

function totalOf(table: TableLayout, filters: readonly Filter[], layout: Layout, known: CountedTotal | undefined): Sql {
  if (filters.length === 0) return sql`${COUNTER}."records"`
  const count = countRows(table, filters, layout)
  if (known === undefined) return count
  // PostgreSQL executes the subquery only if the condition is false.
  return sql`case when ${COUNTER}."version" = ${known.version}::numeric then ${known.total}::bigint else ${count} end`
}

/** A page as the rows of `selectPage` tell it. */
export function readPage(table: TableLayout, rows: readonly ResultRow[]): FoundPage & CountedTotal {
  const [first] = rows
  const records = rows.flatMap((row) => (typeof row[2] === 'string' ? [table.read(row, 2)] : []))
  return { records, total: Number(first?.[1]), version: first?.[0] ?? '' }
}

/** The statement of the pages of several plans: in each row the place of the plan, the total, and a record, as in `selectPage`. */
export function selectPages(table: TableLayout, plans: readonly Plan[], layout: Layout): Sql {
  const parts = plans.map((plan, place) => {
    const { filters } = plan
    const head = sql`select ${literal(place)}, ${filters.length === 0 ? recordsOf(table, layout) : countRows(table, filters, layout)}`
    const page = sql`(${selectRows(table, plan, layout)}) ${PAGE}`
    return sql`(${head}, ${table.selectList(PAGE)} from (select) "one" left join ${page} on true)`
  })
  return joined(parts, ' union all ')
}

/** The pages as the rows of `selectPages` tell them. */
export function readPages(table: TableLayout, count: number, rows: readonly ResultRow[]): FoundPage[] {
  const pages = Array.from({ length: count }, () => ({ records: [] as FoundPage['records'][number][], total: 0 }))
  for (const row of rows) {
    const page = pages[Number(row[0])]
    if (page === undefined) continue
    page.total = Number(row[1])
    if (typeof row[2] === 'string') page.records.push(table.read(row, 2))
  }
  return pages
}

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
function orderOf(
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

const FIRST = identifier('f')

/**
 * The rows of a page in descending order of one field; undefined for other plans. Records with the same value are in ascending order of
 * their ids, as in the index, which is scanned backward for the values. PostgreSQL would sort all records with a value, which may be a
 * quarter of a table. So the value at the end of the page is found first; then the records with greater values, with that value and without one
 * are read, each in the order of the index and at most as many as there are up to the end of the page. The value is compared by `>=` and
 * `<=`, since PostgreSQL would scan the index of ids after `=`, however far it has to go for the first match.
 */
function selectWithTies(table: TableLayout, { filters, sort, offset, limit }: Plan): Sql | undefined {
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

/** A total, and the version of the tables when it was counted: the sum of their counters of writes. */
interface CountedTotal {
  readonly total: number
  readonly version: string
}

/** Capacity, in characters of the filters. */
const CAPACITY = 4_000_000

/** Longest filters whose total is remembered, in characters. */
const MAX_LENGTH = 20_000

/** Totals of filtered lists by `totalKey`. A version tells whether a total is still true of the present records. */
export type Totals = LRUCache<string, CountedTotal>

export const noTotals = (): Totals =>
  new LRUCache({ maxSize: CAPACITY, maxEntrySize: MAX_LENGTH, sizeCalculation: (_, key) => key.length })

/** The key under which the total of filters is remembered. */
export const totalKey = (table: string, filters: readonly Filter[]): string => `${table} ${JSON.stringify(filters)}`
