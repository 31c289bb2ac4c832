import { type Filter, type Plan, relatedTables } from '../../../query/plan.ts'
import type { FoundPage } from '../../store.ts'
import type { ResultRow } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { EMPTY, identifier, joined, literal, type Sql, sql } from '../sql.ts'
import { Conditions } from './conditions.ts'
import { orderOf, selectWithTies } from './order.ts'
import type { CountedTotal } from './totals.ts'

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
