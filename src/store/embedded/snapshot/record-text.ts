import { GenerationalCache } from '../../../util/generational-cache.ts'
import type { StoredRecord } from '../../store.ts'

/** The most that waits to be answered, in characters; what nobody asks for, such as the records of an import, is forgotten. */
const CAPACITY = 2_000_000

const written = new GenerationalCache<StoredRecord, string>(CAPACITY, (_, { length }) => length)

/** The JSON of a record for the journal, which the answer to the write takes after it. */
export function writtenTextOf(record: StoredRecord): string {
  const text = JSON.stringify(record)
  written.set(record, text)
  return text
}

/** The JSON of a record as it is stored. What was made for the journal is handed out once, so that it lives no longer than it must. */
export function textOf(record: StoredRecord): string {
  const text = written.get(record)
  if (text === undefined) return JSON.stringify(record)
  written.delete(record)
  return text
}
