import type { Connection } from '../connection/database.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { joined, keyword, type Sql, sql } from '../sql.ts'
import { idLock, takeLocks } from './locks.ts'

/** A number of ids of one table. */
interface Reservation {
  readonly layout: TableLayout
  readonly count: number
}

/**
 * The sequences that give ids. An id is given once: a sequence never goes back.
 *
 * A requested id above all given ones moves the sequence, which PostgreSQL does without regard to others that take ids at that moment.
 * So the transaction first excludes them: inserts of one statement by a lock of the table, other transactions by `idLock`.
 */
export class IdSequences {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The ids that the sequences would give next. Nothing is reserved. */
  async nextIds(tables: readonly TableLayout[]): Promise<readonly number[]> {
    if (tables.length === 0) return []
    const { rows } = await this.#connection.query(sql`select ${joined(tables.map(({ sequence }) => nextId(sequence)))}`)
    return rows[0]?.map(Number) ?? []
  }

  /** Takes ids of tables whose `idLock` the transaction has. Those of each table ascend. */
  async reserve(reservations: readonly Reservation[]): Promise<readonly number[][]> {
    if (reservations.length === 0) return []
    const queries = reservations.map(
      ({ layout: { sequence }, count }, index) =>
        sql`select ${index}::integer, nextval(${sequence}::regclass) from generate_series(1, ${count}::bigint)`,
    )
    const { rows } = await this.#connection.query(joined(queries, ' union all '))
    return reservations.map((_, index) =>
      rows.flatMap(([table, id]) => (Number(table) === index ? [Number(id)] : [])).sort((a, b) => a - b),
    )
  }

  /** Excludes all others that take ids of some tables, until the end of the transaction. */
  async lock(tables: readonly TableLayout[]): Promise<void> {
    if (tables.length === 0) return
    await this.#connection.query(takeLocks({ shared: [], exclusive: tables.map(idLock).sort() }))
    await this.#connection.query(sql`lock table ${joined(tables.map(({ table }) => table))} in share row exclusive mode`)
  }

  /** Moves a locked sequence forward, so that it continues with `next`. */
  async moveTo({ sequence }: TableLayout, next: number): Promise<void> {
    await this.#connection.query(sql`select setval(${sequence}::regclass, ${next - 1}::bigint)`)
  }
}

/** The next id of a sequence; its name is a quoted identifier. */
const nextId = (sequence: string): Sql =>
  sql`(select case when "is_called" then "last_value" + 1 else "last_value" end from ${keyword(sequence)})`
