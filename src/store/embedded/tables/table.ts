import type { RelationField } from '../../../model/field.ts'
import type { Model } from '../../../model/model.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { type Bitmap, bitmapFor, keepRow, Scratch } from '../indexes/bitmap.ts'
import { Indexes, type Kinds, type Need } from '../indexes/indexes.ts'
import type { ItemIndex } from '../indexes/item-index.ts'
import { eachRow, firstOf } from '../indexes/row-set.ts'
import { mapped, type Selection, unbroken } from '../indexes/selection.ts'
import type { Cut } from '../indexes/value-index.ts'
import { QueryCache } from './query-cache.ts'
import { RecentChanges } from './recent-changes.ts'

/** Tables up to this size are gone through: an index would cost more than it saves. */
const SMALL = 500
/** Gaps that removed records have left are closed when there are more than this, and more than records. */
const MIN_GAPS = 1024

/**
 * The committed records of one model. Each stands in a row; rows ascend with ids, so that a set of rows is in the order of
 * ids, and are given anew when they no longer do.
 */
export class Table {
  readonly model: Model
  /** Bitmaps for whoever asks the table something; taken back before the next question. */
  readonly scratch = new Scratch()
  readonly #changes = new RecentChanges()
  /** What was found in it last. */
  readonly answers = new QueryCache(this.#changes)
  /** The next id to give; ids below it are never given again. */
  nextId = 1
  readonly #records: (StoredRecord | undefined)[] = []
  /** The id of each row, of rows that are empty by now too. */
  readonly #ids: number[] = []
  readonly #rows = new Map<number, number>()
  /** No record has a higher id, nor any that went: what is asked of a new one needs no looking up. */
  #highest = 0
  #live: Bitmap = bitmapFor(0)
  #isOrdered = true
  readonly #indexes = new Indexes(this.#records)
  /** The unique fields and the relations: which rows have a value of theirs, writes have to know. */
  readonly #constrained: ReadonlySet<string>
  readonly #small: number

  /** @param small up to how many records the table is gone through instead of indexed */
  constructor(model: Model, small: number = SMALL) {
    this.model = model
    this.#small = small
    this.#constrained = new Set(model.constrained.map(({ name }) => name))
  }

  /** How many records there are. */
  get size(): number {
    return this.#rows.size
  }

  get isSmall(): boolean {
    return this.size <= this.#small
  }

  /** How many rows there are, empty ones too. */
  get capacity(): number {
    return this.#records.length
  }

  /** The rows that hold a record. Not to be changed. */
  get live(): Bitmap {
    return this.#live
  }

  /** Every row that holds a record. */
  get all(): Selection {
    return this.size === this.capacity ? unbroken(this.size, this.scratch) : mapped(this.#live, this.scratch, this.size)
  }

  get(id: number): StoredRecord | undefined {
    const row = this.rowOf(id)
    return row === undefined ? undefined : this.#records[row]
  }

  rowOf(id: number): number | undefined {
    return id > this.#highest ? undefined : this.#rows.get(id)
  }

  recordAt(row: number): StoredRecord | undefined {
    return this.#records[row]
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

  /** True for fields whose values are indexed whatever is asked. */
  isConstrained(field: string): boolean {
    return this.#constrained.has(field)
  }

  /** The id of a record that has this value in a unique field. Null is nobody's. */
  ownerOf(field: string, value: Json): number | undefined {
    const rows = value === null ? undefined : this.#items(field).rowsOf(value)
    return rows === undefined ? undefined : this.#ids[firstOf(rows)]
  }

  /** The ids of the records that refer to `target` by a relation field. */
  referrersTo(field: string, target: number): number[] {
    const ids: number[] = []
    const rows = this.#items(field).rowsOf(target)
    if (rows !== undefined) eachRow(rows, (row) => ids.push(this.#ids[row] ?? 0))
    return ids
  }

  /** An index that is known to be complete. */
  index<K extends keyof Kinds>(kind: K, field: string): Kinds[K] {
    const index = this.#indexes.get(kind, field)
    if (index === undefined) throw new Error(`There is no complete ${kind} index of '${field}'`)
    return index
  }

  /** Makes an index that is not there yet, and brings it up to date; undefined when that is done at once. */
  ensureIndex(need: Need): Promise<void> | undefined {
    return this.#indexes.ensure(need)
  }

  /** Begins to make the indexes that writes need, so that the first write does not have to. */
  warm(): void {
    for (const field of this.#constrained) void this.#indexes.ensure({ kind: 'item', field })
  }

  #items(field: string): ItemIndex {
    return this.#indexes.complete('item', field)
  }

  /** Puts `after` (or nothing) in the place of the record with this id. */
  replace(id: number, after: StoredRecord | undefined): void {
    this.nextId = Math.max(this.nextId, id + 1)
    const known = this.rowOf(id)
    if (known === undefined && after === undefined) return
    const row = known ?? this.#emptyRow(id) ?? this.#append(id)
    const before = this.#records[row]
    this.#records[row] = after
    this.#changes.note(before, after)
    if (after === undefined) this.#rows.delete(id)
    if (after === undefined) this.#live.remove(row)
    else keepRow(this.#live, row)
    this.#indexes.replace(row, before, after)
  }

  /** Gives rows anew when that is due. Called before rows are spoken of, and not while they are. */
  settle(): void {
    const gaps = this.capacity - this.size
    if (this.#isOrdered && gaps <= Math.max(MIN_GAPS, this.size)) return
    const records = this.recordsAt([...this.#rows.values()]).sort((a, b) => a.id - b.id)
    this.#indexes.clear()
    this.#records.length = 0
    this.#ids.length = 0
    this.#rows.clear()
    this.#live = bitmapFor(records.length)
    this.#isOrdered = true
    for (const record of records) {
      const row = this.#append(record.id)
      this.#records[row] = record
      keepRow(this.#live, row)
    }
  }

  /** The row that a record with this id had before it was removed: a removal that could not be written is taken back. */
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

/** The ids that a record refers to by one of its relation fields. */
export function referencesOf(record: StoredRecord, field: RelationField['name']): readonly number[] {
  const value = record[field] ?? null
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? (value as readonly number[]) : []
}
