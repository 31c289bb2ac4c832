import type { Filter, Plan } from '../../../query/plan.ts'
import type { RecordsOfMoment } from '../../search-storage.ts'
import type { FoundPage, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { readPage, selectMatching, selectPage } from '../queries/page.ts'
import { RecordReads } from '../queries/record-reads.ts'
import { type Totals, totalKey } from '../queries/totals.ts'

/** Reads of records within a transaction, so that all are of one moment. */
export class MomentRecords implements RecordsOfMoment {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #totals: Totals
  readonly #reads: RecordReads

  constructor(connection: Connection, layout: Layout, totals: Totals) {
    this.#connection = connection
    this.#layout = layout
    this.#totals = totals
    this.#reads = new RecordReads(connection, layout, queueMicrotask)
  }

  get(table: string, ids: readonly number[]): Promise<readonly (StoredRecord | undefined)[]> {
    return this.#reads.get(table, ids)
  }

  async find(name: string, plan: Plan): Promise<FoundPage> {
    const table = this.#layout.of(name)
    const key = totalKey(name, plan.filters)
    const { rows } = await this.#connection.query(selectPage(table, plan, this.#layout, this.#totals.recall(key)))
    const { records, total, version } = readPage(table, rows)
    if (plan.filters.length > 0) this.#totals.remember(key, { total, version })
    return { records, total }
  }

  async matching(name: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set()
    const { rows } = await this.#connection.query(selectMatching(this.#layout.of(name), filters, ids, this.#layout))
    return new Set(rows.map(([id]) => Number(id)))
  }
}
