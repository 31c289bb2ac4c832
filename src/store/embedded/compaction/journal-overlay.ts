import type { StoredRecord } from '../../store.ts'
import type { JournalEntry } from '../journal/format.ts'

/** The journal's changes of one table. */
export interface TableOverlay {
  nextId: number
  /** The final record of each id; null if it was removed. */
  readonly records: Map<number, StoredRecord | null>
  /** True if the snapshot contains some of these records out of id order. */
  isUnordered: boolean
}

/** The final state of every record that the journal touches. */
export class JournalOverlay {
  readonly #tables = new Map<string, TableOverlay>()

  constructor(entries: Iterable<JournalEntry> = []) {
    for (const entry of entries) this.add(entry)
  }

  get tables(): ReadonlyMap<string, TableOverlay> {
    return this.#tables
  }

  /** Adds a later transaction. */
  add({ changes, nextIds }: JournalEntry): void {
    for (const [table, id, after] of changes) this.table(table).records.set(id, after)
    for (const [table, nextId] of Object.entries(nextIds)) this.raiseNextId(table, nextId)
  }

  /** Raises the next id of a table; a lower value has no effect. */
  raiseNextId(table: string, nextId: number): void {
    const overlay = this.table(table)
    overlay.nextId = Math.max(overlay.nextId, nextId)
  }

  /** Adds a record that the snapshot contains out of id order. */
  addUnordered(table: string, record: StoredRecord): void {
    const overlay = this.table(table)
    overlay.isUnordered = true
    if (!overlay.records.has(record.id)) overlay.records.set(record.id, record)
  }

  /** The overlay of a table, created if it does not exist. */
  table(table: string): TableOverlay {
    let overlay = this.#tables.get(table)
    if (overlay === undefined) {
      overlay = { nextId: 1, records: new Map(), isUnordered: false }
      this.#tables.set(table, overlay)
    }
    return overlay
  }
}
