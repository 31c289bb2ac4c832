import type { UsedIds } from '../../transactions/transaction-overlay.ts'
import type { Connection } from '../connection/database.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { joined, keyword, type Sql, sql } from '../sql.ts'

/**
 * The sequences that give ids. An id is given once: a sequence never goes back.
 *
 * A requested id above all given ones moves the sequence, which PostgreSQL does without regard to others that take ids at that moment.
 * So the transaction first excludes them: inserts by a lock of the table, `reserve` by an advisory lock.
 */
export class IdSequences {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The ids that the sequences would give next. Nothing is reserved. */
  async nextIds(tables: readonly TableLayout[]): Promise<readonly number[]> {
    if (tables.length === 0) return []
    const values = tables.map(({ sequence }) => nextId(sequence))
    const { rows } = await this.#connection.query(sql`select ${joined(values)}`)
    return rows[0]?.map(Number) ?? []
  }

  /** Takes as many ids as a transaction has chosen in each table, in ascending order. */
  async reserve(used: readonly (Pick<UsedIds, 'chosen'> & { readonly layout: TableLayout })[]): Promise<readonly number[][]> {
    if (used.length === 0) return []
    const queries = used.map(
      ({ layout: { sequence }, chosen }, index) => sql`select ${index}::integer, nextval(${sequence}::regclass)
        from (select pg_advisory_xact_lock_shared(hashtextextended(${sequence}, 0))) "locked", generate_series(1, ${chosen}::bigint)`,
    )
    const { rows } = await this.#connection.query(joined(queries, ' union all '))
    return used.map((_, index) =>
      rows.flatMap(([table, id]) => (Number(table) === index ? [Number(id)] : [])).sort((a, b) => a - b),
    )
  }

  /** Excludes all others that take ids of a table, until the end of the transaction. */
  async lock({ table, sequence }: TableLayout): Promise<void> {
    await this.#connection.query(sql`lock table ${table} in share row exclusive mode`)
    await this.#connection.query(sql`select pg_advisory_xact_lock(hashtextextended(${sequence}, 0))`)
  }

  /** Moves a locked sequence forward, so that it continues with `next`. */
  async moveTo({ sequence }: TableLayout, next: number): Promise<void> {
    await this.#connection.query(sql`select setval(${sequence}::regclass, ${next - 1}::bigint)`)
  }
}

/** The next id of a sequence; its name is a quoted identifier. */
const nextId = (sequence: string): Sql =>
  sql`(select case when "is_called" then "last_value" + 1 else "last_value" end from ${keyword(sequence)})`
