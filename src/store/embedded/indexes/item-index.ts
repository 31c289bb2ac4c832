import type { Json } from '../../../util/json.ts'
import { type Rows, withoutRow, withRow } from '../row-sets/row-set.ts'
import type { FieldIndex } from './field-index.ts'

/** Index of the rows by value or by items of a list. Null holds the rows without a value. */
export class ItemIndex implements FieldIndex {
  readonly #rows = new Map<Json, Rows>()

  add(row: number, value: Json): void {
    if (typeof value !== 'object') this.#put(row, value)
    else for (const item of itemsOf(value)) this.#put(row, item)
  }

  remove(row: number, value: Json): void {
    if (typeof value !== 'object') this.#take(row, value)
    else for (const item of itemsOf(value)) this.#take(row, item)
  }

  rowsOf(item: Json): Rows | undefined {
    return this.#rows.get(item)
  }

  #put(row: number, item: Json): void {
    const rows = this.#rows.get(item)
    const more = withRow(rows, row)
    if (more !== rows) this.#rows.set(item, more)
  }

  #take(row: number, item: Json): void {
    if (withoutRow(this.#rows.get(item), row) === undefined) this.#rows.delete(item)
  }
}

/** An empty list counts as no value, a null item does not; an object has no items. */
function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value.length === 0 ? [null] : value.filter((item) => item !== null)
  return typeof value === 'object' && value !== null ? [] : [value]
}
