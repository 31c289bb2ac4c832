import type { HeldLease, LeaseAnswer, LeaseRequest, OutboxTables, ReceiverLeases } from '../../shared-process.ts'
import type { Database } from '../connection/database.ts'
import { addToCounters } from '../layout/counters.ts'
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A holder that dies is replaced within 30 s: when its lease has ended, at the next exchange of another process. In milliseconds. */
const DURATION_MS = 25_000

/** Maximum number of events of one receiver in an answer. */
const MAX_EVENTS = 10_000

/** The field of events by which they name the subscriptions to deliver to. */
const PENDING = 'pending'

/** The table of leases. */
export const leasesTable = (layout: Layout): Sql =>
  // A new version of a row stays on its page, so that the updates need no vacuum.
  sql`create table ${layout.system('leases')} (
    "receiver" bigint primary key, "holder" text not null, "until" timestamptz not null, "wakes" bigint not null default 0
  ) with (fillfactor = 20)`

/** The leases of receivers in a database. Each exchange is one statement. */
export class PostgresLeases implements ReceiverLeases {
  readonly durationMs = DURATION_MS
  readonly #database: Database
  readonly #layout: Layout
  readonly #tables: OutboxTables
  readonly #holder: string

  /** @param holder a name that no other process has */
  constructor(database: Database, layout: Layout, tables: OutboxTables, holder: string) {
    this.#database = database
    this.#layout = layout
    this.#tables = tables
    this.#holder = holder
  }

  async exchange(request: LeaseRequest): Promise<LeaseAnswer> {
    const { rows } = await this.#database.query(this.#exchangeStatement(request))
    const held = new Map<number, HeldLease & { readonly events: number[] }>()
    const [taken, free] = [new Map<number, number>(), new Set<number>()]
    let [subscriptionsVersion, lateEvents] = ['', '']
    const events: [number, number][] = []
    for (const [kind, receiver, value] of rows) {
      if (kind === 'held') held.set(Number(receiver), { wakes: Number(value), events: [] })
      else if (kind === 'taken') taken.set(Number(receiver), Number(value))
      else if (kind === 'free') free.add(Number(receiver))
      else if (kind === 'event') events.push([Number(receiver), Number(value)])
      else if (kind === 'late') lateEvents = value ?? ''
      else subscriptionsVersion = value ?? ''
    }
    for (const [receiver, event] of events) held.get(receiver)?.events.push(event)
    for (const receiver of taken.keys()) free.delete(receiver)
    return { held, taken, free, subscriptionsVersion, lateEvents }
  }

  async release(receivers: readonly number[]): Promise<void> {
    if (receivers.length === 0) return
    await this.#database.query(
      sql`delete from ${this.#leases} where "receiver" = any(${receivers}::bigint[]) and "holder" = ${this.#holder}`,
    )
  }

  async wake(receiver: number): Promise<void> {
    await this.#database.query(sql`update ${this.#leases} set "wakes" = "wakes" + 1 where "receiver" = ${receiver}::bigint`)
  }

  get #leases(): Sql {
    return this.#layout.system('leases')
  }

  #exchangeStatement({ held, others }: LeaseRequest): Sql {
    const leases = this.#leases
    const pending = this.#layout.of(this.#tables.events).links.find(({ field }) => field.name === PENDING)
    if (pending === undefined) throw new Error(`The table '${this.#tables.events}' has no field '${PENDING}'`)
    const own = held.map(({ receiver }) => receiver)
    const after = held.map((each) => each.after)
    const end = sql`clock_timestamp() + interval ${literal(`${DURATION_MS} milliseconds`)}`
    const version = sql`select 'version', null::bigint, (select sum("writes") from ${this.#layout.system('counters')}
      where "table_name" = ${this.#tables.subscriptions})::bigint`
    if (held.length === 0 && others.length === 0) return version
    return sql`with
      "held" as (update ${leases} set "until" = ${end}
        where "receiver" = any(${own}::bigint[]) and "holder" = ${this.#holder} returning "receiver", "wakes"),
      "free" as (select "receiver" from unnest(${others}::bigint[]) "o" ("receiver") where not exists
        (select from ${leases} "l" where "l"."receiver" = "o"."receiver" and "l"."until" >= clock_timestamp())),
      "taken" as (insert into ${leases} as "l" ("receiver", "holder", "until")
        select "receiver", ${this.#holder}, ${end} from "free"
        where exists (select from ${pending.table} where "target" = "free"."receiver") order by "receiver"
        on conflict ("receiver") do update set "holder" = excluded."holder", "until" = excluded."until"
        where "l"."until" < clock_timestamp() returning "receiver", "wakes")
      ${version}
      union all select 'late', null, ${lateEventsVersion(this.#layout)}
      union all select 'held', "receiver", "wakes" from "held"
      union all select 'taken', "receiver", "wakes" from "taken"
      union all select 'free', "receiver", null from "free"
      union all select 'event', "h"."receiver", "e"."owner" from unnest(${own}::bigint[], ${after}::bigint[]) "h" ("receiver", "after")
        cross join lateral (select "owner" from ${pending.table} where "target" = "h"."receiver" and "owner" > "h"."after"
          order by "owner" limit ${literal(MAX_EVENTS)}) "e"`
  }
}

/** The name under which `_admin_counters` counts the statements that have stored many events. */
const COUNTED_AS = `${SYSTEM_PREFIX}late_events`

/**
 * A transaction with more events takes their ids so long before its commit that later ids may be known to be pending before it commits. Holders
 * of leases are then told to read all pending events again.
 */
const MANY_EVENTS = 100

/** The parts of a statement that stores events, by which holders of leases learn of them however late it commits; none if they are few. */
export const lateEventParts = (layout: Layout, count: number): Sql[] =>
  count <= MANY_EVENTS ? [] : [addToCounters(layout, literal(COUNTED_AS), sql`0`)]

/** A number that changes when a transaction with many events has been committed. */
const lateEventsVersion = (layout: Layout): Sql =>
  sql`(select coalesce(sum("writes"), 0) from ${layout.system('counters')} where "table_name" = ${COUNTED_AS})::bigint`
