import { pageJson } from '../../query/page.ts'
import type { ListQuery } from '../../query/parse.ts'
import type { Store } from '../../store/store.ts'
import { GenerationalCache } from '../../util/generational-cache.ts'
import { arrayJson, type RecordJson } from './record-json.ts'

/** How many bytes of pages are kept, unless said otherwise. */
const CAPACITY = 16 * 1024 * 1024
/** What a page takes beside its own bytes: the query, and places for its records. */
const OVERHEAD = 1000

/** Records and how many there are in all, as the store found them. */
type FoundPage = Awaited<ReturnType<Store['find']>>

interface Kept {
  /** What the body is all of; absent when records of other tables are nested in it. */
  found: FoundPage | undefined
  readonly records: readonly RecordJson[]
  readonly total: number
  readonly body: Buffer
}

/**
 * Puts the JSON of records into pages, as bytes that can be sent as often as they are asked for. A page that turns out to be
 * that of last time is not written again.
 */
export class PageWriter {
  readonly #kept: GenerationalCache<ListQuery, Kept>

  /** @param capacity how many bytes of pages to keep, about */
  constructor(capacity: number = CAPACITY) {
    this.#kept = new GenerationalCache(capacity, (_, { body }) => body.length + OVERHEAD)
  }

  /** The page that was written of the very thing that was found now; undefined when it has to be looked at closer. */
  known(query: ListQuery, found: FoundPage): Buffer | undefined {
    const kept = this.#kept.get(query)
    return kept?.found === found ? kept.body : undefined
  }

  /**
   * A page in its envelope.
   *
   * @param query what the page answers; the same object when it is asked again
   * @param records the JSON of what was found
   */
  write(query: ListQuery, found: FoundPage, records: readonly RecordJson[]): Buffer {
    const { total } = found
    const nestsNothing = query.projection.every(({ kind }) => kind === 'value')
    const kept = this.#kept.get(query)
    if (kept !== undefined && kept.total === total && areSame(kept.records, records)) {
      if (nestsNothing) kept.found = found
      return kept.body
    }
    const body = Buffer.from(pageJson(arrayJson(records), total, query.page))
    this.#kept.set(query, { found: nestsNothing ? found : undefined, records, total, body })
    return body
  }
}

const areSame = (some: readonly RecordJson[], others: readonly RecordJson[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index])
