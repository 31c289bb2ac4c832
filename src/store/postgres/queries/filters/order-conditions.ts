import type { Ordering } from '../../../../model/field-type.ts'
import type { Json } from '../../../../util/json.ts'
import { canonicalDecimal } from '../../../../util/numbers/decimal.ts'
import type { Column } from '../../layout/column.ts'
import { type Sql, sql } from '../../sql.ts'
import { storedText } from './stored-text.ts'
import { COMPARISONS, type OrderOperator, TextConditions } from './text-conditions.ts'

interface OrderFilter {
  readonly operator: OrderOperator
  readonly value: Json
  readonly ordering?: Ordering
}

/** The condition that a value is less or greater than a bound. Values of another type than the bound are neither. */
export function orderCondition(filter: OrderFilter, column: Column, at: Sql): Sql {
  const { operator, value, ordering } = filter
  if (typeof value === 'number') {
    if (column.type === 'bigint') return integerCondition(operator, value, at)
    return column.type === 'double precision' ? sql`${at} ${COMPARISONS[operator]} ${value}` : sql`false`
  }
  if (typeof value === 'boolean') {
    return column.type === 'boolean' ? sql`${at} ${COMPARISONS[operator]} ${value}` : sql`false`
  }
  if (typeof value !== 'string') return sql`false`
  if (column.type === 'text') return new TextConditions(column, at).compare(operator, value)
  if (column.type === 'numeric' && ordering === 'decimal') {
    const numeral = canonicalDecimal(value)
    return numeral === undefined ? sql`false` : sql`${at} ${COMPARISONS[operator]} ${numeral}`
  }
  if (column.type !== 'numeric' && column.isOfType(value)) return sql`${at} ${COMPARISONS[operator]} ${value}`
  // The stored forms of dates and times sort chronologically, so a bound that is none has its place among them, too.
  const text = storedText(column, at)
  return text === undefined ? sql`false` : sql`${text} ${COMPARISONS[operator]} ${value.replaceAll('\0', '')}`
}

/** Bounds that are no integers, or too large for one, are replaced by the integers beside them. */
function integerCondition(operator: OrderOperator, bound: number, at: Sql): Sql {
  const isGreater = operator === 'gt' || operator === 'gte'
  if (Math.abs(bound) > Number.MAX_SAFE_INTEGER) return bound < 0 === isGreater ? sql`${at} is not null` : sql`false`
  if (Number.isInteger(bound)) return sql`${at} ${COMPARISONS[operator]} ${bound}`
  return isGreater ? sql`${at} >= ${Math.ceil(bound)}` : sql`${at} <= ${Math.floor(bound)}`
}
