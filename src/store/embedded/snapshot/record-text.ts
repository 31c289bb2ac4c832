import { LRUCache } from 'lru-cache'
import type { StoredRecord } from '../../store.ts'

/** Capacity in characters. Records that no response asks for, such as imported ones, are evicted. */
const CAPACITY = 2_000_000

const written = new LRUCache<StoredRecord, string>({ maxSize: CAPACITY, sizeCalculation: ({ length }) => length })

/** Serialises a record for the journal, and keeps the text for the response to the write. */
export function writtenTextOf(record: StoredRecord): string {
  const text = JSON.stringify(record)
  written.set(record, text)
  return text
}

/** JSON of a stored record. A text kept by the journal is returned once and then dropped. */
export function textOf(record: StoredRecord): string {
  const text = written.get(record)
  if (text === undefined) return JSON.stringify(record)
  written.delete(record)
  return text
}
