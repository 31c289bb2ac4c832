import { setImmediate } from 'node:timers/promises'
import type { AggregateGroup, AggregatePlan } from '../../../query/aggregate.ts'
import { type Filter, isFieldFilter, type Plan } from '../../../query/plan.ts'
import type { FindOptions, FoundPage, ReadOptions, StoredRecord } from '../../store.ts'
import type { Connection, Database } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { aggregate } from './aggregation.ts'
import {
  hasVersion,
  noTotals,
  readPage,
  readPages,
  selectMatching,
  selectPage,
  selectPages,
  selectRecords,
  type Totals,
  totalKey,
} from './page.ts'

/** Records in a batch of a stream, as on the embedded engine. */
const STREAM_BATCH = 200

/** Rows that a stream fetches at once. */
const STREAM_ROWS = 1000

/** Pages up to this offset are always read from the start. */
const FROM_START = 1000

/** Pages read by one statement. */
const MAX_PAGES = 25

/** The reads of a table in one turn of the event loop. */
interface JoinedRead {
  readonly ids: Set<number>
  readonly found: Promise<ReadonlyMap<number, StoredRecord>>
  /** Number of callers that have not given up. */
  callers: number
  readonly abort: AbortController
}

/** Reads of records by one statement each. On the connection of a transaction that is repeatable, all are of one moment. */
export class RecordQueries {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #totals: Totals
  /** Reads by id that have not been sent yet, by table. A read does not join one that has been sent, since a write may lie between. */
  readonly #waiting = new Map<string, JoinedRead>()

  /** @param totals may be shared by all connections to a database */
  constructor(connection: Connection, layout: Layout, totals: Totals) {
    this.#connection = connection
    this.#layout = layout
    this.#totals = totals
  }

  /**
   * The records with these ids, in the order of the ids; undefined where no record exists. The reads of one turn of the event loop are one
   * statement for each table, which is cancelled when the signals of all callers are aborted.
   */
  async get(table: string, ids: readonly number[], { signal }: ReadOptions = {}): Promise<readonly (StoredRecord | undefined)[]> {
    signal?.throwIfAborted()
    if (ids.length === 0) return []
    const waiting = this.#waiting.get(table)
    const read = waiting === undefined || waiting.abort.signal.aborted ? this.#begin(table) : waiting
    // An id is a safe integer; PostgreSQL would refuse the statement for any other number.
    for (const id of ids) if (Number.isSafeInteger(id)) read.ids.add(id)
    read.callers++
    const giveUp = () => {
      if (--read.callers === 0) read.abort.abort(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      const found = await read.found
      return ids.map((id) => found.get(id))
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /**
   * The page of matching records that the plan describes, and the total, both of one snapshot.
   *
   * @param options the last page of the plan is read again only if the tables have another version
   */
  async find(name: string, plan: Plan, { last, signal, withoutTotal }: FindOptions = {}): Promise<FoundPage> {
    const table = this.#layout.of(name)
    if (withoutTotal) {
      const { rows } = await this.#connection.query(selectRecords(table, plan, this.#layout), { signal })
      return { records: rows.map((row) => table.read(row)), total: rows.length }
    }
    const key = totalKey(name, plan.filters)
    const known = this.#totals.get(key)
    const isFromEnd =
      plan.filters.length === 0 && plan.offset > Math.max(FROM_START, (known?.total ?? Number.POSITIVE_INFINITY) / 2)
    const statement = selectPage(table, plan, this.#layout, known, { isFromEnd, readIn: last?.version?.toString() })
    const { rows } = await this.#connection.query(statement, { signal })
    const { records, total, version } = readPage(table, rows)
    if (version === last?.version) return last
    this.#totals.set(key, { total, version })
    const page = { records: isFromEnd ? records.toReversed() : records, total }
    return hasVersion(plan) ? { ...page, version } : page
  }

  /** The pages of several plans, and their totals. */
  async findEach(name: string, plans: readonly Plan[], options?: ReadOptions): Promise<readonly FoundPage[]> {
    const table = this.#layout.of(name)
    const found: FoundPage[] = []
    for (let from = 0; from < plans.length; from += MAX_PAGES) {
      const some = plans.slice(from, from + MAX_PAGES)
      const { rows } = await this.#connection.query(selectPages(table, some, this.#layout), options)
      found.push(...readPages(table, some.length, rows))
    }
    return found
  }

  /** The ids of the given records that match all filters. */
  async matching(name: string, filters: readonly Filter[], ids: readonly number[]): Promise<ReadonlySet<number>> {
    const known = ids.filter(Number.isSafeInteger)
    if (known.length === 0) return new Set()
    const { rows } = await this.#connection.query(selectMatching(this.#layout.of(name), filters, known, this.#layout))
    return new Set(rows.map(([id]) => Number(id)))
  }

  #begin(table: string): JoinedRead {
    const [ids, abort] = [new Set<number>(), new AbortController()]
    const found = setImmediate().then(() => {
      if (this.#waiting.get(table) === read) this.#waiting.delete(table)
      return this.#readByIds(this.#layout.of(table), [...ids], abort.signal)
    })
    const read: JoinedRead = { ids, found, callers: 0, abort }
    this.#waiting.set(table, read)
    return read
  }

  async #readByIds(table: TableLayout, ids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, StoredRecord>> {
    if (ids.length === 0) return new Map()
    const { rows } = await this.#connection.query(selectByIds(table, ids), { signal })
    return new Map(
      rows.map((row) => {
        const record = table.read(row)
        return [record.id, record]
      }),
    )
  }
}

/** Executes the reads of a store. */
export class Queries extends RecordQueries {
  readonly #database: Database
  readonly #layout: Layout

  constructor(database: Database, layout: Layout) {
    super(database, layout, noTotals())
    this.#database = database
    this.#layout = layout
  }

  /** The totals of each group of matching records, in the order of the keys; undefined if there are too many groups. */
  aggregate(name: string, plan: AggregatePlan, options?: ReadOptions): Promise<readonly AggregateGroup[] | undefined> {
    return aggregate(this.#database, this.#layout.of(name), plan, this.#layout, options)
  }

  /** All matching records in order, in batches, as of the first batch. */
  async *stream(
    name: string,
    plan: Pick<Plan, 'filters' | 'sort'>,
    options: ReadOptions = {},
  ): AsyncIterableIterator<readonly StoredRecord[]> {
    const table = this.#layout.of(name)
    const statement = selectRecords(table, plan, this.#layout)
    const isSmall = plan.filters.some((filter) => isBounded(table, filter))
    const batches = isSmall
      ? [(await this.#database.query(statement, options)).rows]
      : this.#database.stream(statement, STREAM_ROWS, options)
    for await (const rows of batches) {
      for (let from = 0; from < rows.length; from += STREAM_BATCH) {
        yield rows.slice(from, from + STREAM_BATCH).map((row) => table.read(row))
      }
    }
  }
}

/** True if so few records match that they need no cursor, and so none of the connections that are kept for streams. */
function isBounded({ model }: TableLayout, filter: Filter): boolean {
  if (!isFieldFilter(filter) || filter.operator !== 'in' || filter.values.length > STREAM_ROWS) return false
  return filter.field === 'id' || model.fields.get(filter.field)?.unique === true
}

function selectByIds(table: TableLayout, ids: readonly number[]): Sql {
  const alias = identifier('r')
  // A comparison with one value needs no array, and is planned faster.
  const condition = ids.length === 1 ? sql`= ${ids[0] ?? null}` : sql`= any(${ids})`
  return sql`select ${table.selectList(alias)} from ${table.table} ${alias} where ${alias}."id" ${condition}`
}
