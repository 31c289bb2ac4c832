import type { SortKey } from '../../../query/plan.ts'
import type { Json, JsonObject } from '../../../util/json.ts'
import { eachRow, RowSet, type Rows } from '../row-sets/row-set.ts'
import type { Table } from '../tables/table.ts'
import { select, type TableNamed } from './select.ts'
import type { Selection } from './selection.ts'

/** The values of a sort key that belongs to the related record: `author.username`. */
export class RelatedKeys {
  readonly #field: string
  readonly #order: SortKey['order']
  readonly #relation: string
  readonly #target: Table
  /** The related records that count; undefined for all. */
  readonly #counted: Selection | undefined

  constructor({ field, order, through }: SortKey, tableNamed: TableNamed) {
    if (through === undefined) throw new Error(`'${field}' is no field of a related record`)
    this.#field = field
    this.#order = order
    this.#relation = through.field
    this.#target = tableNamed(through.target)
    this.#counted = through.only === undefined ? undefined : select(this.#target, [through.only], tableNamed).selection
  }

  /** The value that orders a record; null if it refers to no record that counts. */
  valueOf(record: JsonObject): Json {
    const id = record[this.#relation]
    const row = typeof id === 'number' ? this.#target.rowOf(id) : undefined
    if (row === undefined || !this.#counts(row)) return null
    return this.#target.recordAt(row)?.[this.#field] ?? null
  }

  /**
   * Scans the related records in order and calls back with the rows that refer to each value.
   *
   * @param table the table that the rows belong to
   * @param visit returns false to stop
   */
  walk(table: Table, visit: (rows: readonly Rows[]) => boolean): void {
    if (this.#order === 'desc' && !visit(this.#nulls(table))) return
    const valueless = this.#rowsWithout()
    let goesOn = true
    this.#eachValue((rows) => {
      if (rows !== valueless) goesOn = visit(this.#referring(table, rows))
      return goesOn
    })
    if (goesOn && this.#order === 'asc') visit(this.#nulls(table))
  }

  #eachValue(visit: (rows: Rows) => boolean): void {
    const target = this.#target
    if (this.#field !== 'id') {
      target.index('value', this.#field).walk(this.#order, undefined, (values) => values.every(visit))
      return
    }
    const rows = target.all.slice(0, target.size)
    if (this.#order === 'desc') rows.reverse()
    rows.every(visit)
  }

  #rowsWithout(): Rows | undefined {
    return this.#field === 'id' ? undefined : this.#target.index('value', this.#field).rowsOf(null)
  }

  /** The rows that refer to no record, to one without a value, or to one that does not count. */
  #nulls(table: Table): readonly Rows[] {
    const index = table.index('item', this.#relation)
    const sets: (Rows | undefined)[] = [index.rowsOf(null)]
    const valueless = this.#rowsWithout()
    if (valueless !== undefined) eachRow(valueless, (row) => sets.push(index.rowsOf(this.#target.idAt(row))))
    if (this.#counted !== undefined) {
      this.#target.live.forEach((row) => {
        if (!this.#counts(row)) sets.push(index.rowsOf(this.#target.idAt(row)))
      })
    }
    return joined(sets)
  }

  /** The rows that refer to any of some related rows that count. */
  #referring(table: Table, targets: Rows): readonly Rows[] {
    const index = table.index('item', this.#relation)
    const sets: (Rows | undefined)[] = []
    eachRow(targets, (row) => {
      if (this.#counts(row)) sets.push(index.rowsOf(this.#target.idAt(row)))
    })
    return joined(sets)
  }

  #counts(row: number): boolean {
    return this.#counted?.has(row) !== false
  }
}

/** The union of some sets: one set, or none if it is empty. */
function joined(sets: readonly (Rows | undefined)[]): readonly Rows[] {
  const present = sets.filter((set) => set !== undefined)
  if (present.length < 2) return present
  const all = new RowSet()
  for (const set of present) eachRow(set, (row) => all.add(row))
  return [all]
}
