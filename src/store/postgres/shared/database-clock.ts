import type { Clock } from '../../../util/clock.ts'
import type { Connection } from '../connection/database.ts'
import { type Sql, sql } from '../sql.ts'

/** Reads the clock of the server, in milliseconds since the Unix epoch. */
export const serverTime: Sql = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * The clock of a database, by which all of its processes agree: the clock of this process, corrected by the difference that was read last. The server
 * reads its clock between a request and the answer, so only a time outside of both tells a difference.
 */
export class DatabaseClock {
  readonly #clock: Clock
  #difference = 0

  /** @param clock of this process */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly now: Clock = () => this.#clock() + this.#difference

  /** Reads the clock of the server by a query whose first value is `serverTime`, and returns its rows. */
  async read(connection: Connection, query: Sql = sql`select ${serverTime}`) {
    const before = this.#clock()
    const { rows } = await connection.query(query)
    const after = this.#clock()
    const there = Number(rows[0]?.[0])
    if (Number.isFinite(there)) this.#difference = there < before ? there - before : Math.max(0, there - after)
    return rows
  }
}
