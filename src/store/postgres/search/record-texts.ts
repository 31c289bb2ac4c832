import type { TableLayout } from '../layout/table-layout.ts'
import { joined, type Sql, sql } from '../sql.ts'

/** The texts of searched fields of a row as JSON. Items of lists are joined by commas; an empty field has the empty text. */
export function recordTexts(table: TableLayout, alias: Sql, fields: readonly string[]): Sql {
  const texts = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    return column.type === 'text[]' ? sql`coalesce(array_to_string(${value}, ', '), '')` : sql`coalesce(${value}, '')`
  })
  return sql`json_build_array(${joined(texts)})`
}

/** Reads such texts; undefined for null. */
export const readJson = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T)
