import { LRUCache } from 'lru-cache'
import { valueTest } from '../../../query/match.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import type { RowSet } from '../row-sets/row-set.ts'

/** A filter on part of a text. */
export type PartFilter = FieldFilter & { readonly operator: 'icontains' | 'endswith' }

/** Approximate capacity of the cache, and overhead of an entry. In bytes. */
const CAPACITY = 32 << 20
const OVERHEAD = 500
/** Number of changed rows kept. Checking them takes less time than a new query. */
const CHANGES = 4096

interface Answer {
  readonly rows: RowSet
  readonly test: (value: Json) => boolean
  /** Number of changes that the entry includes. */
  knows: number
}

/** Cached results of substring filters. An entry catches up with the rows that changed since. */
export class SubstringCache {
  readonly #valueAt: (row: number) => Json
  readonly #kept = new LRUCache<string, Answer>({
    maxSize: CAPACITY,
    sizeCalculation: ({ rows }) => rows.bytes + OVERHEAD,
  })
  readonly #changed = new Uint32Array(CHANGES)
  #changes = 0

  /** @param valueAt returns the present text of a row */
  constructor(valueAt: (row: number) => Json) {
    this.#valueAt = valueAt
  }

  /** Records that the text of a row has changed. */
  noteChange(row: number): void {
    this.#changed[this.#changes++ % CHANGES] = row
  }

  get(filter: PartFilter): RowSet | undefined {
    const answer = this.#kept.get(keyOf(filter))
    if (answer === undefined || this.#changes - answer.knows > CHANGES) return undefined
    for (; answer.knows < this.#changes; answer.knows++) {
      const row = this.#changed[answer.knows % CHANGES] ?? 0
      if (answer.test(this.#valueAt(row))) answer.rows.add(row)
      else answer.rows.remove(row)
    }
    return answer.rows
  }

  remember(filter: PartFilter, rows: RowSet): void {
    this.#kept.set(keyOf(filter), { rows, test: valueTest(filter), knows: this.#changes })
  }
}

const keyOf = ({ operator, value }: PartFilter): string => `${operator} ${value}`
