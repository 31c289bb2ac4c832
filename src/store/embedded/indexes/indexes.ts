import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredRecord } from '../../store.ts'
import type { FieldIndex } from './field-index.ts'
import { ItemIndex } from './item-index.ts'
import { TextIndex } from './text-index.ts'
import { ValueIndex } from './value-index.ts'

/** The kinds of index that are made when something is asked for that they serve. */
export interface Kinds {
  value: ValueIndex
  item: ItemIndex
  text: TextIndex
}

export type IndexKind = keyof Kinds

/** An index that a question needs. */
export interface Need {
  readonly kind: IndexKind
  readonly field: string
}

/** Rows that are put into a new index before others get their turn: a few milliseconds' worth. */
const SLICE: Readonly<Record<IndexKind, number>> = { value: 2000, item: 2000, text: 500 }

/**
 * What part of a slice an index that has been made may lack until it is asked for: so many rows put in at once take a fraction of
 * the time that each takes between other work, and nobody waits for them long.
 */
const MAX_LACKING = 1 / 8

interface Entry {
  readonly kind: IndexKind
  readonly field: string
  readonly index: FieldIndex
  /** Rows before this one are in it. */
  filled: number
  /** While it is being made: resolves when all are in it, or when it was dropped. */
  making: Promise<void> | undefined
}

/** The indexes of a table, made on demand and brought up to date whenever they are asked for. */
export class Indexes {
  readonly #records: readonly (StoredRecord | undefined)[]
  /** A few, since each serves a kind of question about a field. */
  #entries: Entry[] = []

  /** @param records the table's rows, which grow and change under it */
  constructor(records: readonly (StoredRecord | undefined)[]) {
    this.#records = records
  }

  /** An index, if it is there and complete. */
  get<K extends IndexKind>(kind: K, field: string): Kinds[K] | undefined {
    const entry = this.#find(kind, field)
    return entry !== undefined && this.#isComplete(entry) ? (entry.index as Kinds[K]) : undefined
  }

  #isComplete({ making, filled }: Entry): boolean {
    return making === undefined && filled === this.#records.length
  }

  /**
   * Makes an index if it is not there, and brings it up to date; in slices, so that others are served meanwhile.
   *
   * @returns undefined when there is nothing to wait for
   */
  ensure({ kind, field }: Need): Promise<void> | undefined {
    const entry = this.#find(kind, field) ?? this.#begin(kind, field)
    if (entry.making !== undefined) return entry.making
    this.#fillSlice(entry)
    if (!this.#isComplete(entry)) entry.making = this.#fillRest(entry)
    return entry.making
  }

  /** An index that cannot be waited for: what is missing of it is made now. */
  complete<K extends IndexKind>(kind: K, field: string): Kinds[K] {
    const entry = this.#find(kind, field) ?? this.#begin(kind, field)
    while (entry.filled < this.#records.length) this.#fillSlice(entry)
    entry.making = undefined
    return entry.index as Kinds[K]
  }

  #find(kind: IndexKind, field: string): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.field === field)
  }

  #begin(kind: IndexKind, field: string): Entry {
    const entry: Entry = { kind, field, index: this.#make(kind, field), filled: 0, making: undefined }
    this.#entries.push(entry)
    return entry
  }

  /** Notes that a row holds another record now. */
  replace(row: number, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    let lacking: Entry | undefined
    for (const entry of this.#entries) {
      if (row < entry.filled) replaceIn(entry, row, before, after)
      else if (this.#lacksMuch(entry)) lacking = entry
    }
    // One at a time: others that lack as much come with the next rows.
    if (lacking !== undefined) this.#fillSlice(lacking)
  }

  #lacksMuch({ kind, filled, making }: Entry): boolean {
    return making === undefined && this.#records.length - filled >= SLICE[kind] * MAX_LACKING
  }

  /** Forgets all indexes: rows have got other numbers. */
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
      default:
        return kind satisfies never
    }
  }

  #fillSlice(entry: Entry): void {
    const { index, field, kind } = entry
    const end = Math.min(entry.filled + SLICE[kind], this.#records.length)
    for (let row = entry.filled; row < end; row++) {
      const record = this.#records[row]
      if (record !== undefined) index.add(row, record[field] ?? null)
    }
    entry.filled = end
  }

  async #fillRest(entry: Entry): Promise<void> {
    while (entry.filled < this.#records.length && this.#entries.includes(entry)) {
      await nextTurn()
      this.#fillSlice(entry)
    }
    entry.making = undefined
  }
}

function replaceIn(
  { index, field }: Entry,
  row: number,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): void {
  const [was, is] = [before?.[field] ?? null, after?.[field] ?? null]
  if (before !== undefined && after !== undefined && was === is) return
  if (before !== undefined) index.remove(row, was)
  if (after !== undefined) index.add(row, is)
}
