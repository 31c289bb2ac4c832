import type { Json } from '../../../util/json.ts'

/** What is kept up to date with the values of one field: which rows have which. */
export interface FieldIndex {
  add(row: number, value: Json): void
  /** @param value the one that the row was added with */
  remove(row: number, value: Json): void
}
