import { pageJson } from '../query/page.ts'
import type { ListQuery } from '../query/parse.ts'
import { Recent } from '../util/recent.ts'
import { arrayJson, type RecordJson } from './record-json.ts'

/** How many characters of pages are kept, unless said otherwise. */
const CAPACITY = 2 * 1024 * 1024

interface Page {
  readonly records: readonly RecordJson[]
  readonly total: number
  readonly text: string
}

/** Puts the JSON of records into pages. A page whose records and total turn out to be those of last time is not written again. */
export class PageWriter {
  readonly #kept: Recent<ListQuery, Page>

  /** @param capacity how many characters of JSON to keep, about */
  constructor(capacity: number = CAPACITY) {
    this.#kept = new Recent(capacity, (_, { text }) => text.length)
  }

  /**
   * A page in its envelope.
   *
   * @param query what the page answers; the same object when it is asked again
   */
  write(query: ListQuery, records: readonly RecordJson[], total: number): string {
    const kept = this.#kept.get(query)
    if (kept !== undefined && kept.total === total && areSame(kept.records, records)) return kept.text
    const text = pageJson(arrayJson(records), total, query.page)
    this.#kept.set(query, { records, total, text })
    return text
  }
}

const areSame = (some: readonly RecordJson[], others: readonly RecordJson[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index])
