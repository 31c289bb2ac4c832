import type { Model } from '../../../model/model.ts'
import { orderingKey } from '../../../query/match.ts'
import type { Json } from '../../../util/json.ts'
import type { Steps } from '../../../util/slices.ts'
import type { StoredRecord } from '../../store.ts'
import type { CommittedTable } from '../../transaction/overlay.ts'
import { addRow, type Bitmap, bitmapFor } from './bitmap.ts'
import { fieldValue, Indexes, type KeyOf, type Kinds, type Need } from './indexes.ts'
import { RecentChanges } from './page-upkeep.ts'
import { eachRow, firstRow } from './row-set.ts'
import { Mapped, type SelectedRows } from './selection.ts'
import type { Cut, ItemIndex } from './value-index.ts'

/** Tables up to this size are scanned: an index would cost more than it saves. */
const SMALL = 500
/** Rows are renumbered when there are more gaps than this, and more gaps than records. */
const MIN_GAPS = 1024

/**
 * The committed records of one model. Each record has a row. Rows ascend with ids, so that a set of rows is in id order; they
 * are renumbered when they no longer do.
 */
export class Table implements CommittedTable {
  readonly model: Model
  readonly changes = new RecentChanges()
  /** The next id. Lower ids are never assigned again. */
  nextId = 1
  readonly #records: (StoredRecord | undefined)[] = []
  /** The id of each row, including empty rows. */
  readonly #ids: number[] = []
  readonly #rows = new Map<number, number>()
  /** Highest id ever used. A higher id needs no lookup. */
  #highest = 0
  #live: Bitmap = bitmapFor(0)
  #isOrdered = true
  readonly #indexes: Indexes
  /** Unique fields, unique sets and relations, whose indexes writes need. */
  readonly #constrained: ReadonlySet<string>
  readonly #small: number

  /** @param small tables with at most this many records are scanned instead of indexed */
  constructor(model: Model, small: number = SMALL) {
    this.model = model
    this.#small = small
    this.#indexes = new Indexes(this.#records, (need) => keyOf(model, need))
    this.#constrained = new Set([...model.constrained, ...model.uniqueSets].map(({ name }) => name))
  }

  /** Number of records. */
  get size(): number {
    return this.#rows.size
  }

  get isSmall(): boolean {
    return this.size <= this.#small
  }

  /** Number of rows, including empty ones. */
  get capacity(): number {
    return this.#records.length
  }

  /** The rows that hold a record. Read-only. */
  get live(): Bitmap {
    return this.#live
  }

