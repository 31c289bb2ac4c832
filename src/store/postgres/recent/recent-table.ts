import type { FoundPage, StoredRecord } from '../../store.ts'

/** Maximum number of records, and of pages, that are remembered of a table. */
const CAPACITY = 10_000

/** The remembered results of one version of a table. */
export class RecentTable {
  /** Undefined until it was read; nothing is remembered before. */
  readonly version: string | undefined
  readonly #records = new Map<number, { readonly record: StoredRecord | undefined }>()
  readonly #pages = new Map<string, FoundPage>()

  constructor(version: string | undefined) {
    this.version = version
  }

  /** The record with this id, if it is remembered whether there is one. */
  recall(id: number): { readonly record: StoredRecord | undefined } | undefined {
    return this.#records.get(id)
  }

  remember(id: number, record: StoredRecord | undefined): void {
    makeRoom(this.#records)
    this.#records.set(id, { record })
  }

  /** @param key the JSON of the plan */
  recallPage(key: string): FoundPage | undefined {
    return this.#pages.get(key)
  }

  rememberPage(key: string, page: FoundPage): void {
    makeRoom(this.#pages)
    this.#pages.set(key, page)
  }
}

/** Removes the oldest entry of a full map. */
function makeRoom<K>(map: Map<K, unknown>): void {
  const [oldest] = map.size < CAPACITY ? [] : map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
