import { setImmediate } from 'node:timers/promises'
import type { ReadOptions, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, type Sql, sql } from '../sql.ts'

/** The reads of a table in one turn of the event loop. */
interface JoinedRead {
  readonly ids: Set<number>
  readonly found: Promise<ReadonlyMap<number, StoredRecord>>
  /** Number of callers that have not given up. */
  callers: number
  readonly abort: AbortController
}

/** Reads records by their ids. The reads of one turn of the event loop are one statement for each table. */
export class RecordReads {
  readonly #connection: Connection
  readonly #layout: Layout
  /** Reads that have not been sent yet, by table. A read does not join one that has been sent, since a write may lie between. */
  readonly #waiting = new Map<string, JoinedRead>()

  constructor(connection: Connection, layout: Layout) {
    this.#connection = connection
    this.#layout = layout
  }

  /**
   * The records with these ids, in the order of the ids; undefined where no record exists. The statement is cancelled when the signals of all
   * callers are aborted.
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

  #begin(table: string): JoinedRead {
    const [ids, abort] = [new Set<number>(), new AbortController()]
    const found = setImmediate().then(() => {
      if (this.#waiting.get(table) === read) this.#waiting.delete(table)
      return this.#read(this.#layout.of(table), [...ids], abort.signal)
    })
    const read: JoinedRead = { ids, found, callers: 0, abort }
    this.#waiting.set(table, read)
    return read
  }

  async #read(table: TableLayout, ids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, StoredRecord>> {
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

function selectByIds(table: TableLayout, ids: readonly number[]): Sql {
  const alias = identifier('r')
  // A comparison with one value needs no array, and is planned faster.
  const condition = ids.length === 1 ? sql`= ${ids[0] ?? null}` : sql`= any(${ids})`
  return sql`select ${table.selectList(alias)} from ${table.table} ${alias} where ${alias}."id" ${condition}`
}