  /** Every row that holds a record. */
  get all(): SelectedRows {
    return new Mapped(this.#live, this.size)
  }

  get(id: number): StoredRecord | undefined {
    const row = this.rowOf(id)
    return row === undefined ? undefined : this.#records[row]
  }

  rowOf(id: number): number | undefined {
    return id > this.#highest ? undefined : this.#rows.get(id)
  }

  /** The id of a row, which may be empty. */
  idAt(row: number): number {
    return this.#ids[row] ?? 0
  }

  recordAt(row: number): StoredRecord | undefined {
    return this.#records[row]
  }

  /** All records in order of their ids. Copying the array takes a fraction of the time of `recordsAt`. */
  records(): StoredRecord[] {
    const records = this.#records.slice()
    return this.size === records.length ? (records as StoredRecord[]) : records.filter((record) => record !== undefined)
  }

  recordsAt(rows: readonly number[]): StoredRecord[] {
    const records: StoredRecord[] = []
    for (const row of rows) {
      const record = this.#records[row]
      if (record !== undefined) records.push(record)
    }
    return records
  }

  /** The first row whose id is behind a cut. */
  rowAt({ value, side }: Cut): number {
    if (typeof value !== 'number') return this.capacity
    let [low, high] = [0, this.capacity]
    while (low < high) {
      const middle = (low + high) >>> 1
      const id = this.#ids[middle] ?? 0
      if (id < value || (id === value && side === 'after')) low = middle + 1
      else high = middle
    }
    return low
  }

  /** True for fields that are always indexed. */
  isConstrained(field: string): boolean {
    return this.#constrained.has(field)
  }

  /** The id of the record with this value in a unique field or, by its name, a unique set. Null belongs to no record. */
  ownerOf(field: string, value: Json): number | undefined {
    const rows = value === null ? undefined : this.#items(field).rowsOf(value)
    return rows === undefined ? undefined : this.#ids[firstRow(rows)]
  }

  /** The ids of the records that refer to `target` by a relation field. */
  referrersTo(field: string, target: number): number[] {
    const ids: number[] = []
    const rows = this.#items(field).rowsOf(target)
    if (rows !== undefined) eachRow(rows, (row) => ids.push(this.#ids[row] ?? 0))
    return ids
  }

  /** Zero: `referrersTo` returns all of them. */
  countReferrersBeside(): number {
    return 0
  }

  idAfter(id: number): number {
    return id + 1
  }

  /** An index that is known to be complete. */
  index<K extends keyof Kinds>(kind: K, field: string): Kinds[K] {
    const index = this.#indexes.get(kind, field)
    if (index === undefined) throw new Error(`There is no complete ${kind} index of '${field}'`)
    return index
  }

  /** True if a query can use an index. */
  serves(need: Need): boolean {
    return this.#indexes.serves(need)
  }

  /** Builds a missing index and brings it up to date, in steps. */
  ensureIndex(need: Need): Steps<void> {
    return this.#indexes.ensure(need)
  }

  /** Builds the indexes that writes need, so that the first write need not wait. */
  *warm(): Steps<void> {
    for (const field of this.#constrained) yield* this.#indexes.ensure({ kind: 'item', field })
  }

  #items(field: string): ItemIndex {
    return this.#indexes.complete('item', field)
  }

  /** Replaces the record with this id, or removes it. */
  replace(id: number, after: StoredRecord | undefined): void {
    this.nextId = Math.max(this.nextId, id + 1)
    const known = this.rowOf(id)
    if (known === undefined && after === undefined) return
    const row = known ?? this.#emptyRow(id) ?? this.#append(id)
    const before = this.#records[row]
    this.#records[row] = after
    this.changes.note(before, after)
    if (after === undefined) this.#rows.delete(id)
    if (after === undefined) this.#live.remove(row)
    else addRow(this.#live, row)
    this.#indexes.replace(row, before, after)
  }

  /** Renumbers rows if necessary. Called before rows are used, never while they are in use. */
  settle(): void {
    const gaps = this.capacity - this.size
    if (this.#isOrdered && gaps <= Math.max(MIN_GAPS, this.size)) return
    const records = this.recordsAt([...this.#rows.values()]).sort((a, b) => a.id - b.id)
    // Allocated before anything changes, since it can fail. The rest needs no more room than before.
    const live = bitmapFor(records.length)
    this.#indexes.clear()
    this.#records.length = 0
    this.#ids.length = 0
    this.#rows.clear()
    this.#live = live
    this.#isOrdered = true
    for (const record of records) {
      const row = this.#append(record.id)
      this.#records[row] = record
      addRow(this.#live, row)
    }
  }

  /** The former row of a removed record, for reverting a removal. */
  #emptyRow(id: number): number | undefined {
    if (!this.#isOrdered || id > (this.#ids.at(-1) ?? 0)) return undefined
    const row = this.rowAt({ value: id, side: 'before' })
    if (this.#ids[row] !== id) return undefined
    this.#rows.set(id, row)
    return row
  }

  #append(id: number): number {
    const row = this.#records.length
    if (row > 0 && id < (this.#ids[row - 1] ?? 0)) this.#isOrdered = false
    this.#records.push(undefined)
    this.#ids.push(id)
    this.#rows.set(id, row)
    this.#highest = Math.max(this.#highest, id)
    return row
  }
}

/** A unique set is indexed by its values, an index in order by what its values are ordered by. */
function keyOf(model: Model, need: Need): KeyOf {
  const set = model.uniqueSets.find(({ name }) => name === need.field)
  if (set !== undefined) return (record) => set.keyOf(record)
  const ordering = need.kind === 'value' ? model.fields.get(need.field)?.type.ordering : undefined
  if (ordering === undefined) return fieldValue(need)
  const [read, key] = [fieldValue(need), orderingKey(ordering)]
  return (record) => key(read(record))
}
