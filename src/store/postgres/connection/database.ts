import type { Sql } from '../sql.ts'

/** Rows of a result. Every value is the text in which PostgreSQL writes it, or null. */
export interface ResultRows {
  readonly rows: readonly ResultRow[]
  /** Number of rows returned or affected. */
  readonly count: number
}

/** The values of a row, in the order of its columns. */
export type ResultRow = readonly (string | null)[]

/** Options of a statement. */
export interface StatementOptions {
  /** Cancels the statement on the server when it is aborted. The call then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * False to throw a deadlock or a serialization failure (`isTransient`) rather than to repeat the statement. Default: true. Within a
   * transaction no statement is repeated, but the whole.
   */
  readonly isRepeated?: boolean
}

/**
 * Executes statements. They are not prepared, and leave nothing behind in the session, so that a pooler may stand between.
 *
 * Methods throw `StatementError` for an error of the statement, and an AppError with the code STORE_UNAVAILABLE if the server cannot
 * be reached, has no connection to spare, or needs longer than the statement timeout. An AppError OUTCOME_UNKNOWN says that the
 * connection was lost while the server was committing.
 */
export interface Connection {
  query(statement: Sql, options?: StatementOptions): Promise<ResultRows>
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** Default: read committed. */
  readonly isolation?: 'read committed' | 'repeatable read'
  readonly readOnly?: boolean
  /** Cancels the present statement when it is aborted. The transaction is then rolled back. */
  readonly signal?: AbortSignal | undefined
}

/** Use of the connections of a database, for metrics. */
export interface DatabaseUsage {
  /** Open connections. */
  readonly connections: number
  /** Open connections that execute nothing. */
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
  /** Transactions repeated because of a deadlock, a serialization failure or a lost connection, since the start. */
  readonly retries: number
}

/** A PostgreSQL database: a pool of connections. A statement outside a transaction is a transaction of its own. */
export interface Database extends Connection {
  /**
   * Runs `work` in a transaction, which is committed when it resolves and rolled back when it throws. Deadlocks, serialization
   * failures and a connection lost before the commit repeat `work`, a bounded number of times, so it must have no effects of its own.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, options?: TransactionOptions): Promise<T>

  /**
   * The rows of a query in batches, as of one moment: by a cursor in a read-only transaction. It holds a connection until it ends
   * or is abandoned.
   *
   * @param batch rows in a batch
   * @param options the signal cancels the present statement, and ends the wait for a connection
   */
  stream(statement: Sql, batch: number, options?: Pick<StatementOptions, 'signal'>): AsyncIterable<readonly ResultRow[]>

  /** Number of connections that can be open at once. */
  readonly maxConnections: number

  usage(): DatabaseUsage

  /** Waits for running statements, and closes all connections. */
  close(): Promise<void>
}

/** An error that the server reports of a statement. Its message has none of the values of the row. */
export class StatementError extends Error {
  /** SQLSTATE, such as `23505`. */
  readonly code: string
  /** Name of the constraint, if one is violated. */
  readonly constraint: string | undefined
  /** Name of the table, if the error concerns one. */
  readonly table: string | undefined
  /** Name of the column, if the error concerns one. */
  readonly column: string | undefined

  constructor(
    message: string,
    code: string,
    names: {
      readonly constraint?: string | undefined
      readonly table?: string | undefined
      readonly column?: string | undefined
    } = {},
  ) {
    super(message)
    this.name = 'StatementError'
    this.code = code
    this.constraint = names.constraint
    this.table = names.table
    this.column = names.column
  }
}

/** Codes of violated constraints: NOT NULL, foreign key, unique, check, exclusion. */
const VIOLATIONS: ReadonlySet<string> = new Set(['23502', '23503', '23505', '23514', '23P01'])

/** True for an error that says that a constraint is violated. */
export const isConstraintViolation = (error: unknown): error is StatementError =>
  error instanceof StatementError && VIOLATIONS.has(error.code)

/** True for an error after which the same transaction may succeed: serialization failure, deadlock. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StatementError && (error.code === '40001' || error.code === '40P01')

/** True for a statement that has waited for a lock as long as `lock_timeout` allows. */
export const isLockTimeout = (error: unknown): error is StatementError =>
  error instanceof StatementError && error.code === '55P03'

/** Codes of statements that do not fit the tables: no such column, no such table, another type. */
const MISFITS: ReadonlySet<string> = new Set(['42703', '42P01', '42804', '42846', '42883'])

/** True for an error that says that the tables are not those that the statement was made for. */
export const isMisfit = (error: unknown): error is StatementError => error instanceof StatementError && MISFITS.has(error.code)
