import type { FieldFilter } from '../../../../query/plan.ts'
import type { Json } from '../../../../util/json.ts'
import type { Column, LinkTable } from '../../layout/column.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { type Sql, sql } from '../../sql.ts'
import { orderCondition } from './order-conditions.ts'
import { storedText } from './stored-text.ts'
import { anyOf, containsPart, endsWith, TextConditions } from './text-conditions.ts'

/**
 * The condition that a field filter imposes on a row. It is null or false where the filter does not match.
 *
 * @param alias the table of the row in the statement
 */
export function fieldCondition(filter: FieldFilter, table: TableLayout, alias: Sql): Sql {
  const link = table.link(filter.field)
  if (link !== undefined) return linkCondition(filter, link, alias)
  const column = table.expectColumn(filter.field)
  const at = sql`${alias}.${column.sql}`
  if (column.field.type.list) return listCondition(filter, column, at)
  if (column.field.type.name === 'json') return jsonCondition(filter, at)
  return valueCondition(filter, column, at)
}

function valueCondition(filter: FieldFilter, column: Column, at: Sql): Sql {
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
function among(values: readonly Json[], column: Column, at: Sql): Sql {
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

function equals(value: Json, column: Column, at: Sql): Sql {
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

const arrayOf = ({ type }: Column): Sql => ARRAYS[type] ?? sql`text[]`

/** Lists are compared by their items: those of a column of an array. */
function listCondition(filter: FieldFilter, column: Column, at: Sql): Sql {
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
export const not = (condition: Sql): Sql => sql`(${condition}) is not true`
