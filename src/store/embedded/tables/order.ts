import { comparer, type KeyReader, orderingKey, ownValue } from '../../../query/match.ts'
import { type Filter, isFieldFilter, type Plan, type SortKey } from '../../../query/plan.ts'
import type { Json, JsonObject } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { eachRow, RowSet, type Rows } from './row-set.ts'
import { needsOf, select, type TableNamed, type TableNeed } from './select.ts'
import type { SelectedRows } from './selection.ts'
import type { Table } from './table.ts'

/** Cost of comparing two records, in steps of an index scan. */
const STEPS_PER_COMPARISON = 8
/** Number of rows of a set whose inspection costs one step. */
const ROWS_PER_STEP = 8

/** A page of a selection in order, and how it was ordered. */
interface Ordered {
  readonly records: readonly StoredRecord[]
  /** For the query plan log: `created_at desc index`. */
  readonly how: () => string
}

/** The indexes that a sort order needs. */
export function needsOfOrder(table: Table, sort: readonly SortKey[], tableNamed: TableNamed): TableNeed[] {
  return sort.flatMap(({ field, through }): TableNeed[] => {
    if (through === undefined) return table.isSmall || field === 'id' ? [] : [{ table, kind: 'value', field, inOrder: true }]
    const target = tableNamed(through.target)
    const hidden = through.only === undefined ? [] : needsOf(target, [through.only], tableNamed)
    const ofTarget: TableNeed[] = field === 'id' ? [] : [{ table: target, kind: 'value', field, inOrder: true }]
    return table.isSmall ? hidden : [{ table, kind: 'item', field: through.field }, ...ofTarget, ...hidden]
  })
}

/** The records of a selection from position `offset` in a total order, at most `limit`. */
export function ordered(
  table: Table,
  selection: SelectedRows,
  { sort, filters, offset, limit }: Plan,
  tableNamed: TableNamed,
): Ordered {
  const count = Math.min(limit, selection.size - offset)
  if (count <= 0) return { records: [], how: () => 'nothing' }
  const [first] = sort
  if (first === undefined) return { records: byId(table, selection, undefined, offset, count), how: () => 'id' }
  const order = new Order(table, tableNamed)
  const walked = table.isSmall ? undefined : order.walkedPage(selection, sort, offset, count, startOf(first, filters))
  const records = walked ?? order.gathered(selection, sort, offset, count)
  return { records, how: () => `${nameOf(sort)} ${walked === undefined ? 'sorted' : 'index'}` }
}

/** The bound that filters impose on the sort key at the start of the order. */
function startOf({ field, order, through }: SortKey, filters: readonly Filter[]): Json | undefined {
  const bounding = order === 'asc' ? ['gt', 'gte', 'eq', 'startswith'] : ['lt', 'lte', 'eq']
  for (const filter of through === undefined ? filters : []) {
    if (isFieldFilter(filter) && filter.field === field && 'value' in filter && bounding.includes(filter.operator)) {
      return 'ordering' in filter ? orderingKey(filter.ordering)(filter.value) : filter.value
    }
  }
  return undefined
}

const nameOf = (sort: readonly SortKey[]): string =>
  sort.map(({ field, order, through }) => `${through === undefined ? '' : `${through.field} → `}${field} ${order}`).join(', ')

function byId(table: Table, selection: SelectedRows, key: SortKey | undefined, offset: number, count: number): StoredRecord[] {
  if (key?.order !== 'desc') return count === table.size ? table.records() : table.recordsAt(selection.slice(offset, count))
  return table.recordsAt(selection.slice(selection.size - offset - count, count).reverse())
}

/** The first records in an order. If they are few among many, the others are compared only once, with the last of them. */
function foremost(records: StoredRecord[], count: number, compare: (a: StoredRecord, b: StoredRecord) => number): StoredRecord[] {
  if (count * 2 > records.length) return records.sort(compare).slice(0, count)
  const first = records.slice(0, count).sort(compare)
  for (let index = count; index < records.length; index++) {
    const record = records[index] as StoredRecord
    if (compare(record, first[count - 1] as StoredRecord) > 0) continue
    let place = count - 1
    for (; place > 0 && compare(record, first[place - 1] as StoredRecord) < 0; place--)
      first[place] = first[place - 1] as StoredRecord
    first[place] = record
  }
  return first
}

/** Orders rows of a table, by indexes or by comparing records. */
class Order {
  readonly #table: Table
  readonly #tableNamed: TableNamed
  /** Keys through relations, made once a query. */
  readonly #related = new Map<SortKey, RelatedKeys>()

  constructor(table: Table, tableNamed: TableNamed) {
    this.#table = table
    this.#tableNamed = tableNamed
  }

  gathered(selection: SelectedRows, sort: readonly SortKey[], offset: number, count: number): StoredRecord[] {
    const records = this.#table.recordsAt(selection.slice(0, selection.size))
    const compare = comparer(sort, (key) => this.#reader(key))
    return foremost(records, offset + count, compare).slice(offset)
  }

  /**
   * Scans the index of the first sort key and collects selected rows until the page is full. Ties are ordered by the remaining
   * keys, by scanning or by sorting, whichever costs less.
   *
   * @param start where the selection begins in the index at the earliest
   * @returns undefined if sorting the selection costs less
   */
  walkedPage(
    selection: SelectedRows,
    [key, ...rest]: readonly SortKey[],
    offset: number,
    count: number,
    start?: Json,
  ): StoredRecord[] | undefined {
    const table = this.#table
    if (key === undefined || (key.field === 'id' && key.through === undefined)) return byId(table, selection, key, offset, count)
    const sorting = selection.size * Math.log2(selection.size + 1) * STEPS_PER_COMPARISON
    if (((offset + count) * table.size) / selection.size > sorting) return undefined
    const found: StoredRecord[] = []
    let skip = offset
    let stepsLeft = sorting
    this.#walk(key, start, (values) => {
      stepsLeft -= values.length
      for (const rows of values) {
        if (typeof rows === 'number') {
          if (!selection.has(rows)) continue
          if (skip > 0) skip--
          else found.push(table.recordAt(rows) as StoredRecord)
        } else {
          stepsLeft -= rows.size / ROWS_PER_STEP
          const tied = selection.within(rows)
          const wanted = Math.min(count - found.length, tied.size - skip)
          const some = wanted > 0 ? (this.walkedPage(tied, rest, skip, wanted) ?? this.gathered(tied, rest, skip, wanted)) : []
          for (const record of some) found.push(record)
          skip = Math.max(0, skip - tied.size)
        }
        if (found.length >= count || stepsLeft < 0) return false
      }
      return true
    })
    return found.length >= count ? found : undefined
  }

  #walk(key: SortKey, start: Json | undefined, visit: (rows: readonly Rows[]) => boolean): void {
    if (key.through === undefined) this.#table.index('value', key.field).walk(key.order, start, visit)
    else this.#relatedKeys(key).walk(this.#table, visit)
  }

  #reader(key: SortKey): KeyReader {
    if (key.through === undefined) return ownValue(key)
    const related = this.#relatedKeys(key)
    return (record) => related.valueOf(record)
  }

  #relatedKeys(key: SortKey): RelatedKeys {
    const keys = this.#related.get(key) ?? new RelatedKeys(key, this.#tableNamed)
    this.#related.set(key, keys)
    return keys
  }
}

/** The values of a sort key that belongs to the related record: `author.username`. */
class RelatedKeys {
  readonly #field: string
  readonly #order: SortKey['order']
  readonly #relation: string
  readonly #target: Table
  /** The related records that count; undefined for all. */
  readonly #counted: SelectedRows | undefined

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
