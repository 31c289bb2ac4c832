import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { TextIndex } from './text-index.ts'
import { ItemIndex, ValueIndex } from './value-index.ts'

/** An index over the values of one field. */
interface FieldIndex {
  add(row: number, value: Json): void
  /** @param value the value that the row was added with */
  remove(row: number, value: Json): void
}

/** Kinds of index, built on demand. */
export interface Kinds {
  value: ValueIndex
  item: ItemIndex
  text: TextIndex
  column: Column
}

export type IndexKind = keyof Kinds

/** An index that a query needs. */
export interface Need {
  readonly kind: IndexKind
  readonly field: string
}

/** Rows added to an index before yielding to the event loop: a few milliseconds of work. */
const SLICE: Readonly<Record<IndexKind, number>> = { value: 2000, item: 2000, text: 500, column: 20_000 }

/**
 * Share of a slice that a complete index may lag behind until it is queried. Adding rows in batches takes a fraction of the
 * time of adding each separately, and no query waits long for them.
 */
const MAX_LACKING = 1 / 8

/** Reads the indexed value of a record. */
export type KeyOf = (record: StoredRecord) => Json

/** Reads the value of a field. */
export const fieldValue =
  ({ field }: Pick<Need, 'field'>): KeyOf =>
  (record) =>
    record[field] ?? null

interface Entry {
  readonly kind: IndexKind
  readonly field: string
  readonly keyOf: KeyOf
  readonly index: FieldIndex
  /** Rows before this one are in the index. */
  filled: number
  /** Set during a build: resolves when the build is complete or the index was dropped. */
  making: Promise<void> | undefined
}

/** The indexes of a table, built on demand and brought up to date when queried. */
export class Indexes {
  readonly #records: readonly (StoredRecord | undefined)[]
  readonly #keyOf: (need: Need) => KeyOf
  /** A short list, one for each kind of query on a field. */
  #entries: Entry[] = []

  /**
   * @param records rows of the table, which grow and change
   * @param keyOf returns how an index reads the indexed value of a record; by default it is the value of the field
   */
  constructor(records: readonly (StoredRecord | undefined)[], keyOf: (need: Need) => KeyOf = fieldValue) {
    this.#records = records
    this.#keyOf = keyOf
  }

  /** The index, if it exists and is complete. */
  get<K extends IndexKind>(kind: K, field: string): Kinds[K] | undefined {
    const entry = this.#find(kind, field)
    return entry !== undefined && this.#isComplete(entry) ? (entry.index as Kinds[K]) : undefined
  }

  #isComplete(entry: Entry): boolean {
    return entry.making === undefined && this.#isFilled(entry)
  }

  #isFilled({ filled, index }: Entry): boolean {
    return filled === this.#records.length && (!(index instanceof ValueIndex) || index.isDivided)
  }

  /**
   * Builds the index if necessary and brings it up to date, in slices between which other work runs.
   *
   * @returns undefined if the index is ready
   */
  ensure({ kind, field }: Need): Promise<void> | undefined {
    const entry = this.#find(kind, field) ?? this.#begin(kind, field)
    if (entry.making !== undefined) return entry.making
    this.#fillSlice(entry)
    if (!this.#isComplete(entry)) entry.making = this.#fillRest(entry)
    return entry.making
  }

  /** Completes an index synchronously, for callers that cannot wait. */
  complete<K extends IndexKind>(kind: K, field: string): Kinds[K] {
    const entry = this.#find(kind, field) ?? this.#begin(kind, field)
    while (!this.#isFilled(entry)) this.#fillSlice(entry)
    entry.making = undefined
    return entry.index as Kinds[K]
  }

  #find(kind: IndexKind, field: string): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.field === field)
  }

  #begin(kind: IndexKind, field: string): Entry {
    const keyOf = this.#keyOf({ kind, field })
    const entry: Entry = { kind, field, keyOf, index: this.#make(kind, field), filled: 0, making: undefined }
    this.#entries.push(entry)
    return entry
  }

  /** Records that the record of a row has changed. */
  replace(row: number, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    let lacking: Entry | undefined
    for (const entry of this.#entries) {
      if (row < entry.filled) replaceIn(entry, row, before, after)
      else if (this.#lacksMuch(entry)) lacking = entry
    }
    // One index a write; others follow with later rows.
    if (lacking !== undefined) this.#fillSlice(lacking)
  }

  #lacksMuch({ kind, filled, making }: Entry): boolean {
    return making === undefined && this.#records.length - filled >= SLICE[kind] * MAX_LACKING
  }

  /** Drops all indexes, since rows were renumbered. */
  clear(): void {
    this.#entries = []
  }

  #make(kind: IndexKind, field: string): FieldIndex {
    const capacity = () => this.#records.length
    switch (kind) {
      case 'value':
        return new ValueIndex(capacity)
      case 'item':
        return new ItemIndex()
      case 'text':
        return new TextIndex((row) => this.#records[row]?.[field] ?? null, capacity)
      case 'column':
        return new Column()
      default:
        return kind satisfies never
    }
  }

  /** Adds the next rows. An index that fails to take them is dropped, since it may have some of them; the next query builds another. */
  #fillSlice(entry: Entry): void {
    const { index, keyOf, kind } = entry
    const end = Math.min(entry.filled + SLICE[kind], this.#records.length)
    try {
      for (let row = entry.filled; row < end; row++) {
        const record = this.#records[row]
        if (record !== undefined) index.add(row, keyOf(record))
      }
      if (end === this.#records.length && index instanceof ValueIndex && !index.isDivided) index.divide()
    } catch (error) {
      this.#entries = this.#entries.filter((each) => each !== entry)
      throw error
    }
    entry.filled = end
  }

  async #fillRest(entry: Entry): Promise<void> {
    while (!this.#isFilled(entry) && this.#entries.includes(entry)) {
      await nextTurn()
      this.#fillSlice(entry)
    }
    entry.making = undefined
  }
}

function replaceIn(
  { index, keyOf }: Entry,
  row: number,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): void {
  const was = before === undefined ? null : keyOf(before)
  const is = after === undefined ? null : keyOf(after)
  if (before !== undefined && after !== undefined && was === is) return
  if (before !== undefined) index.remove(row, was)
  if (after !== undefined) index.add(row, is)
}

/** The values of one field by row. Reading them takes a fraction of the time of reading the records, which lie scattered in memory. */
class Column {
  readonly #values: Json[] = []

  add(row: number, value: Json): void {
    // Without gaps, so that the array stays dense.
    while (this.#values.length < row) this.#values.push(null)
    this.#values[row] = value
  }

  remove(row: number): void {
    this.#values[row] = null
  }

  valueAt(row: number): Json {
    return this.#values[row] ?? null
  }
}
