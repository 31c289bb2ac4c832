import type { Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { joined, type Sql, sql } from '../sql.ts'
import { databaseTime, inMilliseconds, interval, type Now } from './limit-tables.ts'
import { Pruning } from './pruning.ts'

/** Interval at which batches are removed that have left the window, in milliseconds. */
const PRUNING_INTERVAL = 10_000

/** Requests of a caller that a process counted at once. */
export interface CountedRequests {
  readonly caller: string
  /** Identifies the batch among those of all processes. */
  readonly key: string
  /** In milliseconds since the Unix epoch. */
  readonly at: number
  readonly count: number
}

/** What a process adds and asks for. */
export interface RequestExchange {
  readonly added: ReadonlyMap<string, number>
  /** The callers whose requests in the window are asked for. */
  readonly wanted: readonly string[]
  /** The requests that other processes added from this time on are asked for too. In milliseconds since the Unix epoch. */
  readonly since: number | undefined
  readonly windowMs: number
}

/** The numbers of requests that all processes counted in the last window. One statement adds those of this process and reads the others. */
export class Requests {
  readonly #database: Database
  readonly #table: Sql
  readonly #process: string
  readonly #now: Now
  readonly #pruning: Pruning
  /** Number of exchanges that were begun. */
  #exchanges = 0

  /** @param process identifies this process among those of the database */
  constructor(database: Database, layout: Layout, process: string, now = databaseTime) {
    this.#database = database
    this.#table = layout.system('requests')
    this.#process = process
    this.#now = now
    this.#pruning = new Pruning(database, PRUNING_INTERVAL)
  }

  async exchange({ added, wanted, since, windowMs }: RequestExchange): Promise<{
    readonly now: number
    readonly key: string
    readonly batches: readonly CountedRequests[]
  }> {
    const [table, own, now] = [this.#table, this.#process, this.#now()]
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
    const { rows } = await this.#database.query(added.size > 0 ? sql`${adding} ${read}` : read)
    this.#pruning.run(() => sql`delete from ${table} where "at" < ${this.#now()} - ${interval(2 * windowMs)}`)
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
