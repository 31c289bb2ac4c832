import { LRUCache } from 'lru-cache'
import type { FoundPage } from '../../store.ts'
import type { ResultRow } from '../connection/database.ts'

/** A page, and the version of the table when it was read. */
export interface KnownPage {
  readonly page: FoundPage
  readonly version: string
}

/** Capacity in characters of rows. */
const CAPACITY = 4_000_000
/** Pages that are larger are not remembered. */
const MAX_SIZE = 200_000
/** Estimated size of an entry beside its rows, in characters. */
const OVERHEAD = 200

/** Remembers the pages that were read last. A version tells whether a page still has the present records. */
export class KnownPages {
  readonly #pages = new LRUCache<string, KnownPage>({ maxSize: CAPACITY, maxEntrySize: MAX_SIZE })

  /** @param key the table and the plan */
  recall(key: string): KnownPage | undefined {
    return this.#pages.get(key)
  }

  /** @param rows the rows from which the page was read */
  remember(key: string, known: KnownPage, rows: readonly ResultRow[]): void {
    this.#pages.set(key, known, { size: rows.reduce((size, row) => size + sizeOf(row), OVERHEAD + key.length) })
  }
}

const sizeOf = (row: ResultRow): number => row.reduce((size, text) => size + (text?.length ?? 0), 0)
