import type { Json } from '../../../../util/json.ts'
import type { Column } from '../../layout/column.ts'
import type { TableLayout } from '../../layout/table-layout.ts'

/** The columns of a unique field or set, by its name. */
export function uniqueColumns(table: TableLayout, name: string): readonly Column[] {
  const fields = table.model.uniqueSets.find((set) => set.name === name)?.fields ?? [name]
  return fields.map((field) => table.expectColumn(field))
}

/** The values of the columns, of a value of a unique field, or of the text by which a unique set compares records (`keyOf`). */
export const keyValues = (columns: readonly Column[], key: Json): readonly Json[] =>
  columns.length > 1 && typeof key === 'string' ? (JSON.parse(key) as readonly Json[]) : [key]

/** True if a record may have this value in a unique field or set; an invalid one cannot be stored. */
export function isPossible(table: TableLayout, name: string, key: Json): boolean {
  const columns = uniqueColumns(table, name)
  const values = keyValues(columns, key)
  return columns.every((column, index) => column.isOfType(values[index] ?? null))
}
