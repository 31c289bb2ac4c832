import type { Timer } from '../../../util/clock.ts'
import type { Connection, Database } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import type { Layout } from '../layout/layout.ts'
import { joined, literal, type Sql, sql } from '../sql.ts'

/** Interval of renewing the entry of a process, in milliseconds. */
const RENEWAL_MS = 5000

/**
 * A process that has not renewed its entry for this time does not live. It renews by the connections of its requests, which may be taken or
 * cut for some time. In milliseconds.
 */
const DURATION_MS = 60_000

/** A timer that does not keep the process alive. */
const backgroundTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds).unref()
  return () => clearTimeout(timeout)
}

/** The table of the processes that serve the database. */
export const processesTable = (layout: Layout): Sql =>
  // A new version of a row stays on its page, so that the updates need no vacuum.
  sql`create table ${layout.system('processes')} (
    "process" text primary key, "until" timestamptz not null
  ) with (fillfactor = 20)`

/** The entry of this process among those that serve a database. Times are those of the database. */
export class ProcessEntry {
  /** A name that no other process has. Its leases, and its entry as a reader of changes, have names that begin with it and a point. */
  readonly name: string
  readonly #database: Database
  readonly #timer: Timer
  /** Renews and removes the entry; undefined while there is none. */
  #statements: { readonly renew: Sql; readonly remove: Sql } | undefined
  #cancel = () => {}
  #renewal: Promise<unknown> = Promise.resolve()

  constructor(database: Database, name: string, timer: Timer = backgroundTimer) {
    this.#database = database
    this.name = name
    this.#timer = timer
  }

  /** Enters the process, and renews the entry until `withdraw`. */
  async enter(layout: Layout): Promise<void> {
    const table = layout.system('processes')
    const until = sql`clock_timestamp() + interval ${literal(`${DURATION_MS} milliseconds`)}`
    const renew = sql`insert into ${table} values (${this.name}, ${until})
      on conflict ("process") do update set "until" = excluded."until"`
    await this.#database.query(renew)
    // Of processes that were killed.
    await this.#database.query(sql`delete from ${table} where "until" < clock_timestamp() - interval '1 hour'`)
    this.#statements = { renew, remove: sql`delete from ${table} where "process" = ${this.name}` }
    this.#schedule()
  }

  #schedule(): void {
    this.#cancel()
    this.#cancel = this.#timer(RENEWAL_MS, () => {
      if (this.#statements === undefined) return
      // One that fails is made up for by the next.
      this.#renewal = this.#database.query(this.#statements.renew).catch(() => {})
      this.#schedule()
    })
  }

  /** Removes the entry. If the database cannot be reached, the entry ends by itself. */
  async withdraw(): Promise<void> {
    const statements = this.#statements
    this.#statements = undefined
    this.#cancel()
    await this.#renewal
    if (statements !== undefined) await this.#database.query(statements.remove).catch(() => {})
  }
}

/** Tables that tell of processes: the column of their name, and the condition of those that live. */
const TELLING: Readonly<Record<string, Sql>> = {
  processes: sql`"process"`,
  leases: sql`"holder"`,
  change_readers: sql`"origin"`,
}

/**
 * Counts the processes that serve a database: by their entries, and, for those of releases that made none, by their leases and as readers
 * of changes. A process that was killed counts for up to a minute.
 *
 * @param own name of a process that is not counted
 */
export async function livingProcesses(connection: Connection, layout: Layout, own = ''): Promise<number> {
  const names = Object.keys(TELLING).map((name) => SYSTEM_PREFIX + name)
  const { rows: present } = await connection.query(sql`select "relname" from pg_class
    join pg_namespace "n" on "n"."oid" = "relnamespace" where "nspname" = ${layout.schema} and "relname" = any(${names}::text[])`)
  const known = new Set(present.map(([name]) => name))
  const parts = Object.entries(TELLING).flatMap(([name, column]) =>
    known.has(SYSTEM_PREFIX + name)
      ? [sql`select split_part(${column}, '.', 1) as "name" from ${layout.system(name)} where "until" > clock_timestamp()`]
      : [],
  )
  if (parts.length === 0) return 0
  const { rows } = await connection.query(
    sql`select count(distinct "name") from (${joined(parts, ' union all ')}) "living" where "name" <> ${own}`,
  )
  return Number(rows[0]?.[0] ?? 0)
}
