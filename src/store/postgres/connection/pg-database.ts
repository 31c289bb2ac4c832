import { Pool } from 'pg'
import { systemTimer, type Timer } from '../../../util/clock.ts'
import { type CompiledSql, keyword, literal, type Sql, sql } from '../sql.ts'
import { clientConfig, parseAddress } from './address.ts'
import {
  type Connection,
  type Database,
  type DatabaseUsage,
  isMisfit,
  isTransient,
  type ResultRow,
  type ResultRows,
  type StatementError,
  type StatementOptions,
  type TransactionOptions,
} from './database.ts'
import {
  connectFailure,
  DatabaseSession,
  hasNoConnections,
  LostConnection,
  outcomeUnknown,
  type SessionSettings,
  tablesChanged,
  unavailable,
} from './session.ts'

/** Options of a pool of connections. */
export interface PgDatabaseOptions {
  /** Maximum number of connections. */
  readonly pool?: number
  /** Milliseconds after which a statement is cancelled. */
  readonly statementTimeout?: number
  /** Milliseconds that a statement waits for a connection. */
  readonly acquireTimeoutMs?: number
  /** Called with the duration of each statement in milliseconds. */
  readonly observe?: (milliseconds: number) => void
  /** True for the records of a project: a statement that does not fit the tables is TABLES_CHANGED. */
  readonly isServing?: boolean
  /** Called with errors of connections that are not in use, as when the server restarts, and of statements that do not fit the tables. */
  readonly warn?: (message: string, error: unknown) => void
  /** Lets the process end while connections are open that are not in use. */
  readonly allowExit?: boolean
  readonly timer?: Timer
  /** From 0 to below 1. */
  readonly random?: () => number
}

const DEFAULT_POOL = 10
const DEFAULT_STATEMENT_TIMEOUT = 30_000
const DEFAULT_ACQUIRE_TIMEOUT_MS = 5000

/** Milliseconds after which a connection that is not in use is closed. */
const IDLE_TIMEOUT = 60_000

/** Milliseconds after which the server ends a transaction in which nothing is executed, since its process has hung. */
const IDLE_IN_TRANSACTION_TIMEOUT = 60_000

/** How often a transaction is repeated after a deadlock or a serialization failure. */
const MAX_REPEATS = 8

/** The first delay before a transaction is repeated, in milliseconds; each further one is up to twice as long. */
const FIRST_DELAY = 4

/** Statements that may change something, by their text without quoted names. Others are repeated when their connection is lost. */
const MAY_WRITE = /\b(insert|update|delete|merge|truncate|create|alter|drop|nextval|setval|call|do|set_config|pg_notify)\b/i

/** Different messages about the tables that are logged. */
const MAX_WARNED = 100

/** Milliseconds after which a server that had no connection to spare is asked again. */
const FULL_SERVER_DELAY = 100

const COMMIT: CompiledSql = { text: 'commit', values: [] }
const ROLLBACK: CompiledSql = { text: 'rollback', values: [] }

/** A database on a server, by a pool of connections. */
export class PgDatabase implements Database {
  readonly #pool: Pool
  readonly #options: Required<Omit<PgDatabaseOptions, 'observe' | 'warn' | 'allowExit'>>
  readonly #settings: SessionSettings
  readonly #warn: NonNullable<PgDatabaseOptions['warn']>
  #retries = 0
  /** Messages that were logged. */
  readonly #warned = new Set<string>()
  /** Number of streams that are being read. */
  #streams = 0
  /** Streams that wait until another one ends. */
  readonly #waitingStreams: (() => void)[] = []

