import { LRUCache } from 'lru-cache'
import type { Filter } from '../../../query/plan.ts'

/** A total, and the version of the tables when it was counted: the sum of their counters of writes. */
export interface CountedTotal {
  readonly total: number
  readonly version: string
}

/** Capacity, in characters of the filters. */
const CAPACITY = 4_000_000

/** Longest filters whose total is remembered, in characters. */
const MAX_LENGTH = 20_000

/** Remembers totals of filtered lists. A version tells whether a total is still true of the present records. */
export class Totals {
  readonly #known = new LRUCache<string, CountedTotal>({ maxSize: CAPACITY, sizeCalculation: (_, key) => key.length })

  recall(key: string): CountedTotal | undefined {
    return this.#known.get(key)
  }

  remember(key: string, { total, version }: CountedTotal): void {
    if (key.length <= MAX_LENGTH) this.#known.set(key, { total, version })
  }
}

/** The key under which the total of filters is remembered. */
export const totalKey = (table: string, filters: readonly Filter[]): string => `${table} ${JSON.stringify(filters)}`
