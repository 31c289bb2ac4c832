import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { joined, literal, type Sql, sql } from '../sql.ts'

/** The time of a transaction. Tests replace it. */
type Now = () => Sql

const databaseTime: Now = () => sql`now()`

/** A table that all processes count in. What it does not need any more is removed at most once in an interval. */
class LimitTable {
  protected readonly database: Database
  protected readonly table: Sql
  protected readonly now: Now
  readonly #interval: number
  #pruned = performance.now()

  /** @param interval in milliseconds */
  constructor(database: Database, table: Sql, interval: number, now = databaseTime) {
    this.database = database
    this.table = table
    this.now = now
    this.#interval = interval
  }

  /** Executes the statement if it is time to. A failure is left to the next time. */
  protected prune(statement: () => Sql): void {
    const now = performance.now()
    if (now - this.#pruned < this.#interval) return
    this.#pruned = now
    this.database.query(statement()).catch(() => {})
  }
}

/** Interval at which batches are removed that have left the window, in milliseconds. */
const PRUNING_INTERVAL = 10_000

/** Requests of a caller that a process counted at once. */
interface CountedRequests {
  readonly caller: string
  /** Identifies the batch among the batches of all processes. */
  readonly key: string
  /** In milliseconds since the Unix epoch. */
  readonly at: number
  readonly count: number
}

/** What a process adds and asks for. */
interface RequestExchange {
  readonly added: ReadonlyMap<string, number>
  /** The callers whose requests in the window are asked for. */
  readonly wanted: readonly string[]
  /** The requests that other processes added from this time on are asked for too. In milliseconds since the Unix epoch. */
  readonly since: number | undefined
  readonly windowMs: number
}

/** The numbers of requests that all processes counted in the last window. One statement adds the numbers of this process and reads the other ones. */
export class Requests extends LimitTable {
  readonly #process: string
  /** Number of exchanges that were begun. */
  #exchanges = 0

  /** @param process identifies this process among all that use the database */
  constructor(database: Database, layout: Layout, process: string, now?: Now) {
    super(database, layout.system('requests'), PRUNING_INTERVAL, now)
    this.#process = process
  }

  async exchange({ added, wanted, since, windowMs }: RequestExchange): Promise<{
    readonly now: number
    readonly key: string
    readonly batches: readonly CountedRequests[]
  }> {
    const [table, own, now] = [this.table, this.#process, this.now()]
    const number = this.#exchanges++
    const adding = sql`with "added" as (insert into ${table} ("at", "process", "number", "caller", "count")
      select ${now}, ${own}, ${number}::bigint, "caller", "count"
      from unnest(${[...added.keys()]}::text[], ${[...added.values()]}::integer[]) "u" ("caller", "count"))`
    const columns = sql`"process", "number", ${inMilliseconds(sql`"at"`)}, "caller", "count"`
    const parts = [sql`select ${own}::text, ${number}::bigint, ${inMilliseconds(now)}, null::text, null::integer`]
    if (wanted.length > 0) {
      parts.push(
        sql`select ${columns} from ${table} where "caller" = any(${wanted}::text[]) and "at" > ${now} - ${interval(windowMs)}`,
      )
    }
    if (since !== undefined) {
      parts.push(
        sql`select ${columns} from ${table} where "at" >= to_timestamp(${since}::double precision / 1000) and "process" <> ${own}`,
      )
    }
    const read = joined(parts, ' union all ')
    const { rows } = await this.database.query(added.size > 0 ? sql`${adding} ${read}` : read)
    this.prune(() => sql`delete from ${table} where "at" < ${this.now()} - ${interval(2 * windowMs)}`)
    const batches = rows.map(([process, exchange, at, caller, count]) => ({
      caller,
      key: `${process} ${exchange}`,
      at: Number(at),
      count: Number(count),
    }))
    return {
      now: batches[0]?.at ?? 0,
      key: batches[0]?.key ?? '',
      batches: batches
        .slice(1)
        .flatMap(({ caller, ...batch }) => (caller === null || caller === undefined ? [] : [{ ...batch, caller }])),
    }
  }
}

/** When names are locked, and for how long; times in milliseconds. */
interface LockPolicy {
  readonly failures: number
  readonly series: readonly number[]
  readonly longest: number
  readonly memory: number
  readonly forgives: boolean
  readonly kept: number
  readonly capacity: number
}

/** Interval at which forgotten names are removed, in milliseconds. */
const LOCKOUT_PRUNING_INTERVAL = 60_000
/** A failure this far in the future was noted before the clock was set back. In milliseconds. */
const FUTURE = 60_000
const NEVER = sql`'-infinity'::timestamptz`

/** The failed logins of all processes. Each attempt is one statement, which waits for concurrent ones of the same name. */
export class Lockouts extends LimitTable {
  constructor(database: Database, layout: Layout, now?: Now) {
    super(database, layout.system('lockouts'), LOCKOUT_PRUNING_INTERVAL, now)
  }

