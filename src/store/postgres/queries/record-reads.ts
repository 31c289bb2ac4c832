import type { ReadOptions, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { type RowReader, UNCACHED } from './known-records.ts'
import { type Later, SharedReads } from './shared-reads.ts'

/** The records that a statement found, by id. */
type Found = ReadonlyMap<number, StoredRecord>

/** Reads records by their ids. The reads of one turn of the event loop are one statement for each table. */
export class RecordReads {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #rows: RowReader
  readonly #reads: SharedReads<Found>
  /** Ids whose read has not been sent yet, by table. */
  readonly #waiting = new Map<string, Set<number>>()

  /**
   * @param later defers the statements, so that reads of the same turn join them
   * @param rows makes records of rows
   */
  constructor(connection: Connection, layout: Layout, later: Later, rows: RowReader = UNCACHED) {
    this.#connection = connection
    this.#layout = layout
    this.#rows = rows
    this.#reads = new SharedReads(later)
  }

  /** The records with these ids, in the order of the ids; undefined where no record exists. */
  async get(table: string, ids: readonly number[], { signal }: ReadOptions = {}): Promise<readonly (StoredRecord | undefined)[]> {
    if (ids.length === 0) return []
    const waiting = this.#waiting.get(table) ?? new Set()
    this.#waiting.set(table, waiting)
    // An id is a safe integer; PostgreSQL would refuse the statement for any other number.
    for (const id of ids) if (Number.isSafeInteger(id)) waiting.add(id)
    const found = await this.#reads.read(table, (shared) => this.#readWaiting(table, shared), signal)
    return ids.map((id) => found.get(id))
  }

  async #readWaiting(name: string, signal: AbortSignal): Promise<Found> {
    const ids = [...(this.#waiting.get(name) ?? [])]
    this.#waiting.delete(name)
    if (ids.length === 0) return new Map()
    const table = this.#layout.of(name)
    const { rows } = await this.#connection.query(selectByIds(table, ids), { signal })
    return new Map(
      rows.map((row) => {
        const record = this.#rows.read(table, row)
        return [record.id, record]
      }),
    )
  }
}

function selectByIds(table: TableLayout, ids: readonly number[]): Sql {
  const alias = identifier('r')
  // A comparison with one value needs no array, and is planned faster.
  const condition = ids.length === 1 ? sql`= ${ids[0] ?? null}` : sql`= any(${ids})`
  return sql`select ${table.selectList(alias)} from ${table.table} ${alias} where ${alias}."id" ${condition}`
}
