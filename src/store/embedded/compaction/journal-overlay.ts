import type { StoredRecord } from '../../store.ts'
import type { JournalEntry } from '../journal/format.ts'

/** What lies over one table of a snapshot. */
export interface TableOverlay {
  nextId: number
  /** The record that an id has in the end; null: none. */
  readonly records: Map<number, StoredRecord | null>
  /** True when some of these stand in the snapshot too, but not where the order of ids would have them. */
  isUnordered: boolean
}

/** What a journal makes of a snapshot: for each record that it touches, the last word. */
export class JournalOverlay {
  readonly #tables = new Map<string, TableOverlay>()

  constructor(entries: Iterable<JournalEntry> = []) {
    for (const entry of entries) this.add(entry)
  }

  get tables(): ReadonlyMap<string, TableOverlay> {
    return this.#tables
  }

  add({ changes, nextIds }: JournalEntry): void {
    for (const [table, id, after] of changes) this.of(table).records.set(id, after)
    for (const [table, nextId] of Object.entries(nextIds)) this.raiseNextId(table, nextId)
  }

  raiseNextId(table: string, nextId: number): void {
    const overlay = this.of(table)
    overlay.nextId = Math.max(overlay.nextId, nextId)
  }

  /** Takes a record that does not stand where the order of ids would have it. */
  displace(table: string, record: StoredRecord): void {
    const overlay = this.of(table)
    overlay.isUnordered = true
    if (!overlay.records.has(record.id)) overlay.records.set(record.id, record)
  }

  of(table: string): TableOverlay {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const made: TableOverlay = { nextId: 1, records: new Map(), isUnordered: false }
    this.#tables.set(table, made)
    return made
  }
}
