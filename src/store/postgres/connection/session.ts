import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Client, DatabaseError, type PoolClient, type QueryArrayConfig, type QueryArrayResult } from 'pg'
import { AppError } from '../../../errors.ts'
import type { Timer } from '../../../util/clock.ts'
import type { CompiledSql } from '../sql.ts'
import type { DatabaseAddress } from './address.ts'
import { type ResultRow, type ResultRows, StatementError, type StatementOptions } from './database.ts'

/** What sessions of a pool have in common. */
export interface SessionSettings {
  readonly tls: DatabaseAddress['tls']
  /** Milliseconds after which a statement is cancelled. */
  readonly statementTimeout: number
  readonly timer: Timer
  /** Called with the duration of each statement in milliseconds. */
  readonly observe: (milliseconds: number) => void
}

/** A result, and the command that the server names in it, such as COMMIT. */
interface CommandRows extends ResultRows {
  readonly command: string
}

/** Milliseconds after a cancel request within which a statement must end; then its connection is cut. */
const CANCEL_GRACE = 2000

/** Leaves every value as the text that the server sends. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as NonNullable<QueryArrayConfig['types']>

/** A connection that was taken from the pool for one statement or one transaction. */
export class DatabaseSession {
  readonly #client: PoolClient
  readonly #settings: SessionSettings
  /** The statement before, since a session executes one at a time. */
  #last: Promise<unknown> | undefined
  #isUsable = true

  constructor(client: PoolClient, settings: SessionSettings) {
    this.#client = client
    this.#settings = settings
  }

  /** False if the connection was lost, or a cancel request may still be on its way. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Returns the connection to the pool, which closes it if it was lost or a cancel request may still be on its way. */
  release(): void {
    this.#client.release(!this.#isUsable)
  }

  /** Lets the pool close the connection, which ends a transaction that is still open. */
  abandon(): void {
    this.#isUsable = false
  }

  /** Executes a statement after those before it. */
  query(statement: CompiledSql, options: StatementOptions = {}): Promise<CommandRows> {
    const run = this.#last === undefined ? this.#execute(statement, options) : this.#after(this.#last, statement, options)
    const done = run.catch(() => {})
    this.#last = done
    void done.then(() => {
      if (this.#last === done) this.#last = undefined
    })
    return run
  }

  async #after(last: Promise<unknown>, statement: CompiledSql, options: StatementOptions): Promise<CommandRows> {
    await last
    return this.#execute(statement, options)
  }

  async #execute({ text, values }: CompiledSql, { signal }: StatementOptions): Promise<CommandRows> {
    signal?.throwIfAborted()
    const watch = this.#watch(signal)
    const start = performance.now()
    try {
      // Without values, the driver uses the simple protocol, in which a text may consist of several statements.
      const result = await this.#client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array', types: AS_TEXT })
      return rowsOf(result)
    } catch (error) {
      const failure = statementFailure(error)
      if (!(failure instanceof StatementError)) this.#isUsable = false
      if (watch.wasAborted()) throw signal?.reason
      const isCanceled = failure instanceof StatementError && failure.code === QUERY_CANCELED
      // A connection that was cut, since it did not answer, leaves it open whether the statement was executed.
      if (watch.wasCanceled() && failure instanceof LostConnection) throw new LostConnection(failure.cause, this.#timeout)
      throw isCanceled ? unavailable(this.#timeout, failure) : failure
    } finally {
      watch.end()
      this.#settings.observe(performance.now() - start)
    }
  }

  get #timeout(): string {
    return `The database needed longer than ${this.#settings.statementTimeout / 1000} s for the request`
  }

  /** Cancels the present statement when its time is over or its signal is aborted. */
  #watch(signal: AbortSignal | undefined) {
    const { timer, statementTimeout } = this.#settings
    let isCanceled = false
    let stopGrace = () => {}
    const cancel = () => {
      if (isCanceled) return
      isCanceled = true
      this.#isUsable = false
      stopGrace = timer(CANCEL_GRACE, () => this.#cut())
      this.#requestCancel().catch(() => this.#cut())
    }
    const stopTimer = timer(statementTimeout, cancel)
    signal?.addEventListener('abort', cancel, { once: true })
    return {
      wasCanceled: () => isCanceled,
      wasAborted: () => isCanceled && signal?.aborted === true,
      end: () => {
        stopTimer()
        stopGrace()
        signal?.removeEventListener('abort', cancel)
      },
    }
  }

