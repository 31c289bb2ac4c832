import type { Ordering } from '../../../model/field-type.ts'
import { type FieldFilter, type Filter, isFieldFilter, isRelationFilter, type RelationFilter } from '../../../query/plan.ts'
import { canonicalDecimal } from '../../../util/decimal.ts'
import type { Json } from '../../../util/json.ts'
import type { FieldColumn, LinkTable } from '../layout/column.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import {
  allOf,
  anyOf,
  COMPARISONS,
  containsPart,
  endsWith,
  type OrderOperator,
  storedText,
  TextConditions,
} from './text-conditions.ts'

/** Translates the filters of one statement into conditions of SQL. */
export class Conditions {
  readonly #layout: Layout
  #aliases = 0

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** A name for a table that the statement has not used yet. */
  alias(): Sql {
    return identifier(`r${++this.#aliases}`)
  }

  /** The condition that a row matches all filters. It is null or false where one does not match. */
  all(filters: readonly Filter[], table: TableLayout, alias: Sql): Sql {
    return allOf(filters.map((filter) => this.#of(filter, table, alias)))
  }

  #of(filter: Filter, table: TableLayout, alias: Sql): Sql {
    if (isFieldFilter(filter)) return fieldCondition(filter, table, alias)
    if (isRelationFilter(filter)) return sql`exists (${this.#related(filter, table, alias)})`
    if ('any' in filter) return anyOf(filter.any.map((each) => this.#of(each, table, alias)))
    if ('all' in filter) return this.all(filter.all, table, alias)
    // A relation filter is never null, and PostgreSQL plans NOT EXISTS as a join.
    if (isRelationFilter(filter.not)) return sql`not exists (${this.#related(filter.not, table, alias)})`
    return not(this.#of(filter.not, table, alias))
  }

  /** The rows of the target that a row refers to and that match. */
  #related({ field, target, filter }: RelationFilter, table: TableLayout, alias: Sql): Sql {
    const related = this.#layout.of(target)
    const other = this.alias()
    const matches = this.#of(filter, related, other)
    const link = table.link(field)
    if (link === undefined) {
      const column = table.expectColumn(field)
      return sql`select from ${related.table} ${other} where ${other}."id" = ${alias}.${column.sql} and ${matches}`
    }
    const links = this.alias()
    return sql`select from ${link.table} ${links} join ${related.table} ${other} on ${other}."id" = ${links}."target"
      where ${links}."owner" = ${alias}."id" and ${matches}`
  }
}

/**
 * The condition that a field filter imposes on a row. It is null or false where the filter does not match.
 *
 * @param alias the table of the row in the statement
 */
function fieldCondition(filter: FieldFilter, table: TableLayout, alias: Sql): Sql {
  const link = table.link(filter.field)
  if (link !== undefined) return linkCondition(filter, link, alias)
  const column = table.expectColumn(filter.field)
  const at = sql`${alias}.${column.sql}`
  if (column.field.type.structured) return jsonCondition(filter, at)
  if (column.field.type.list) return listCondition(filter, column, at)
  return valueCondition(filter, column, at)
}

function valueCondition(filter: FieldFilter, column: FieldColumn, at: Sql): Sql {
  switch (filter.operator) {
    case 'isnull':
      return filter.value ? sql`${at} is null` : sql`${at} is not null`
    case 'eq':
      return among([filter.value], column, at)
    case 'ne':
      return not(among([filter.value], column, at))
    case 'in':
      return among(filter.values, column, at)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderCondition({ ...filter, operator: filter.operator }, column, at)
    default: {
      const text = storedText(column, at)
      const part = String(filter.value)
      if (text === undefined) return sql`false`
      if (filter.operator === 'icontains') return containsPart(text, part)
      if (filter.operator === 'endswith') return endsWith(text, part)
      return column.type === 'text' ? new TextConditions(column, at).startsWith(part) : sql`starts_with(${text}, ${part})`
    }
  }
}

/** The condition that a value is one of some. */
function among(values: readonly Json[], column: FieldColumn, at: Sql): Sql {
  const others = [...new Set(values)].filter((value) => value !== null && column.isOfType(value))
  const conditions = values.includes(null) ? [sql`${at} is null`] : []
  const [only] = others
  if (others.length === 1 && only !== undefined) conditions.push(equals(only, column, at))
  else if (others.length > 1 && column.type === 'text') {
    conditions.push(new TextConditions(column, at).isAmong(others.map(String)))
  } else if (others.length > 1) {
    conditions.push(sql`${at} = any(${others.map((value) => column.toParameter(value))}::${arrayOf(column)})`)
  }
  return anyOf(conditions)
}

function equals(value: Json, column: FieldColumn, at: Sql): Sql {
  return column.type === 'text' ? new TextConditions(column, at).equals(String(value)) : sql`${at} = ${column.toParameter(value)}`
}

const ARRAYS: Readonly<Record<string, Sql>> = {
  bigint: sql`bigint[]`,
  'double precision': sql`double precision[]`,
  numeric: sql`numeric[]`,
  boolean: sql`boolean[]`,
  date: sql`date[]`,
  'time(3)': sql`time[]`,
  'timestamptz(3)': sql`timestamptz[]`,
}

const arrayOf = ({ type }: FieldColumn): Sql => ARRAYS[type] ?? sql`text[]`

/** Lists are compared by their items, the items of an array. */
function listCondition(filter: FieldFilter, column: FieldColumn, at: Sql): Sql {
  switch (filter.operator) {
    case 'isnull':
      return filter.value ? sql`coalesce(cardinality(${at}), 0) = 0` : sql`cardinality(${at}) > 0`
    case 'eq':
    case 'ne':
    case 'in': {
      const values = filter.operator === 'in' ? filter.values : [filter.value]
      const items = values.filter((value) => column.isOfType(value)).map(String)
      const conditions = values.includes(null) ? [sql`${at} is null`] : []
      if (items.length > 0) conditions.push(sql`${at} && ${items}::text[]`)
      return filter.operator === 'ne' ? not(anyOf(conditions)) : anyOf(conditions)
    }
    default:
      return sql`false`
  }
}

/** The same for the links of a many-to-many field. */
function linkCondition(filter: FieldFilter, link: LinkTable, alias: Sql): Sql {
  const owned = sql`select from ${link.table} "l" where "l"."owner" = ${alias}."id"`
  switch (filter.operator) {
    case 'isnull':
      return filter.value ? sql`not exists (${owned})` : sql`exists (${owned})`
    case 'eq':
    case 'ne':
    case 'in': {
      const values = filter.operator === 'in' ? filter.values : [filter.value]
      const ids = values.filter((value) => link.isOfType(value)).map(Number)
      const conditions = values.includes(null) ? [sql`${alias}.${link.flag} is not true`] : []
      const [only] = ids
      if (ids.length === 1 && only !== undefined) conditions.push(sql`exists (${owned} and "l"."target" = ${only})`)
      else if (ids.length > 1) conditions.push(sql`exists (${owned} and "l"."target" = any(${ids}::bigint[]))`)
      return filter.operator === 'ne' ? not(anyOf(conditions)) : anyOf(conditions)
    }
    default:
      return sql`false`
  }
}

/** JSON is only compared with nothing. An empty list and a null that another program wrote as JSON count as null. */
function jsonCondition(filter: FieldFilter, at: Sql): Sql {
  if (filter.operator !== 'isnull') throw new Error(`'${filter.operator}' is no operator of JSON`)
  const kind = sql`json_typeof(${at})`
  const isNull = sql`case ${kind} when 'array' then json_array_length(${at}) = 0 when 'null' then true else ${at} is null end`
  return filter.value ? isNull : sql`not ${isNull}`
}

/** True where a condition is false or null. */
const not = (condition: Sql): Sql => sql`(${condition}) is not true`

interface OrderFilter {
  readonly operator: OrderOperator
  readonly value: Json
  readonly ordering?: Ordering
}

/** The condition that a value is less or greater than a bound. Values of another type than the bound are neither. */
function orderCondition(filter: OrderFilter, column: FieldColumn, at: Sql): Sql {
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
  // The stored forms of dates and times sort chronologically, so a bound that is no date or time has its place among them, too.
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
