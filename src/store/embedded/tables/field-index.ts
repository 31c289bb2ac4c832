import type { Json } from '../../../util/json.ts'

/** An index over the values of one field. */
export interface FieldIndex {
  add(row: number, value: Json): void
  /** @param value the value that the row was added with */
  remove(row: number, value: Json): void
}
