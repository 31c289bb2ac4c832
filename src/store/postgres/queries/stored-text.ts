import type { FieldColumn } from '../layout/column.ts'
import { type Sql, sql } from '../sql.ts'

/**
 * The values of a column as the texts of the stored form, in the order of code points; undefined for a column whose stored values are
 * numbers, booleans or JSON.
 */
export function storedText({ type }: FieldColumn, at: Sql): Sql | undefined {
  switch (type) {
    case 'text':
      return at
    case 'numeric':
      return sql`(trim_scale(${at})::text collate "C")`
    case 'date':
      return sql`(to_char(${at}, 'YYYY-MM-DD') collate "C")`
    case 'time(3)':
      return sql`(regexp_replace(to_char(${at}, 'HH24:MI:SS.MS'), '\\.000$', '') collate "C")`
    case 'timestamptz(3)':
      return sql`(to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`
    default:
      return undefined
  }
}
