import { Lately } from '../util/lately.ts'
import type { StoredRecord } from './store.ts'

/** Those of records that were just written, until they are answered, with much to spare. */
const texts = new Lately<StoredRecord, string>(1000)

/** The JSON of a record that is being written: the journal takes it, and the answer after it. */
export function writtenTextOf(record: StoredRecord): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = JSON.stringify(record)
  texts.set(record, text)
  return text
}

/** The JSON of a record as it is stored. */
export const textOf = (record: StoredRecord): string => texts.get(record) ?? JSON.stringify(record)