  /** Counts a failure, unless the name is locked. */
  async addFailure(name: string, policy: LockPolicy): Promise<void> {
    const now = this.now()
    const isForgotten = sql`${LAST} < ${now} - ${interval(policy.memory)} or "l"."at" > ${now} + ${interval(FUTURE)}`
    const failures = sql`case when ${isForgotten} then 1 else "l"."failures" + 1 end`
    await this.database.query(
      sql`insert into ${this.table} as "l" ("name", "failures", "at", "locked_until")
        values (${name}, 1, ${now}, ${lockedUntil(sql`1`, now, policy)})
        on conflict ("name") do update set "failures" = ${failures}, "at" = ${now}, "locked_until" = ${lockedUntil(failures, now, policy)}
        where not ${isLocked(now, policy)}`,
    )
    this.prune(() => this.#outdated(policy))
  }

  /** Resets the failures of a name, if the policy forgives, and returns true; unless it is locked. */
  async reset(name: string, policy: LockPolicy): Promise<boolean> {
    const now = this.now()
    const stays = policy.forgives ? isLocked(now, policy) : sql`true`
    // The row is updated in either case, so that the statement waits for a concurrent failure and decides by its result.
    const { rows } = await this.database.query(
      sql`update ${this.table} "l" set "failures" = case when ${stays} then "failures" else 0 end,
        "locked_until" = case when ${stays} then "locked_until" else ${NEVER} end
        where "name" = ${name} returning ${isLocked(now, policy)}`,
    )
    return rows[0]?.[0] !== 't'
  }

  async isLocked(name: string, policy: LockPolicy): Promise<boolean> {
    const { rows } = await this.database.query(
      sql`select from ${this.table} "l" where "name" = ${name} and ${isLocked(this.now(), policy)}`,
    )
    return rows.length > 0
  }

  /** Forgets a name, locked or not. */
  async remove(name: string): Promise<void> {
    await this.database.query(sql`delete from ${this.table} where "name" = ${name}`)
  }

  /** Removes names that are forgotten, and the oldest that are not locked beyond the capacity. */
  #outdated({ kept, capacity }: LockPolicy): Sql {
    const now = this.now()
    return sql`delete from ${this.table} where "locked_until" <= ${now} and ("failures" = 0 or greatest("at", "locked_until") < ${now} - ${interval(kept)}
      or "name" in (select "name" from ${this.table} where "locked_until" <= ${now} order by "at" desc offset ${capacity}::bigint))`
  }
}

/** A lock beyond the longest was noted before the clock was set back. */
const isLocked = (now: Sql, { longest }: LockPolicy): Sql =>
  sql`("l"."locked_until" > ${now} and "l"."locked_until" <= ${now} + ${interval(longest + FUTURE)})`

/** The end of the last lock, or the last failure if it caused none. */
const LAST = sql`greatest("l"."at", "l"."locked_until")`

/** The end of the lock that a failure causes: first the locks of the series, then one after as many failures as before the first. */
function lockedUntil(count: Sql, now: Sql, { failures, series, longest }: LockPolicy): Sql {
  const index = sql`(${count}) - ${failures}::integer`
  const duration = sql`case when ${index} < ${series.length}::integer then (${series}::double precision[])[${index} + 1]
    when (${index} - ${series.length}::integer + 1) % ${failures}::integer = 0 then ${longest}::double precision end`
  return sql`coalesce(${now} + ${duration} * interval '1 millisecond', ${NEVER})`
}

/** Interval at which callers are removed that sent nothing in the last window, in milliseconds. */
const CALLER_PRUNING_INTERVAL = 60_000
/** Maximum number of callers after pruning. */
const CAPACITY = 100_000

/** Sliding windows of requests by caller, for all processes. Each request is one statement, which waits for concurrent ones of the same caller. */
export class Callers extends LimitTable {
  constructor(database: Database, layout: Layout, now?: Now) {
    super(database, layout.system('callers'), CALLER_PRUNING_INTERVAL, now)
  }

