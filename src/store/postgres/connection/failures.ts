import { DatabaseError } from 'pg'
import { AppError } from '../../../errors.ts'
import { StatementError } from './database.ts'

/** The connection was lost, so that the outcome of the present statement is not known. */
export class LostConnection extends Error {
  /** True if the connection was cut because the statement took too long, so that another attempt would too. */
  readonly isTimeout: boolean

  /** @param timeout the message, if the statement took too long */
  constructor(cause: unknown, timeout?: string) {
    super(timeout ?? 'The connection to the database was lost', { cause })
    this.name = 'LostConnection'
    this.isTimeout = timeout !== undefined
  }
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 1

/** SQLSTATE of a statement that was cancelled. */
export const QUERY_CANCELED = '57014'

/** Classes and codes that concern the server and not the statement: connection, resources, shutdown, a standby. */
const UNAVAILABLE = /^(08|53|57P0[1-5]|25006|58030|XX)/

/** Those of them after which the session has ended. */
const ENDED = /^(08|57P0[1-5])/

/** The failure of a statement that was sent: an error of the statement, a lost connection, or a server that cannot execute it now. */
export function statementFailure(error: unknown): Error {
  if (!(error instanceof DatabaseError) || error.code === undefined) return new LostConnection(error)
  const { code, message, constraint, table, column } = error
  if (ENDED.test(code)) return new LostConnection(withoutValues(error))
  if (UNAVAILABLE.test(code)) return unavailable('The database cannot execute the request now', withoutValues(error))
  return new StatementError(message, code, { constraint, table, column })
}

/** Of the properties of an error, the detail may contain a whole row with its secrets, and errors are logged. */
const withoutValues = ({ message, code }: DatabaseError): StatementError => new StatementError(message, code ?? '')

/** The text by which `pg` says that the server asks for a password and the URL has no password. */
const NO_PASSWORD = 'client password must be a string'

/** The failure to get a connection: the pool is exhausted, the server cannot be reached, or it refuses the connection. */
export function connectFailure(error: unknown, isExhausted: boolean, isClosed: boolean): AppError {
  if (isClosed) return unavailable('The store is closed', error)
  if (error instanceof Error && error.message.includes(NO_PASSWORD)) {
    return unavailable('The database asks for a password; set PGPASSWORD, or write it to ~/.pgpass')
  }
  const cause = error instanceof DatabaseError ? withoutValues(error) : error
  return isExhausted
    ? unavailable('All connections to the database are in use', cause)
    : unavailable('The database cannot be reached', cause)
}

/** An error for a client that may try again. */
export const unavailable = (details: string, cause?: unknown): AppError =>
  new AppError('STORE_UNAVAILABLE', details, { cause, retryAfter: RETRY_AFTER })

/** The connection was lost while a change was being committed. */
export const outcomeUnknown = (cause: unknown): AppError =>
  new AppError(
    'OUTCOME_UNKNOWN',
    'The connection to the database was lost while a change was being committed; it may have been made, or not',
    { cause, retryAfter: RETRY_AFTER },
  )
