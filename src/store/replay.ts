import type { JournalEntry } from './journal-format.ts'
import type { Snapshot, TableSnapshot } from './snapshot.ts'
import type { StoredRecord } from './store.ts'

/** A snapshot with the transactions that came after it folded in. */
export function replay({ sequence, tables }: Snapshot, entries: readonly JournalEntry[]): Snapshot {
  const open = new Map<string, { nextId: number; records: Map<number, StoredRecord> }>()
  for (const [name, { nextId, records }] of tables) {
    open.set(name, { nextId, records: new Map(records.map((record) => [record.id, record])) })
  }
  const tableOf = (name: string) => {
    const table = open.get(name) ?? { nextId: 1, records: new Map() }
    open.set(name, table)
    return table
  }
  for (const { changes, nextIds } of entries) {
    for (const [name, id, after] of changes) {
      const { records } = tableOf(name)
      if (after === null) records.delete(id)
      else records.set(id, Object.freeze(after))
    }
    for (const [name, nextId] of Object.entries(nextIds)) {
      const table = tableOf(name)
      table.nextId = Math.max(table.nextId, nextId)
    }
  }
  const folded = [...open].map(([name, { nextId, records }]): [string, TableSnapshot] => [
    name,
    { nextId, records: inOrder(records.values()) },
  ])
  return { sequence: sequence + entries.length, tables: new Map(folded) }
}

/** Records in the order of their ids, which they are in already unless somebody chose ids. */
export function inOrder(records: Iterable<StoredRecord>): StoredRecord[] {
  const list = [...records]
  const ordered = list.every((record, index) => index === 0 || (list[index - 1]?.id ?? 0) < record.id)
  return ordered ? list : list.sort((a, b) => a.id - b.id)
}