  /** @param address `postgres://…`; no connection is made before the first statement */
  constructor(address: string, { observe = () => {}, warn = () => {}, allowExit = false, ...options }: PgDatabaseOptions = {}) {
    const {
      pool = DEFAULT_POOL,
      statementTimeout = DEFAULT_STATEMENT_TIMEOUT,
      acquireTimeoutMs = DEFAULT_ACQUIRE_TIMEOUT_MS,
      timer = systemTimer,
      random = Math.random,
      isServing = false,
    } = options
    const parsed = parseAddress(address)
    this.#options = { pool, statementTimeout, acquireTimeoutMs, timer, random, isServing }
    this.#settings = { tls: parsed.tls, statementTimeout, timer, observe }
    this.#warn = warn
    this.#pool = new Pool({
      ...clientConfig(parsed, acquireTimeoutMs),
      max: pool,
      idleTimeoutMillis: IDLE_TIMEOUT,
      allowExitOnIdle: allowExit,
    })
    this.#pool.on('error', (error) => warn('A connection to the database was lost', error))
    // A client without a listener would end the process when its connection is lost during a statement.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  query(statement: Sql, options: StatementOptions = {}): Promise<ResultRows> {
    const compiled = statement.compile()
    return this.#repeated(
      () => this.#use((session) => session.query(compiled, options)),
      () => MAY_WRITE.test(compiled.text.replaceAll(/"[^"]*"/g, '')),
      options.isRepeated,
    )
  }

  async transaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const begin = beginning(options, { statementTimeout: this.#options.statementTimeout })
    let isCommitting = false
    return this.#repeated(
      () => {
        isCommitting = false
        return this.#use(async (session) => {
          await session.query(begin)
          const result = await undone(session, () =>
            work({ query: (statement, given) => session.query(statement.compile(), { signal: options.signal, ...given }) }),
          )
          isCommitting = true
          const { command } = await session.query(COMMIT)
          // The server answers so when a statement failed and `work` went on.
          if (command !== 'COMMIT') throw new Error('The transaction was rolled back, since one of its statements had failed')
          return result
        })
      },
      () => isCommitting && options.readOnly !== true,
    )
  }

  async *stream(
    statement: Sql,
    batch: number,
    { signal }: Pick<StatementOptions, 'signal'> = {},
  ): AsyncIterable<readonly ResultRow[]> {
    await this.#beginStream(signal)
    try {
      yield* this.#cursor(statement, batch, signal)
    } finally {
      const next = this.#waitingStreams.shift()
      if (next === undefined) this.#streams -= 1
      else next()
    }
  }

  /** A reader may be slow, so half of the connections are left for everything else. Further streams wait as long as for a connection. */
  async #beginStream(signal: AbortSignal | undefined): Promise<void> {
    const { pool, acquireTimeoutMs, timer } = this.#options
    if (this.#streams < Math.ceil(pool / 2)) {
      this.#streams += 1
      return
    }
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        cancelTimer()
        signal?.removeEventListener('abort', leave)
      }
      const begin = () => {
        stop()
        resolve()
      }
      const refuse = (error: unknown) => {
        stop()
        this.#waitingStreams.splice(this.#waitingStreams.indexOf(begin), 1)
        reject(error)
      }
      const leave = () => refuse(signal?.reason)
      const cancelTimer = timer(acquireTimeoutMs, () =>
        refuse(unavailable('As many exports are running as the pool of connections allows')),
      )
      signal?.addEventListener('abort', leave, { once: true })
      this.#waitingStreams.push(begin)
    })
  }

  async *#cursor(statement: Sql, batch: number, signal: AbortSignal | undefined): AsyncIterable<readonly ResultRow[]> {
    const session = await this.#acquire()
    const fetch = sql`fetch ${literal(batch)} from "batches"`.compile()
    let isDone = false
    try {
      await session.query({
        text: `begin isolation level repeatable read read only; set local cursor_tuple_fraction = 1;
          set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT}`,
        values: [],
      })
      await session.query(sql`declare "batches" no scroll cursor for ${statement}`.compile(), { signal })
      let next = session.query(fetch, { signal })
      for (;;) {
        const { rows } = await next
        const isLast = rows.length < batch
        // The next batch is read while the caller works on this one.
        if (!isLast) next = ignored(session.query(fetch, { signal }))
        if (rows.length > 0) yield rows
        if (isLast) break
      }
      await session.query(COMMIT)
      isDone = true
    } catch (error) {
      throw this.#final(error, false)
    } finally {
      if (!isDone) await session.query(ROLLBACK).catch(() => session.abandon())
      session.release()
    }
  }

  get maxConnections(): number {
    return this.#options.pool
  }

  usage(): DatabaseUsage {
    const { totalCount: connections, idleCount: idle, waitingCount: waiting } = this.#pool
    return { connections, idle, waiting, retries: this.#retries }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #use<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const session = await this.#acquire()
    try {
      return await work(session)
    } finally {
      session.release()
    }
  }

  /** A server that has no connection to spare is waited for as a pool is, in all as long. */
  async #acquire(): Promise<DatabaseSession> {
    const { acquireTimeoutMs, timer, pool } = this.#options
    let isOver = false
    const stop = timer(acquireTimeoutMs, () => {
      isOver = true
    })
    try {
      for (;;) {
        try {
          return new DatabaseSession(await this.#pool.connect(), this.#settings)
        } catch (error) {
          const { totalCount, ending } = this.#pool
          const isFull = hasNoConnections(error)
          if (!isFull || isOver || ending) throw connectFailure(error, isFull || totalCount >= pool, ending)
        }
        await new Promise<void>((resolve) => void timer(FULL_SERVER_DELAY, resolve))
      }
    } finally {
      stop()
    }
  }

  /**
   * Repeats work whose transaction was rolled back by a deadlock or a serialization failure, and, once, work that lost its connection before
   * it can have changed anything.
   *
   * @param mayHaveChanged tells, when the connection is lost, whether the work may have changed something
   * @param isRepeated false to throw a deadlock or a serialization failure, since the caller repeats the work in another way
   */
  async #repeated<T>(work: () => Promise<T>, mayHaveChanged: () => boolean, isRepeated = true): Promise<T> {
    let wasLost = false
    for (let repeats = 0; ; repeats++) {
      try {
        return await work()
      } catch (error) {
        const isLost = error instanceof LostConnection
        const again = isLost ? !wasLost && !error.isTimeout && !mayHaveChanged() : isTransient(error) && repeats < MAX_REPEATS
        if (!again) throw this.#final(error, isLost && mayHaveChanged())
        this.#retries += 1
        if (!isLost && !isRepeated) throw error
        wasLost = isLost
        if (!isLost) await this.#delay(repeats)
      }
    }
  }

  /** A random delay, so that transactions that met do not meet again. */
  #delay(repeats: number): Promise<void> {
    const { timer, random } = this.#options
    return new Promise((resolve) => void timer(random() * FIRST_DELAY * 2 ** repeats, resolve))
  }

  /** Requests repeat an error until the process is restarted. */
  #warnOnce(error: StatementError): void {
    if (this.#warned.has(error.message) || this.#warned.size === MAX_WARNED) return
    this.#warned.add(error.message)
    this.#warn(`A statement does not fit the tables, which another release may have changed: ${error.message}`, error)
  }

  /** The error that the caller gets. */
  #final(error: unknown, isUnknown: boolean): unknown {
    if (error instanceof LostConnection) {
      return isUnknown ? outcomeUnknown(error) : unavailable(error.message, error.cause)
    }
    if (this.#options.isServing && isMisfit(error)) {
      this.#warnOnce(error)
      return tablesChanged(error)
    }
    if (isTransient(error)) return unavailable('Too many requests change the same records at once', error)
    return error
  }
}

/** Rolls back when `work` fails. */
async function undone<T>(session: DatabaseSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (session.isUsable) await session.query(ROLLBACK).catch(() => session.abandon())
    throw error
  }
}

/** Settings that a pooler may give to another client are made for this transaction only. */
function beginning({ isolation, readOnly }: TransactionOptions, { statementTimeout }: { statementTimeout: number }): CompiledSql {
  const modes = keyword(`isolation level ${isolation ?? 'read committed'} read ${readOnly === true ? 'only' : 'write'}`)
  return sql`begin ${modes}; set local statement_timeout = ${literal(statementTimeout)};
    set local idle_in_transaction_session_timeout = ${literal(IDLE_IN_TRANSACTION_TIMEOUT)}`.compile()
}

/** A promise whose rejection is handled later, or never if its result is not needed any more. */
function ignored<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