  /**
   * Counts a request of a caller if fewer than `limit` were allowed in the window.
   *
   * @returns the number of requests in the window after this one, and the milliseconds until the oldest leaves it
   */
  async take(caller: string, limit: number, windowMs: number): Promise<{ allowed: boolean; count: number; resetMs: number }> {
    const now = this.now()
    const window = interval(windowMs)
    // The times of a caller never go back, unless the clock was set back by more than a window.
    const at = sql`case when "c"."last_at" > ${now} + ${window} then ${now} else greatest("c"."last_at", ${now}) end`
    const recent = sql`array(select "t" from unnest("c"."times") "t" where "t" > ${at} - ${window} and "t" <= ${at} order by "t")`
    const allowed = sql`cardinality(${recent}) < ${limit}::integer`
    const { rows } = await this.database.query(
      sql`insert into ${this.table} as "c" ("caller", "times", "last_at", "allowed") values (${caller}, array[${now}], ${now}, true)
        on conflict ("caller") do update set "times" = ${recent} || case when ${allowed} then array[${at}] else '{}' end,
          "last_at" = ${at}, "allowed" = ${allowed}
        returning "allowed", cardinality("times"), ${inMilliseconds(sql`"times"[1] + ${window} - "last_at"`)}`,
    )
    this.prune(() => this.#outdated(windowMs))
    const [isAllowed, count, reset] = rows[0] ?? []
    return { allowed: isAllowed === 't', count: Number(count), resetMs: Number(reset) }
  }

  #outdated(windowMs: number): Sql {
    return sql`delete from ${this.table} where "last_at" < ${this.now()} - ${interval(windowMs)}
      or "caller" in (select "caller" from ${this.table} order by "last_at" desc offset ${CAPACITY}::bigint)`
  }
}

/** The failed logins by the digest of the account. */
export const lockoutsTable = (layout: Layout): Sql => sql`create table ${layout.system('lockouts')} (
  "name" text collate "C" primary key, "failures" integer not null, "at" timestamptz not null, "locked_until" timestamptz not null
) with (fillfactor = 50)`

/** The times of the requests of a caller that were allowed, and whether the last one was. A crash of the server may forget them. */
export const callersTable = (layout: Layout): Sql => sql`create unlogged table ${layout.system('callers')} (
  "caller" text collate "C" primary key, "times" timestamptz[] not null, "last_at" timestamptz not null, "allowed" boolean not null
) with (fillfactor = 50)`

/** The requests that each process counted between two exchanges, which it numbers. A crash of the server may forget them. */
export const requestsTable = (layout: Layout): Sql => sql`create unlogged table ${layout.system('requests')} (
  "at" timestamptz not null, "process" text collate "C" not null, "number" bigint not null,
  "caller" text collate "C" not null, "count" integer not null,
  primary key ("at", "process", "number", "caller"), unique ("caller", "at", "process", "number")
)`

/** A time that tests give, in milliseconds since the Unix epoch. */
export const givenTime = (milliseconds: number): Sql => sql`to_timestamp(${milliseconds}::double precision / 1000)`

/** An interval. */
const interval = (milliseconds: number): Sql => sql`${literal(milliseconds)} * interval '1 millisecond'`

/** A time in milliseconds since the Unix epoch. */
const inMilliseconds = (time: Sql): Sql => sql`extract(epoch from ${time}) * 1000`
