import type { Client, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg'
import type { Timer } from '../../../util/timer.ts'
import type { CompiledSql } from '../sql.ts'
import type { DatabaseAddress } from './address.ts'
import { requestCancel, type SessionKey } from './cancel-request.ts'
import { type Row, type Rows, StatementError, type StatementOptions } from './database.ts'
import { LostConnection, QUERY_CANCELED, statementFailure, unavailable } from './failures.ts'

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
export interface CommandRows extends Rows {
  readonly command: string
}

/** Milliseconds after a cancel request within which a statement must end; then its connection is cut. */
const CANCEL_GRACE = 2000

/** Leaves every value as the text that the server sends. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as NonNullable<QueryArrayConfig['types']>

/** A connection that was taken from the pool for one statement or one transaction. */
export class Session {
  readonly #client: PoolClient
  readonly #settings: SessionSettings
  /** The statement before, since a session executes one at a time. */
  #last: Promise<unknown> | undefined
  #isUsable = true

  constructor(client: PoolClient, settings: SessionSettings) {
    this.#client = client
    this.#settings = settings
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

/** The rows of a result; of several statements, those of the last. */
function rowsOf(result: QueryArrayResult<(string | null)[]> | readonly QueryArrayResult<(string | null)[]>[]): CommandRows {
  const last = Array.isArray(result) ? result.at(-1) : result
  const { rows, rowCount, command } = last as QueryArrayResult<(string | null)[]>
  return { rows: rows as readonly Row[], count: rowCount ?? 0, command }
}
