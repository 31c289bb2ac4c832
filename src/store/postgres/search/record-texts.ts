import type { Filter, Plan } from '../../../query/plan.ts'
import type { RecordsOfMoment, SearchedTable } from '../../search-storage.ts'
import type { FoundPage, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { readPage, selectMatching, selectPage } from '../queries/page.ts'
import { RecordReads } from '../queries/record-reads.ts'
import { type Totals, totalKey } from '../queries/totals.ts'
import { joined, type Sql, sql } from '../sql.ts'

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

const MAX_CHARACTER_BYTES = 4

/** The beginnings of the texts of searched fields of a row as JSON. Items of lists are joined by commas; an empty field has the empty text. */
export function recordTexts(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const texts = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    return sql`coalesce(left(${column.type === 'text[]' ? sql`array_to_string(${value}, ', ')` : value}, ${maxText}), '')`
  })
  return sql`json_build_array(${joined(texts)})`
}

/** The number of bytes of these texts before they are joined, about. It reads no text that is stored apart from its row. */
export function textBytes(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const sizes = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    const size = column.type === 'text[]' ? sql`pg_column_size(${value})` : sql`octet_length(${value})`
    return sql`least(coalesce(${size}, 0), ${maxText * MAX_CHARACTER_BYTES})`
  })
  return joined(sizes, ' + ')
}

/** Reads such texts; undefined for null. */
export const readJson = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T)
