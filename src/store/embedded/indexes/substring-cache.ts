import { valueTest } from '../../../query/match.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import { GenerationalCache } from '../../../util/generational-cache.ts'
import type { Json } from '../../../util/json.ts'
import type { RowSet } from './row-set.ts'

/** A condition on part of a text. */
export type PartFilter = FieldFilter & { readonly operator: 'icontains' | 'endswith' }

/** How much answers may take together, about, and what one takes beside its rows. In bytes. */
const CAPACITY = 32 << 20
const OVERHEAD = 500
/** How many changed rows are known: as many are looked at in less time than finding an answer takes. */
const CHANGES = 4096

interface Answer {
  readonly rows: RowSet
  readonly test: (value: Json) => boolean
  /** How many changes it knows. */
  knows: number
}

/** Answers to questions about parts of texts. One that is asked for again first looks at the rows that have changed since. */
export class SubstringCache {
  readonly #valueAt: (row: number) => Json
  readonly #kept = new GenerationalCache<string, Answer>(CAPACITY, (_, { rows }) => rows.bytes + OVERHEAD)
  readonly #changed = new Uint32Array(CHANGES)
  #changes = 0

  /** @param valueAt gives the text of a row as it is now */
  constructor(valueAt: (row: number) => Json) {
    this.#valueAt = valueAt
  }

  /** Notes that a row has another text now, or none. */
  note(row: number): void {
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
