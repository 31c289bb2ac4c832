import type { SortKey } from '../../../query/plan.ts'
import type { Layout } from '../layout/layout.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { TextOrder } from '../layout/text-order.ts'
import { EMPTY, joined, type Sql, sql } from '../sql.ts'
import type { Conditions } from './filters/conditions.ts'
import { storedText } from './filters/stored-text.ts'

/** A sort order in SQL. */
export interface Order {
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
  if (column.type === 'text') return new TextOrder(column.field).keys(at)
  const byText = column.type === 'numeric' && ordering === undefined ? storedText(column, at) : undefined
  return [byText ?? at]
}
