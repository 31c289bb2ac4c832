import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { type Sql, sql } from '../sql.ts'
import { databaseTime, interval, type Now } from './limit-tables.ts'
import { Pruning } from './pruning.ts'

/** When names are locked, and for how long; times in milliseconds. */
export interface LockPolicy {
  readonly failures: number
  readonly series: readonly number[]
  readonly longest: number
  readonly memory: number
  readonly capacity: number
}

/** Interval at which forgotten names are removed, in milliseconds. */
const PRUNING_INTERVAL = 60_000
/** A failure this far in the future was noted before the clock was set back. In milliseconds. */
const FUTURE = 60_000
const NEVER = sql`'-infinity'::timestamptz`

/** The failed logins of all processes. Each attempt is one statement, which waits for concurrent ones of the same name. */
export class Lockouts {
  readonly #database: Database
  readonly #table: Sql
  readonly #now: Now
  readonly #pruning: Pruning

  constructor(database: Database, layout: Layout, now = databaseTime) {
    this.#database = database
    this.#table = layout.system('lockouts')
    this.#now = now
    this.#pruning = new Pruning(database, PRUNING_INTERVAL)
  }

  /** Counts a failure, unless the name is locked. */
  async addFailure(name: string, policy: LockPolicy): Promise<void> {
    const now = this.#now()
    const isForgotten = sql`${LAST} < ${now} - ${interval(policy.memory)} or "l"."at" > ${now} + ${interval(FUTURE)}`
    const failures = sql`case when ${isForgotten} then 1 else "l"."failures" + 1 end`
    await this.#database.query(
      sql`insert into ${this.#table} as "l" ("name", "failures", "at", "locked_until")
        values (${name}, 1, ${now}, ${lockedUntil(sql`1`, now, policy)})
        on conflict ("name") do update set "failures" = ${failures}, "at" = ${now}, "locked_until" = ${lockedUntil(failures, now, policy)}
        where not ${isLocked(now, policy)}`,
    )
    this.#pruning.run(() => this.#prune(policy))
  }

  /** Resets the failures of a name and returns true, unless it is locked. */
  async reset(name: string, policy: LockPolicy): Promise<boolean> {
    const now = this.#now()
    const locked = isLocked(now, policy)
    // The row is updated in either case, so that the statement waits for a concurrent failure and decides by its result.
    const { rows } = await this.#database.query(
      sql`update ${this.#table} "l" set "failures" = case when ${locked} then "failures" else 0 end,
        "locked_until" = case when ${locked} then "locked_until" else ${NEVER} end
        where "name" = ${name} returning "locked_until" > ${now}`,
    )
    return rows[0]?.[0] !== 't'
  }

  async isLocked(name: string, policy: LockPolicy): Promise<boolean> {
    const { rows } = await this.#database.query(
      sql`select from ${this.#table} "l" where "name" = ${name} and ${isLocked(this.#now(), policy)}`,
    )
    return rows.length > 0
  }

  /** Forgets a name, locked or not. */
  async remove(name: string): Promise<void> {
    await this.#database.query(sql`delete from ${this.#table} where "name" = ${name}`)
  }

  /** Removes names that are forgotten, and the oldest that are not locked beyond the capacity. */
  #prune({ memory, capacity }: LockPolicy): Sql {
    const now = this.#now()
    return sql`delete from ${this.#table} where "locked_until" <= ${now} and ("failures" = 0 or greatest("at", "locked_until") < ${now} - ${interval(memory)}
      or "name" in (select "name" from ${this.#table} where "locked_until" <= ${now} order by "at" desc offset ${capacity}::bigint))`
  }
}

/** A lock beyond the longest was noted before the clock was set back. */
const isLocked = (now: Sql, { longest }: LockPolicy): Sql =>
  sql`("l"."locked_until" > ${now} and "l"."locked_until" <= ${now} + ${interval(longest + FUTURE)})`

/** The end of the last lock, or the last failure if it caused none. */
const LAST = sql`greatest("l"."at", "l"."locked_until")`

/** The end of the lock that a failure causes: those of the series first, then one after as many failures as before the first. */
function lockedUntil(count: Sql, now: Sql, { failures, series, longest }: LockPolicy): Sql {
  const index = sql`(${count}) - ${failures}::integer`
  const duration = sql`case when ${index} < ${series.length}::integer then (${series}::double precision[])[${index} + 1]
    when (${index} - ${series.length}::integer + 1) % ${failures}::integer = 0 then ${longest}::double precision end`
  return sql`coalesce(${now} + ${duration} * interval '1 millisecond', ${NEVER})`
}
