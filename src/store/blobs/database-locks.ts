import pLimit, { type LimitFunction } from 'p-limit'
import { type Connection, type Database, isLockTimeout } from '../postgres/connection/database.ts'
import { unavailable } from '../postgres/connection/session.ts'
import { joined, literal, sql } from '../postgres/sql.ts'
import { type HashLocks, inTurnOf } from './hash-locks.ts'

/** A lock is waited for in parts, so that a statement ends before its timeout. In milliseconds. */
const WAIT_MS = 2000

/** Milliseconds after which the server ends the lock of a process that has hung. */
const LONGEST_WORK_MS = 15 * 60_000

type LockDatabase = Pick<Database, 'transaction' | 'maxConnections'>

/**
 * Exclusion among all processes that use a database, by advisory locks. They belong to a transaction, so that a pooler may stand between and
 * so that the lock of a killed process ends. A lock takes a connection for the time of the work; a third of the pool may be taken so.
 */
export class DatabaseLocks implements HashLocks {
  readonly #database: LockDatabase
  readonly #schema: string
  readonly #slots: LimitFunction
  /** The connection that holds the lock of a hash. */
  readonly #held = new Map<string, Connection>()

  constructor(database: LockDatabase, schema: string) {
    this.#database = database
    this.#schema = schema
    this.#slots = pLimit(Math.max(1, Math.floor(database.maxConnections / 3)))
  }

  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T> {
    // In one order everywhere, so that no two processes wait for each other.
    const keys = [...new Set([hashes].flat())].sort()
    const places = keys.map((key) => `${this.#schema}\0${key}`)
    return inTurnOf(places, () => {
      // Work needs a connection beside that of the lock.
      if (this.#database.maxConnections < 2) return work()
      return this.#slots(() => this.#locked(keys, work))
    })
  }

  /** The connection in whose transaction a hash is locked by this process; undefined if it is not. */
  holderOf(sha256: string): Connection | undefined {
    return this.#held.get(sha256)
  }

  async confirm(sha256: string): Promise<void> {
    await this.#held.get(sha256)?.query(sql`select 1`)
  }

  async #locked<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const locks = joined(keys.map((key) => literal(`admin-folder file ${this.#schema} ${key}`)))
    for (;;) {
      let begun = false
      let done: { readonly value: T } | undefined
      try {
        await this.#database.transaction(async (connection) => {
          // The transaction is repeated if its connection is lost, but the work must not be.
          if (begun) throw unavailable('The lock of a file was lost')
          await connection.query(
            sql`set local lock_timeout = ${literal(WAIT_MS)};
              set local idle_in_transaction_session_timeout = ${literal(LONGEST_WORK_MS)};
              select pg_advisory_xact_lock(hashtextextended("key", 0)) from unnest(array[${locks}]) "key"`,
          )
          begun = true
          for (const key of keys) this.#held.set(key, connection)
          try {
            done = { value: await work() }
          } finally {
            for (const key of keys) this.#held.delete(key)
          }
        })
      } catch (error) {
        if (!begun && isLockTimeout(error)) continue
        throw error
      }
      if (done === undefined) throw new Error('A lock ended without its work')
      return done.value
    }
  }
}
