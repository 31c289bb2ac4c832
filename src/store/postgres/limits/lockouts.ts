import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { type Sql, sql } from '../sql.ts'
import { databaseTime, interval, type Now } from './limit-tables.ts'
import { Pruning } from './pruning.ts'

/** When names are locked, and for how long; times in milliseconds. */
export interface LockPolicy {
  readonly failures: number
  readonly shortest: number
  readonly longest: number
  readonly memory: number
  readonly capacity: number
}

/** Interval at which forgotten names are removed, in milliseconds. */
const PRUNING_INTERVAL = 60_000
/** Doublings of a lock after which it is the longest under any policy. */
const MAX_DOUBLINGS = 30
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
    const isForgotten = sql`"l"."at" < ${now} - ${interval(policy.memory)} or "l"."at" > ${now} + ${interval(FUTURE)}`
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
    return sql`delete from ${this.#table} where "locked_until" <= ${now} and ("failures" = 0 or "at" < ${now} - ${interval(memory)}
      or "name" in (select "name" from ${this.#table} where "locked_until" <= ${now} order by "at" desc offset ${capacity}::bigint))`
  }
}

/** A lock beyond the longest was noted before the clock was set back. */
const isLocked = (now: Sql, { longest }: LockPolicy): Sql =>
  sql`("l"."locked_until" > ${now} and "l"."locked_until" <= ${now} + ${interval(longest + FUTURE)})`

function lockedUntil(failures: Sql, now: Sql, policy: LockPolicy): Sql {
  const beyond = sql`(${failures}) - ${policy.failures}::integer`
  const duration = sql`least(${policy.longest}::double precision, ${policy.shortest}::double precision * power(2, least(${beyond}, ${MAX_DOUBLINGS}::integer)))`
  return sql`case when ${beyond} < 0 then ${NEVER} else ${now} + ${duration} * interval '1 millisecond' end`
}
