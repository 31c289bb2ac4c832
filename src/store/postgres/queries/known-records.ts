import { LRUCache } from 'lru-cache'
import type { StoredRecord } from '../../store.ts'
import type { ResultRow } from '../connection/database.ts'
import type { TableLayout } from '../layout/layout.ts'

/** Capacity in characters of rows. */
const CAPACITY = 8_000_000
/** Estimated size of an entry beside its texts, in characters. */
const OVERHEAD = 200

/** Makes records of rows. */
export interface RowReader {
  /**
   * The record of a row, as `TableLayout.read`.
   *
   * @param offset the column of the result at which the list of columns begins
   */
  read(table: TableLayout, row: ResultRow, offset?: number): StoredRecord
}

/** Makes a new record of every row. */
export const UNCACHED: RowReader = { read: (table, row, offset) => table.read(row, offset) }

interface KnownRecord {
  /** The texts that the record was made from, its version included. */
  readonly texts: ResultRow
  readonly record: StoredRecord
}

/**
 * Remembers the records that were read last. A row that is read again with the same texts gives the same record, so that what was computed
 * of it, such as its JSON, is found again. Since all texts are compared, nothing has to be forgotten when records change.
 */
export class KnownRecords implements RowReader {
  /** By the name of the table and the id. */
  readonly #records: LRUCache<string, KnownRecord>

  /** @param capacity in characters of rows, of all tables together */
  constructor(capacity: number = CAPACITY) {
    this.#records = new LRUCache({ maxSize: capacity, sizeCalculation: sizeOf })
  }

  read(table: TableLayout, row: ResultRow, offset = 0): StoredRecord {
    const key = `${table.name} ${row[offset + 1]}`
    const last = this.#records.get(key)
    if (last !== undefined && isSame(last.texts, row, offset)) return last.record
    const texts = offset === 0 ? row : row.slice(offset)
    const record = table.read(texts)
    this.#records.set(key, { texts, record })
    return record
  }
}

const sizeOf = ({ texts }: KnownRecord): number => texts.reduce((size, text) => size + (text?.length ?? 0), OVERHEAD)

/** True if a row has these texts from `offset` on, and no others. */
function isSame(texts: ResultRow, row: ResultRow, offset: number): boolean {
  if (row.length - offset !== texts.length) return false
  for (let index = 0; index < texts.length; index++) if (texts[index] !== row[offset + index]) return false
  return true
}
