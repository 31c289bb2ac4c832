import { systemTimer, type Timer } from '../../../util/clock.ts'
import type { ChangeLog, LogRead } from '../../changes.ts'
import type { Change, StoredRecord } from '../../store.ts'
import { withoutSecrets } from '../../transaction/side-records.ts'
import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'
import { type DatabaseClock, serverTime } from './database-clock.ts'

/** What a process knows of the readers is renewed after this time. In milliseconds. */
const KNOWN_MS = 1000
/** Time from the decision of a process to log nothing until its transaction is committed. After longer ones, new readers are looked for. */
const STATEMENT_MS = 500

/** Interval of removing old entries, in milliseconds. */
const PRUNE_MS = 60_000

/** The channel of notifications that a process has written to the log. */
export const CHANGES_CHANNEL = 'admin_changes'

/** The changes of this time are notified of together, in milliseconds. Each notification takes a lock of the whole server. */
const NOTIFY_DELAY_MS = 50

/** Receives the payloads of notifications. Returns a function that ends it. */
export type Listen = (heard: (payload: string) => void) => () => void

/** Dependencies of a log of changes. */
export interface StoredChangeLogParts {
  /** A name that no other process has. */
  readonly origin: string
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
  /** Receives the notifications of `CHANGES_CHANNEL`; without it, none are. */
  readonly listen?: Listen
  readonly timer?: Timer
  /** Is corrected by each look for readers. */
  readonly clock?: DatabaseClock
}

/** The table of the processes that read the log. */
export const readersTable = (layout: Layout): Sql =>
  sql`create table ${layout.system('change_readers')} ("origin" text primary key, "until" timestamptz not null) with (fillfactor = 20)`

/** The log of changes in a database, as one process writes and reads it. */
export class StoredChangeLog implements ChangeLog {
  readonly noticeMs = KNOWN_MS + STATEMENT_MS
  /** A name that no other process has. */
  readonly origin: string
  readonly #database: Database
  readonly #layout: Layout
  readonly #parts: StoredChangeLogParts
  #cancelNotification: (() => void) | undefined
  #isRead = true
  /** When the readers were asked for last. */
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(database: Database, layout: Layout, parts: StoredChangeLogParts) {
    this.#database = database
    this.#layout = layout
    this.#parts = parts
    this.origin = parts.origin
  }

  /**
   * The origin to log changes with; undefined while no process reads the log. Costs a query once a second.
   */
  wanted(): string | undefined | Promise<string | undefined> {
    if (this.#parts.now() - this.#askedAt < KNOWN_MS) return this.#isRead ? this.origin : undefined
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking.then((isRead) => (isRead ? this.origin : undefined))
  }

  async #ask(): Promise<boolean> {
    const askedAt = this.#parts.now()
    try {
      const query = sql`select ${serverTime},
        exists (select from ${this.#readers} where "origin" <> ${this.origin} and "until" > clock_timestamp())`
      const rows = (await this.#parts.clock?.read(this.#database, query)) ?? (await this.#database.query(query)).rows
      this.#isRead = rows[0]?.[1] === 't'
      this.#askedAt = askedAt
      return this.#isRead
    } catch {
      // What the write itself meets is told.
      return true
    }
  }

  /**
   * Tells the readers that changes are missing, if a transaction that was not logged took so long that a reader may have begun meanwhile.
   *
   * @param decidedAt when `wanted` was asked, as `now` tells
   */
  async noteUnlogged(decidedAt: number): Promise<void> {
    if (this.#parts.now() - decidedAt <= STATEMENT_MS || !(await this.#ask())) return
    await this.#database.query(insertGap(this.#layout))
  }

  /**
   * Notifies the readers of entries that were stored, soon and after the commit: within a transaction, a notification would make all of the
   * server's commits wait for each other.
   */
  notifySoon(): void {
    this.#cancelNotification ??= (this.#parts.timer ?? systemTimer)(NOTIFY_DELAY_MS, () => void this.#notify())
  }

  /** Sends the notification that waits. */
  async close(): Promise<void> {
    if (this.#cancelNotification === undefined) return
    this.#cancelNotification()
    await this.#notify()
  }

  async #notify(): Promise<void> {
    this.#cancelNotification = undefined
    // Readers read the log without it too.
    await this.#database.query(sql`select pg_notify(${CHANGES_CHANNEL}, ${this.#payload})`).catch(() => {})
  }

  /** Other schemas of the database use the same channel. */
  get #payload(): string {
    return `${this.#layout.schema} ${this.origin}`
  }

  listen(heard: () => void): () => void {
    const end = this.#parts.listen?.((payload) => {
      if (payload !== this.#payload && payload.startsWith(`${this.#layout.schema} `)) heard()
    })
    return end ?? (() => {})
  }

