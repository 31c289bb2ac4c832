import type { ReceiverLeases } from '../../changes.ts'
import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A holder that dies is replaced within 30 s: when its lease has ended, at the next claim of another process. In milliseconds. */
const DURATION_MS = 25_000

/** The table of leases. */
export const leasesTable = (layout: Layout): Sql =>
  // A new version of a row stays on its page, so that the updates need no vacuum.
  sql`create table ${layout.system('leases')} (
    "receiver" bigint primary key, "holder" text not null, "until" timestamptz not null
  ) with (fillfactor = 20)`

/** The leases of receivers in a database. */
export class PostgresLeases implements ReceiverLeases {
  readonly durationMs = DURATION_MS
  readonly #database: Database
  readonly #table: Sql
  readonly #holder: string

  /** @param holder a name that no other process has */
  constructor(database: Database, layout: Layout, holder: string) {
    this.#database = database
    this.#table = layout.system('leases')
    this.#holder = holder
  }

  async claim(receivers: readonly number[]): Promise<ReadonlySet<number>> {
    const until = sql`clock_timestamp() + interval ${literal(`${DURATION_MS} milliseconds`)}`
    // In the order of the ids, so that no two processes wait for each other.
    const { rows } = await this.#database.query(sql`insert into ${this.#table} as "l" ("receiver", "holder", "until")
      select "receiver", ${this.#holder}, ${until} from unnest(${receivers}::bigint[]) "r" ("receiver") order by "receiver"
      on conflict ("receiver") do update set "holder" = excluded."holder", "until" = excluded."until"
      where "l"."holder" = excluded."holder" or "l"."until" < clock_timestamp() returning "receiver"`)
    return new Set(rows.map(([receiver]) => Number(receiver)))
  }

  async release(receivers: readonly number[]): Promise<void> {
    if (receivers.length === 0) return
    await this.#database.query(
      sql`delete from ${this.#table} where "receiver" = any(${receivers}::bigint[]) and "holder" = ${this.#holder}`,
    )
  }
}
