import type { Json } from '../../../util/json.ts'
import type { Steps } from '../../../util/slices.ts'
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
  /** True if an index of values is asked for ranges or for its order. */
  readonly inOrder?: boolean
}

/** Rows added to an index in a step, or items of their lists: a fraction of a millisecond of work. */
const STEP: Readonly<Record<IndexKind, number>> = { value: 256, item: 256, text: 64, column: 2560 }
/** So many characters of a text count as a row. */
const CHARACTERS = 64

/**
 * Number of rows that a complete index may lack until it is queried. Adding rows in batches takes a fraction of the time of adding
 * each separately, and no query waits long for them.
 */
const MAX_LACKING: Readonly<Record<IndexKind, number>> = { value: 250, item: 250, text: 62, column: 2500 }

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
  /** True once it has had all rows. */
  isBuilt: boolean
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

  /** The index, if it exists and has all rows. */
  get<K extends IndexKind>(kind: K, field: string): Kinds[K] | undefined {
    const entry = this.#find(kind, field)
    return entry !== undefined && this.#isFilled(entry) ? (entry.index as Kinds[K]) : undefined
  }

  #isFilled({ filled }: Entry): boolean {
    return filled === this.#records.length
  }

  /** True if a query can use the index. */
  serves({ kind, field, inOrder }: Need): boolean {
    const index = this.get(kind, field)
    return index !== undefined && (inOrder !== true || !(index instanceof ValueIndex) || index.isDivided)
  }

  /** Builds the index if necessary and brings it up to date, in steps. Each query that waits for an index takes its next step. */
  *ensure(need: Need): Steps<void> {
    while (!this.serves(need)) {
      const entry = this.#find(need.kind, need.field) ?? this.#begin(need.kind, need.field)
      if (!this.#isFilled(entry)) this.#fillStep(entry)
      else if (entry.index instanceof ValueIndex) entry.index.divide()
      if (!this.serves(need)) yield
    }
  }

  /** Completes an index synchronously, for callers that cannot wait. */
  complete<K extends IndexKind>(kind: K, field: string): Kinds[K] {
    const entry = this.#find(kind, field) ?? this.#begin(kind, field)
    while (!this.#isFilled(entry)) this.#fillStep(entry)
    return entry.index as Kinds[K]
  }

  #find(kind: IndexKind, field: string): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.field === field)
  }

  #begin(kind: IndexKind, field: string): Entry {
    const keyOf = this.#keyOf({ kind, field })
    const entry: Entry = { kind, field, keyOf, index: this.#make(kind, field), filled: 0, isBuilt: false }
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
    if (lacking !== undefined) this.#fillStep(lacking)
  }

  #lacksMuch({ kind, filled, isBuilt }: Entry): boolean {
    return isBuilt && this.#records.length - filled >= MAX_LACKING[kind]
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
  #fillStep(entry: Entry): void {
    const { index, keyOf, kind } = entry
    let [row, work] = [entry.filled, 0]
    try {
      for (; row < this.#records.length && work < STEP[kind]; row++) {
        const record = this.#records[row]
        const value = record === undefined ? null : keyOf(record)
        if (record !== undefined) index.add(row, value)
        work += workOf(kind, value)
      }
    } catch (error) {
      this.#entries = this.#entries.filter((each) => each !== entry)
      throw error
    }
    entry.filled = row
    entry.isBuilt ||= this.#isFilled(entry)
  }
}

/** How much work it is to add a value, in rows with a short one. */
function workOf(kind: IndexKind, value: Json): number {
  if (kind === 'text') return typeof value === 'string' ? 1 + value.length / CHARACTERS : 1
  return kind === 'item' && Array.isArray(value) ? 1 + value.length : 1
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