  #requestCancel(): Promise<void> {
    // The pool creates clients of this class, and the driver documents neither key nor process id.
    const client = this.#client as PoolClient & Client & SessionKey
    return requestCancel(client, this.#settings.tls, client, CANCEL_GRACE)
  }

  /** Ends the connection at once. Its present statement fails. */
  #cut(): void {
    const { connection } = this.#client as PoolClient & Client
    connection.stream.destroy()
  }
}

/** The rows of a result; of several statements, the rows of the last one. */
function rowsOf(result: QueryArrayResult<(string | null)[]> | readonly QueryArrayResult<(string | null)[]>[]): CommandRows {
  const last = Array.isArray(result) ? result.at(-1) : result
  const { rows, rowCount, command } = last as QueryArrayResult<(string | null)[]>
  return { rows: rows as readonly ResultRow[], count: rowCount ?? 0, command }
}

/** Identifies a session of the server, by the message BackendKeyData. */
interface SessionKey {
  readonly processID: number
  readonly secretKey: number
}

/** The host and port to which a connection was made. */
interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Codes in place of a protocol version, by which the server recognises these requests. */
const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103

/** Answer of the server to an SSLRequest that it accepts. */
const ACCEPTED = 'S'

/**
 * Asks the server to cancel the statement that a session executes, over a connection of its own, as the protocol demands. A pooler passes the
 * request on. The statement may have ended already, so that the request may reach the next one: the session must not be used again.
 *
 * @returns resolves when the server has closed the connection; rejects if it cannot be reached
 */
async function requestCancel(
  { host, port }: Endpoint,
  tls: DatabaseAddress['tls'],
  { processID, secretKey }: SessionKey,
  timeout: number,
): Promise<void> {
  const plain = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  plain.setTimeout(timeout, () => plain.destroy(new Error('The server did not answer a cancel request')))
  const socket = tls === false ? plain : await secured(plain, host, tls)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    // Ends the connection only when the server does, so that the request has been executed.
    socket.resume()
    socket.write(message(CANCEL_REQUEST, processID, secretKey))
  })
}

async function secured(plain: Socket, host: string, tls: Exclude<DatabaseAddress['tls'], false>): Promise<Socket> {
  plain.write(message(SSL_REQUEST))
  const answer = await new Promise<Buffer>((resolve, reject) => {
    plain.once('data', resolve)
    plain.once('error', reject)
    plain.once('close', () => reject(new Error('The server closed the connection of a cancel request')))
  })
  if (answer.toString('latin1') !== ACCEPTED) {
    plain.destroy()
    throw new Error('The server does not accept TLS for a cancel request')
  }
  return connectTls({ ...tls, socket: plain, host })
}

/** A message of 32-bit integers, which begins with its length in bytes. */
function message(...words: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * (words.length + 1))
  buffer.writeInt32BE(buffer.length)
  for (const [index, word] of words.entries()) buffer.writeInt32BE(word | 0, 4 * (index + 1))
  return buffer
}

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
const QUERY_CANCELED = '57014'

/** Classes and codes that concern the server and not the statement: connection, resources, shutdown, a standby. */
const UNAVAILABLE = /^(08|53|57P0[1-5]|25006|58030|XX)/

/** Those of them after which the session has ended. */
const ENDED = /^(08|57P0[1-5])/

/** The failure of a statement that was sent: an error of the statement, a lost connection, or a server that cannot execute it now. */
function statementFailure(error: unknown): Error {
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

/** True for a server all of whose connections are in use: SQLSTATE too_many_connections. */
export const hasNoConnections = (error: unknown): boolean => error instanceof DatabaseError && error.code === '53300'

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

/** Seconds after which a load balancer may have sent the client to another process. */
const RETRY_ELSEWHERE = 5

/** The tables are not those of the models of this process. */
export const tablesChanged = (cause?: unknown): AppError =>
  new AppError(
    'TABLES_CHANGED',
    'The tables in the database are not those of the models of this process: another release has changed them. Processes of that release answer; restart this one with it',
    { cause, retryAfter: RETRY_ELSEWHERE },
  )

/** The connection was lost while a change was being committed. */
export const outcomeUnknown = (cause: unknown): AppError =>
  new AppError(
    'OUTCOME_UNKNOWN',
    'The connection to the database was lost while a change was being committed; it may have been made, or not',
    { cause, retryAfter: RETRY_AFTER },
  )
