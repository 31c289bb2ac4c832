import type { SearchedTable } from '../../search-storage.ts'
import type { TableLayout } from '../layout/layout.ts'
import { joined, type Sql, sql } from '../sql.ts'

const MAX_CHARACTER_BYTES = 4

/** The beginnings of the texts of searched fields of a row as JSON. Items of lists are joined by commas; an empty field has the empty text. */
export function recordTexts(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const texts = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    return sql`coalesce(left(${column.type === 'text[]' ? sql`array_to_string(${value}, ', ')` : value}, ${maxText}), '')`
  })
  return sql`json_build_array(${joined(texts)})`
}

/** The number of bytes of these texts before they are joined, about. It reads no text that is stored apart from its row. */
export function textBytes(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const sizes = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    const size = column.type === 'text[]' ? sql`pg_column_size(${value})` : sql`octet_length(${value})`
    return sql`least(coalesce(${size}, 0), ${maxText * MAX_CHARACTER_BYTES})`
  })
  return joined(sizes, ' + ')
}

/** Reads such texts; undefined for null. */
export const readJson = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T)