  async announce(): Promise<void> {
    await this.#prune()
    await this.#database.query(
      sql`insert into ${this.#readers} values (${this.origin}, clock_timestamp() + interval '1 minute')
        on conflict ("origin") do update set "until" = excluded."until"`,
    )
  }

  async end(): Promise<string> {
    const { rows } = await this.#database.query(sql`select pg_current_snapshot()`)
    return rows[0]?.[0] ?? ''
  }

  async read(position: string): Promise<LogRead | undefined> {
    await this.#prune()
    // A snapshot tells which transactions were visible at the last read, so that the transactions that became visible since then are reported.
    const { rows } = await this.#database.query(
      sql`with "extended" as (update ${this.#readers} set "until" = clock_timestamp() + interval '1 minute'
          where "origin" = ${this.origin} and "until" > clock_timestamp() returning true)
        select 'state', pg_current_snapshot()::text, (select count(*) from "extended")::text, null
        union all (select 'entry', round(extract(epoch from "at") * 1000)::text, array_to_json("ids")::text, "changes"::text
          from ${this.#changes} where "xid" >= pg_snapshot_xmin(${position}::pg_snapshot)
            and not pg_visible_in_snapshot("xid", ${position}::pg_snapshot) and "origin" <> ${this.origin}
          order by "xid", "at")`,
    )
    const [, end, extended] = rows.find(([kind]) => kind === 'state') ?? []
    if (end == null || extended === '0') return undefined
    const entries = rows.filter(([kind]) => kind === 'entry')
    return {
      position: end,
      transactions: entries.map(([, at = null, ids = null, changes = null]) => ({
        at: Number(at),
        changes: readEntry(this.#layout, ids, changes),
      })),
    }
  }

  async withdraw(): Promise<void> {
    await this.#database.query(sql`delete from ${this.#readers} where "origin" = ${this.origin}`)
  }

  /** Readers are told after a few seconds, or begin again after a minute. */
  async #prune(): Promise<void> {
    if (this.#parts.now() - this.#prunedAt < PRUNE_MS) return
    this.#prunedAt = this.#parts.now()
    await this.#database.query(sql`delete from ${this.#changes} where "at" < clock_timestamp() - interval '5 minutes'`)
    await this.#database.query(sql`delete from ${this.#readers} where "until" < clock_timestamp() - interval '5 minutes'`)
  }

  get #changes(): Sql {
    return this.#layout.system('changes')
  }

  get #readers(): Sql {
    return this.#layout.system('change_readers')
  }
}

/** A transaction with more changes is logged without them: its readers are told that changes are missing. */
const MAX_CHANGES = 1000

/** The changes of a transaction as the log keeps them. */
export interface LogEntry {
  /** The process that makes the changes. */
  readonly origin: string
  /** Those of public models. */
  readonly changes: readonly Change[]
}

/** A change as text of the log. `id` is absent if the statement gives it. */
interface StoredChange {
  readonly table: string
  readonly id?: number
  readonly before?: StoredRecord
  readonly after?: StoredRecord
}

/**
 * The table of the log: the changes of a transaction, and the ids that its statement has given to the records of all of them, in their order.
 */
export const changesTable = (layout: Layout): Sql => sql`create table ${layout.system('changes')} (
  "xid" xid8 not null default pg_current_xact_id(), "at" timestamptz not null default clock_timestamp(),
  "origin" text not null, "ids" bigint[], "changes" json, primary key ("xid", "at")
)`

/** The entry of some changes; undefined if none of them is of a public model. */
export function logEntryOf(layout: Layout, origin: string | undefined, changes: readonly Change[]): LogEntry | undefined {
  if (origin === undefined) return undefined
  const told = changes.filter(({ table }) => !layout.of(table).model.internal)
  return told.length === 0 ? undefined : { origin, changes: told }
}

/** Stores an entry whose records have their ids. */
export const insertEntry = (layout: Layout, { origin, changes }: LogEntry): Sql =>
  sql`insert into ${layout.system('changes')} ("origin", "changes") values (${origin}, ${textOf(layout, changes, true)}::json)`

/** Stores an entry whose records get their ids from the part `"ids"` of the statement, which has the columns `"n"` and `"id"`. */
export const insertEntryWithIds = (layout: Layout, { origin, changes }: LogEntry): Sql =>
  sql`insert into ${layout.system('changes')} ("origin", "ids", "changes")
    select ${origin}::text, array_agg("id" order by "n"), ${textOf(layout, changes, false)}::json from "ids" having count(*) > ${literal(0)}`

/** Tells the readers of the log in other processes that changes are missing. */
export const insertUnknown = (layout: Layout, origin: string): Sql =>
  sql`insert into ${layout.system('changes')} ("origin") values (${origin})`

/** Tells all readers of the log, in this process too, that changes are missing. */
export const insertGap = (layout: Layout): Sql => insertUnknown(layout, '')

function textOf(layout: Layout, changes: readonly Change[], withIds: boolean): string | null {
  if (changes.length > MAX_CHANGES) return null
  return JSON.stringify(
    changes.map(({ table, id, before, after }): StoredChange => {
      const { secrets } = layout.of(table).model
      return {
        table,
        ...(withIds && { id }),
        ...(before !== undefined && { before: withoutSecrets(before, secrets) }),
        ...(after !== undefined && { after: withoutSecrets(after, secrets) }),
      }
    }),
  )
}

/** The changes of an entry, from its columns `ids` and `changes`. Those of tables that this process does not know are left out. */
function readEntry(layout: Layout, ids: string | null, changes: string | null): readonly Change[] | undefined {
  if (changes === null) return undefined
  const given = ids === null ? undefined : (JSON.parse(ids) as number[])
  return (JSON.parse(changes) as StoredChange[]).flatMap(({ table, id: own, before, after }, index) => {
    if (layout.registry.get(table) === undefined) return []
    const id = own ?? given?.[index] ?? 0
    return [{ table, id, before: before && { ...before, id }, after: after && { ...after, id } }]
  })
}
