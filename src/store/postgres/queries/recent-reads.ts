import type { Plan } from '../../../query/plan.ts'
import type { Change, FoundPage, StoredRecord } from '../../store.ts'
import type { Connection, Database } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import type { Queries } from './queries.ts'
import type { RecordReads } from './record-reads.ts'

/** Age from which the versions of the tables are read again, while the present results are used. In milliseconds. */
const CHECK_AGE = 250
/** Age of the versions up to which results are used. In milliseconds. */
const MAX_AGE = 500

/** Parts of `RecentReads`. */
interface RecentReadsParts {
  readonly records: RecordReads
  readonly queries: Queries
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
}

/**
 * Remembers the results of reads that need not be of this moment, by the versions of their tables: the sums of the counters of writes, which
 * every program's changes increase. One statement reads the versions of all tables in use, at most every 250 ms, and only when something is read.
 *
 * A result is at most 500 ms older than the call. A result that was read while its table changed is used by the callers that wait for it only.
 */
export class RecentReads {
  readonly #database: Database
  readonly #layout: Layout
  readonly #parts: RecentReadsParts
  readonly #tables = new Map<string, RecentTable>()
  /** When the last successful reading of the versions began. */
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined

  constructor(database: Database, layout: Layout, parts: RecentReadsParts) {
    this.#database = database
    this.#layout = layout
    this.#parts = parts
  }

  /** The records with these ids, in the order of the ids; undefined where no record exists. */
  async get(name: string, ids: readonly number[]): Promise<readonly (StoredRecord | undefined)[]> {
    if (ids.length === 0) return []
    const table = await this.#current(name)
    const known = ids.map((id) => table.recall(id))
    const missing = ids.filter((_, index) => known[index] === undefined)
    if (missing.length === 0) return known.map((each) => each?.record)
    const found = await this.#parts.records.get(name, missing)
    const records = new Map(missing.map((id, index) => [id, found[index]]))
    for (const [id, record] of records) table.remember(id, record)
    return ids.map((id, index) => known[index]?.record ?? records.get(id))
  }

  /** The page of matching records that the plan describes, and the total. */
  async find(name: string, plan: Plan): Promise<FoundPage> {
    const key = JSON.stringify(plan)
    const table = await this.#current(name)
    const known = table.recallPage(key)
    if (known !== undefined) return known
    const page = await this.#parts.queries.find(name, plan)
    table.rememberPage(key, page)
    return page
  }

  /** Forgets the results of changed tables, so that this process sees its own changes. */
  forget(changes: readonly Change[]): void {
    for (const name of new Set(changes.map(({ table }) => table))) this.#replace(name)
  }

  /** Forgets all results. */
  forgetAll(): void {
    for (const name of this.#tables.keys()) this.#replace(name)
  }

  /** A read that is running keeps the former object, so that its result is not remembered. */
  #replace(name: string, version = this.#tables.get(name)?.version): void {
    if (this.#tables.has(name)) this.#tables.set(name, new RecentTable(version))
  }

  async #current(name: string): Promise<RecentTable> {
    const calledAt = this.#parts.now()
    if (this.#tables.get(name)?.version === undefined) {
      this.#tables.set(name, new RecentTable(undefined))
      // One that is running may not ask for the version of this table.
      await this.#checking?.catch(() => {})
      if (this.#tables.get(name)?.version === undefined) await this.#check()
    }
    if (calledAt - this.#checkedAt >= CHECK_AGE) {
      const check = this.#check()
      if (calledAt - this.#checkedAt < MAX_AGE) check.catch(() => {})
      else await check
      // That check may have begun long before this call.
      while (calledAt - this.#checkedAt >= MAX_AGE) await this.#check()
    }
    return this.#tables.get(name) ?? new RecentTable(undefined)
  }

  #check(): Promise<void> {
    this.#checking ??= this.#readVersions().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #readVersions(): Promise<void> {
    const startedAt = this.#parts.now()
    const versions = await readVersions(this.#database, this.#layout, [...this.#tables.keys()])
    for (const [name, version] of versions) if (this.#tables.get(name)?.version !== version) this.#replace(name, version)
    this.#checkedAt = startedAt
  }
}

/** Maximum number of records, and of pages, that are remembered of a table. */
const CAPACITY = 10_000

/** The remembered results of one version of a table. */
class RecentTable {
  /** Undefined until it was read; nothing is remembered before. */
  readonly version: string | undefined
  readonly #records = new Map<number, { readonly record: StoredRecord | undefined }>()
  readonly #pages = new Map<string, FoundPage>()

  constructor(version: string | undefined) {
    this.version = version
  }

  /** The record with this id, if it is remembered whether there is one. */
  recall(id: number): { readonly record: StoredRecord | undefined } | undefined {
    return this.#records.get(id)
  }

  remember(id: number, record: StoredRecord | undefined): void {
    makeRoom(this.#records)
    this.#records.set(id, { record })
  }

  /** @param key the JSON of the plan */
  recallPage(key: string): FoundPage | undefined {
    return this.#pages.get(key)
  }

  rememberPage(key: string, page: FoundPage): void {
    makeRoom(this.#pages)
    this.#pages.set(key, page)
  }
}

/** Removes the oldest entry of a full map. */
function makeRoom<K>(map: Map<K, unknown>): void {
  const [oldest] = map.size < CAPACITY ? [] : map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

/** The versions of tables, by their names. A version changes with every transaction that changes the table, or one of its link tables. */
async function readVersions(
  connection: Connection,
  layout: Layout,
  tables: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await connection.query(
    sql`select "name", coalesce((select sum("writes") from ${layout.system('counters')} where "table_name" = "name"), 0)
      from unnest(${tables}::text[]) "name"`,
  )
  return new Map(rows.map(([name, version]) => [name ?? '', version ?? '']))
}
