import type { StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { EACH_ANEW, type RowReader } from './known-records.ts'
import type { Later } from './shared-reads.ts'

/** The records that a statement found, by id. */
type Found = ReadonlyMap<number, StoredRecord>

/** Ids to be read from one table, and the promise of their records. */
interface Batch {
  readonly ids: Set<number>
  readonly found: Promise<Found>
}

/** Reads records by their ids. The reads of one turn of the event loop are one statement for each table. */
export class RecordReads {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #rows: RowReader
  readonly #later: Later
  /** Batches that have not been sent yet, by table. */
  readonly #waiting = new Map<string, Batch>()

  /**
   * @param later collects reads until it runs its argument
   * @param rows makes records of rows
   */
  constructor(connection: Connection, layout: Layout, later: Later, rows: RowReader = EACH_ANEW) {
    this.#connection = connection
    this.#layout = layout
    this.#rows = rows
    this.#later = later
  }

  /** The records with these ids, in the order of the ids; undefined where no record exists. */
  async get(table: string, ids: readonly number[]): Promise<readonly (StoredRecord | undefined)[]> {
    if (ids.length === 0) return []
    const batch = this.#waiting.get(table) ?? this.#begin(table)
    // Others are no ids, and PostgreSQL could not read them.
    for (const id of ids) if (Number.isSafeInteger(id)) batch.ids.add(id)
    const found = await batch.found
    return ids.map((id) => found.get(id))
  }

  #begin(name: string): Batch {
    const table = this.#layout.of(name)
    const ids = new Set<number>()
    const found = new Promise<Found>((resolve, reject) => {
      this.#later(() => {
        this.#waiting.delete(name)
        this.#read(table, [...ids]).then(resolve, reject)
      })
    })
    const batch: Batch = { ids, found }
    this.#waiting.set(name, batch)
    return batch
  }

  async #read(table: TableLayout, ids: readonly number[]): Promise<Found> {
    if (ids.length === 0) return new Map()
    const { rows } = await this.#connection.query(selectByIds(table, ids))
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
