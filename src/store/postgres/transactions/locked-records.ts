import type { Plan } from '../../../query/plan.ts'
import type { ReadOptions, RecordReader, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { noTotals, selectRecords } from '../queries/page.ts'
import { RecordQueries } from '../queries/queries.ts'
import { Loader } from './loader.ts'

/** Records that a transaction has locked, and all others as its connection reads them. */
export class LockedRecords implements RecordReader {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #table: string
  readonly #locked: ReadonlyMap<number, StoredRecord>
  readonly #others: RecordQueries

  private constructor(connection: Connection, layout: Layout, table: string, locked: readonly StoredRecord[]) {
    this.#connection = connection
    this.#layout = layout
    this.#table = table
    this.#locked = new Map(locked.map((record) => [record.id, record]))
    this.#others = new RecordQueries(connection, layout, noTotals())
  }

  /** Locks records of a table until the end of the transaction of `connection`. */
  static async lock(connection: Connection, layout: Layout, table: string, ids: readonly number[]): Promise<LockedRecords> {
    const known = ids.filter((id) => Number.isSafeInteger(id))
    return new LockedRecords(connection, layout, table, await new Loader(connection, true).lock(layout.of(table), known))
  }

  async get(table: string, ids: readonly number[], options?: ReadOptions): Promise<readonly (StoredRecord | undefined)[]> {
    const areLocked = table === this.#table && ids.every((id) => this.#locked.has(id))
    return areLocked ? ids.map((id) => this.#locked.get(id)) : this.#others.get(table, ids, options)
  }

  async *stream(name: string, plan: Pick<Plan, 'filters' | 'sort'>): AsyncIterableIterator<readonly StoredRecord[]> {
    const table = this.#layout.of(name)
    const { rows } = await this.#connection.query(selectRecords(table, plan, this.#layout))
    yield rows.map((row) => table.read(row))
  }
}
