import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredRecord } from '../store.ts'
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

interface Entry {
  readonly kind: IndexKind
  readonly field: string
  readonly index: FieldIndex
  /** Rows before this one are in it. */
  filled: number
  /** Resolves when all are, or when the index was dropped. */
  ready: Promise<void> | undefined
}

/** The indexes of a table, made on demand and kept up to date from then on. */
export class Indexes {
  readonly #records: readonly (StoredRecord | undefined)[]
  #entries = new Map<string, Entry>()

  /** @param records the table's rows, which grow and change under it */
  constructor(records: readonly (StoredRecord | undefined)[]) {
    this.#records = records
  }

  /** An index, if it is there and complete. */
  get<K extends IndexKind>(kind: K, field: string): Kinds[K] | undefined {
    const entry = this.#entries.get(`${kind} ${field}`)
    return entry?.ready === undefined ? (entry?.index as Kinds[K] | undefined) : undefined
  }

  /** Makes an index if it is not there, in slices, so that others are served meanwhile; undefined when there is nothing to wait for. */
  ensure({ kind, field }: Need): Promise<void> | undefined {
    const known = this.#entries.get(`${kind} ${field}`)
    if (known !== undefined) return known.ready
    const entry = this.#begin(kind, field)
    this.#fillSlice(entry)
    if (entry.filled < this.#records.length) {
      entry.ready = this.#fillRest(entry)
    }
    return entry.ready
  }

  /** An index that cannot be waited for: what is missing of it is made now. */
  complete<K extends IndexKind>(kind: K, field: string): Kinds[K] {
    const known = this.get(kind, field)
    if (known !== undefined) return known
    const entry = this.#entries.get(`${kind} ${field}`) ?? this.#begin(kind, field)
    while (entry.filled < this.#records.length) this.#fillSlice(entry)
    entry.ready = undefined
    return entry.index as Kinds[K]
  }

  #begin(kind: IndexKind, field: string): Entry {
    const entry: Entry = { kind, field, index: this.#make(kind, field), filled: 0, ready: undefined }
    this.#entries.set(`${kind} ${field}`, entry)
    return entry
  }

  /** Notes that a row holds another record now. */
  replace(row: number, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    for (const { index, field, filled, ready } of this.#entries.values()) {
      if (ready !== undefined && row >= filled) continue
      const [was, is] = [before?.[field] ?? null, after?.[field] ?? null]
      if (before !== undefined && after !== undefined && was === is) continue
      if (before !== undefined) index.remove(row, was)
      if (after !== undefined) index.add(row, is)
    }
  }

  /** Forgets all indexes: rows have got other numbers. */
  clear(): void {
    this.#entries = new Map()
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
    const name = `${entry.kind} ${entry.field}`
    while (entry.filled < this.#records.length && this.#entries.get(name) === entry) {
      await nextTurn()
      this.#fillSlice(entry)
    }
    entry.ready = undefined
  }
}
