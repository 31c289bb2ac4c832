import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { type Sql, sql } from '../sql.ts'
import { databaseTime, inMilliseconds, interval, type Now } from './limit-tables.ts'
import { Pruning } from './pruning.ts'

/** Interval at which callers are removed that sent nothing in the last window, in milliseconds. */
const PRUNING_INTERVAL = 60_000
/** Maximum number of callers after pruning. */
const CAPACITY = 100_000

/** Sliding windows of requests by caller, for all processes. Each request is one statement, which waits for concurrent ones of the same caller. */
export class Callers {
  readonly #database: Database
  readonly #table: Sql
  readonly #now: Now
  readonly #pruning: Pruning

  constructor(database: Database, layout: Layout, now = databaseTime) {
    this.#database = database
    this.#table = layout.system('callers')
    this.#now = now
    this.#pruning = new Pruning(database, PRUNING_INTERVAL)
  }

  /**
   * Counts a request of a caller if fewer than `limit` were allowed in the window.
   *
   * @returns the number of requests in the window after this one, and the milliseconds until the oldest leaves it
   */
  async take(caller: string, limit: number, windowMs: number): Promise<{ allowed: boolean; count: number; resetMs: number }> {
    const now = this.#now()
    const window = interval(windowMs)
    // The times of a caller never go back, unless the clock was set back by more than a window.
    const at = sql`case when "c"."last_at" > ${now} + ${window} then ${now} else greatest("c"."last_at", ${now}) end`
    const recent = sql`array(select "t" from unnest("c"."times") "t" where "t" > ${at} - ${window} and "t" <= ${at} order by "t")`
    const allowed = sql`cardinality(${recent}) < ${limit}::integer`
    const { rows } = await this.#database.query(
      sql`insert into ${this.#table} as "c" ("caller", "times", "last_at", "allowed") values (${caller}, array[${now}], ${now}, true)
        on conflict ("caller") do update set "times" = ${recent} || case when ${allowed} then array[${at}] else '{}' end,
          "last_at" = ${at}, "allowed" = ${allowed}
        returning "allowed", cardinality("times"), ${inMilliseconds(sql`"times"[1] + ${window} - "last_at"`)}`,
    )
    this.#pruning.run(() => this.#prune(windowMs))
    const [isAllowed, count, reset] = rows[0] ?? []
    return { allowed: isAllowed === 't', count: Number(count), resetMs: Number(reset) }
  }

  #prune(windowMs: number): Sql {
    return sql`delete from ${this.#table} where "last_at" < ${this.#now()} - ${interval(windowMs)}
      or "caller" in (select "caller" from ${this.#table} order by "last_at" desc offset ${CAPACITY}::bigint)`
  }
}
