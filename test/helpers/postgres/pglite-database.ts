import { messages, PGlite, type Results, type Transaction } from '@electric-sql/pglite'
import {
  type Connection,
  type Database,
  type DatabaseUsage,
  type ResultRow,
  type ResultRows,
  StatementError,
  type StatementOptions,
  type TransactionOptions,
} from '../../../src/store/postgres/connection/database.ts'
import { identifier, literal, type Sql, sql } from '../../../src/store/postgres/sql.ts'

/** PostgreSQL in this process, by WebAssembly. It has one connection, which transactions use one after another. */
export class PgliteDatabase implements Database {
  readonly #pglite: PGlite
  #cursors = 0

  private constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /** Starts an empty database. */
  static async open(): Promise<PgliteDatabase> {
    const pglite = await PGlite.create()
    // All values stay the texts that the server writes and reads, as on a connection of the store.
    for (const type of Object.keys(pglite.parsers)) pglite.parsers[type] = (text: string) => text
    for (const type of Object.keys(pglite.serializers)) pglite.serializers[type] = (text: string) => text
    return new PgliteDatabase(pglite)
  }

  query(statement: Sql, options?: StatementOptions): Promise<ResultRows> {
    return execute(this.#pglite, statement, options)
  }

  async transaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    try {
      return await this.#pglite.transaction(async (transaction) => {
        const { isolation = 'read committed', readOnly = false } = options
        await transaction.exec(`set transaction isolation level ${isolation}, read ${readOnly ? 'only' : 'write'}`)
        return work({ query: (statement, given) => execute(transaction, statement, given) })
      })
    } catch (error) {
      throw translated(error)
    }
  }

  /** The cursor holds its rows, so that other statements may run between its batches. */
  async *stream(statement: Sql, batch: number): AsyncIterable<readonly ResultRow[]> {
    const name = `held_${++this.#cursors}`
    await this.query(sql`declare ${identifier(name)} no scroll cursor with hold for ${statement}`)
    try {
      for (;;) {
        const { rows } = await this.query(sql`fetch ${literal(batch)} from ${identifier(name)}`)
        if (rows.length > 0) yield rows
        if (rows.length < batch) return
      }
    } finally {
      await this.query(sql`close ${identifier(name)}`)
    }
  }

  readonly maxConnections = 1

  usage(): DatabaseUsage {
    return { connections: 1, idle: 1, waiting: 0, retries: 0 }
  }

  close(): Promise<void> {
    return this.#pglite.close()
  }
}

async function execute(on: PGlite | Transaction, statement: Sql, { signal }: StatementOptions = {}): Promise<ResultRows> {
  signal?.throwIfAborted()
  const { text, values } = statement.compile()
  try {
    const { rows, affectedRows = 0 }: Results<ResultRow> = await on.query<ResultRow>(text, [...values], { rowMode: 'array' })
    return { rows, count: affectedRows === 0 ? rows.length : affectedRows }
  } catch (error) {
    throw translated(error)
  }
}

function translated(error: unknown): unknown {
  if (!(error instanceof messages.DatabaseError) || error.code === undefined) return error
  return new StatementError(error.message, error.code, error)
}
