import { LRUCache } from 'lru-cache'
import { pageJson } from '../../query/page.ts'
import type { ListQuery } from '../../query/parse.ts'
import type { Plan } from '../../query/plan.ts'
import type { Store } from '../../store/store.ts'
import { arrayJson, type RecordJson } from './record-json.ts'

/** Default capacity of the page cache, in bytes. */
const CAPACITY = 16 * 1024 * 1024
/** Estimated size of a cache entry beside the page itself, in bytes. */
const OVERHEAD = 1000

/** The result of `Store.find`. */
type FoundPage = Awaited<ReturnType<Store['find']>>

interface Kept {
  /** The result that the body was made from; absent when the body nests records of other tables. */
  found: FoundPage | undefined
  readonly records: readonly RecordJson[]
  readonly total: number
  readonly body: Buffer
}

/** Serialises pages into bytes and caches them. A page is serialised again only when its records or its total have changed. */
export class PageWriter {
  readonly #kept: LRUCache<Plan, Kept>

  /** @param capacity capacity of the cache in bytes, approximately */
  constructor(capacity: number = CAPACITY) {
    this.#kept = new LRUCache({ maxSize: capacity, sizeCalculation: ({ body }) => body.length + OVERHEAD })
  }

  /**
   * The cached page, if it was made from this very result; otherwise undefined.
   *
   * @param plan the same object for equal queries, since it is the cache key
   */
  known(plan: Plan, found: FoundPage): Buffer | undefined {
    const kept = this.#kept.get(plan)
    return kept?.found === found ? kept.body : undefined
  }

  /**
   * Serialises a page in its envelope.
   *
   * @param query the parsed query, whose plan is the cache key
   * @param records JSON of the records found
   */
  write(query: ListQuery, found: FoundPage, records: readonly RecordJson[]): Buffer {
    const { total } = found
    const nestsNothing = query.projection.every(({ kind }) => kind === 'value')
    const kept = this.#kept.get(query.plan)
    if (kept !== undefined && kept.total === total && areSame(kept.records, records)) {
      if (nestsNothing) kept.found = found
      return kept.body
    }
    const body = Buffer.from(pageJson(arrayJson(records), total, query.page))
    this.#kept.set(query.plan, { found: nestsNothing ? found : undefined, records, total, body })
    return body
  }
}

const areSame = (some: readonly RecordJson[], others: readonly RecordJson[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index])
