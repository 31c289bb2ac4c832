import type { Field } from '../../../../model/field.ts'
import { keyword, literal, type Sql, sql } from '../../sql.ts'

/** The value that rows get in a new column of a mandatory field: its default. Undefined if the field has none that suits every row. */
export function fillingOf(field: Field, type: Sql): Sql | undefined {
  const { default: value, generated, system } = field
  if (system && field.type.name === 'datetime') return sql`date_trunc('milliseconds', now())`
  switch (generated) {
    case 'now':
      return sql`date_trunc('milliseconds', now())`
    case 'today':
      return sql`(now() at time zone 'UTC')::date`
    case 'uuid':
      return sql`gen_random_uuid()::text`
    case 'user':
      return undefined
    case undefined:
      break
    default:
      return generated satisfies never
  }
  if (value === undefined || value === null) return undefined
  if (field.type.name === 'json') return sql`${literal(JSON.stringify(value))}::json`
  if (Array.isArray(value)) {
    const items = value.map((item) => `"${String(item).replace(/["\\]/g, '\\$&')}"`)
    return sql`${literal(`{${items.join(',')}}`)}::text[]`
  }
  if (typeof value === 'object') return undefined
  return typeof value === 'string' ? sql`${literal(value)}::${keyword(withoutCollation(type))}` : literal(value)
}

const withoutCollation = (type: Sql): string => type.compile().text.replace(/ collate .*$/, '')
