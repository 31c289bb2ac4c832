import { AppError } from '../../errors.ts'
import type { ReportFailure } from '../changes.ts'
import type {
  ApplyPart,
  Change,
  ChangeListener,
  Decision,
  Operation,
  Outcome,
  RecordReader,
  SideRecords,
  Store,
  StoreStatus,
  TransactionMode,
} from '../store.ts'
import type { Database } from './connection/database.ts'
import type { Layout } from './layout/layout.ts'
import { GrowingTables } from './maintenance.ts'
import { Queries } from './queries/queries.ts'
import { OwnChanges, type RunningTransaction } from './shared/own-changes.ts'
import type { StoredChangeLog } from './shared/stored-change-log.ts'
import { sql } from './sql.ts'
import { PostgresTransactions } from './transactions/postgres-transactions.ts'

/** Dependencies, replaceable in tests. */
export interface PostgresStoreOptions {
  /** Called with the error of a listener of changes. */
  readonly failed?: ReportFailure
  /** Tells other processes of changes. */
  readonly changeLog?: StoredChangeLog
  /** A time in milliseconds that never goes back; `performance.now` by default. */
  readonly now?: () => number
}

const NO_RECORDS: ReadonlyMap<string, number> = new Map()

const closed = (): AppError => new AppError('STORE_UNAVAILABLE', 'The store is closed', { retryAfter: 1 })

/**
 * A store in a PostgreSQL database, which any number of processes may share. The tables must agree with the layout. Its reads are those of
 * `Queries`.
 *
 * Listeners hear of the changes of this process only, after they are committed, and in commit order for each record.
 */
export class PostgresStore extends Queries implements Store {
  readonly isShared = true
  readonly #database: Database
  readonly #layout: Layout
  readonly #transactions: PostgresTransactions
  readonly #changeLog: StoredChangeLog | undefined
  readonly #changes: OwnChanges
  readonly #growing: GrowingTables
  readonly #now: () => number
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  /** @param database is not closed with the store, since another store may take it over */
  constructor(
    database: Database,
    layout: Layout,
    { now = () => performance.now(), changeLog, failed }: PostgresStoreOptions = {},
  ) {
    super(database, layout)
    this.#database = database
    this.#changeLog = changeLog
    this.#changes = new OwnChanges(failed)
    this.#now = now
    this.#layout = layout
    this.#transactions = new PostgresTransactions(database, layout)
    this.#growing = new GrowingTables(database, layout)
  }

  async transact(operations: readonly Operation[], mode: TransactionMode = 'commit', notes?: SideRecords): Promise<Outcome> {
    if (this.#isClosed) throw closed()
    if (mode === 'rehearse') return this.#transactions.transact(operations, mode, notes)
    return this.#whileRunning(
      this.#commit((begin, origin) => {
        begin(operations)
        return this.#transactions.transact(operations, 'commit', notes, origin)
      }),
    )
  }

  async takeIds(table: string, count: number, mode: TransactionMode = 'commit'): Promise<readonly number[]> {
    if (this.#isClosed) throw closed()
    return this.#whileRunning(this.#transactions.takeIds(table, count, mode))
  }

  async inSharedTurn<T>(work: () => Promise<T>): Promise<T> {
    // Work needs a connection beside that of the turn.
    if (this.#database.maxConnections < 2) return work()
    let done: { readonly value: T } | undefined
    try {
      await this.#database.transaction(async (connection) => {
        await connection.query(
          sql`select pg_advisory_xact_lock(hashtextextended(${`admin-folder turn ${this.#layout.schema}`}, 0))`,
        )
        done ??= { value: await work() }
      })
    } catch (error) {
      // The end of the turn may fail when the work is done.
      if (done === undefined) throw error
    }
    if (done === undefined) throw new Error('A turn ended without its work')
    return done.value
  }

  async transactLocked(
    table: string,
    ids: readonly number[],
    decide: (records: RecordReader) => Promise<Decision>,
  ): Promise<Outcome> {
    if (this.#isClosed) throw closed()
    return this.#whileRunning(
      this.#commit((begin, origin) => {
        const announced = async (records: RecordReader): Promise<Decision> => {
          const decision = await decide(records)
          begin(decision.operations)
          return decision
        }
        return this.#transactions.transactLocked({ table, ids }, announced, origin)
      }),
    )
  }

  /** @param transact calls `begin` once its operations are known, and again if they are decided anew; before that it changes nothing */
  async #commit(
    transact: (begin: (operations: readonly Operation[]) => void, origin: string | undefined) => Promise<Outcome>,
  ): Promise<Outcome> {
    let running: RunningTransaction | undefined
    const end = (changes: readonly Change[]) => running && this.#changes.end(running, changes)
    const begin = (operations: readonly Operation[]) => {
      end([])
      running = this.#changes.begin(operations)
    }
    const decidedAt = this.#now()
    let outcome: Outcome | undefined
    try {
      const origin = await this.#changeLog?.wanted()
      outcome = await transact(begin, origin)
      if (outcome.ok && origin !== undefined && this.#isLogged(outcome.changes)) this.#changeLog?.notifySoon()
      // The changes are stored, so the write does not fail if listeners cannot be told.
      if (outcome.ok && origin === undefined) await this.#changeLog?.noteUnlogged(decidedAt).catch(() => {})
      return outcome
    } catch (error) {
      this.#noteUnknown(error)
      throw error
    } finally {
      if (outcome?.ok === true) {
        // Without it, the checks of foreign keys are slower, and the write is still correct.
        for (const table of this.#growing.note(outcome.changes)) this.#whileRunning(this.#growing.analyze(table)).catch(() => {})
      }
      end(outcome?.ok === true ? outcome.changes : [])
    }
  }

  #isLogged(changes: readonly Change[]): boolean {
    return changes.some(({ table }) => !this.#layout.of(table).model.internal)
  }

  async transactInParts<T>(mode: TransactionMode, work: (apply: ApplyPart) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    return this.#whileRunning(mode === 'rehearse' ? this.#transactions.rehearseInParts(work) : this.#commitInParts(work))
  }

  async #commitInParts<T>(work: (apply: ApplyPart) => Promise<T>): Promise<T> {
    const decidedAt = this.#now()
    try {
      const origin = await this.#changeLog?.wanted()
      const result = await this.#transactions.commitInParts(work, origin)
      if (origin !== undefined) this.#changeLog?.notifySoon()
      else await this.#changeLog?.noteUnlogged(decidedAt).catch(() => {})
      this.#changes.tellUnknown()
      return result
    } catch (error) {
      this.#noteUnknown(error)
      throw error
    }
  }

  #noteUnknown(error: unknown): void {
    if (error instanceof AppError && error.code === 'OUTCOME_UNKNOWN') this.#changes.tellUnknown()
  }

  async #whileRunning<T>(run: Promise<T>): Promise<T> {
    this.#running.add(run)
    try {
      return await run
    } finally {
      this.#running.delete(run)
    }
  }

  onChange(listener: ChangeListener, onUnknown?: () => void): void {
    this.#changes.add(listener, onUnknown)
  }

  /** `takesWrites` is false while the database cannot be reached, or is a standby; its records are then not counted. */
  async status(): Promise<StoreStatus> {
    const { tables } = this.#layout
    try {
      const { rows } = await this.#database.query(
        sql`select current_setting('transaction_read_only'), "table_name", sum("records")
          from (values (null)) "always" left join ${this.#layout.system('counters')} on true group by "table_name"`,
      )
      const counts = new Map(rows.map(([, table, count]) => [table, Number(count)]))
      const records = new Map(tables.map(({ model: { key } }) => [key, counts.get(key) ?? 0]))
      return { takesWrites: !this.#isClosed && rows.every(([isReadOnly]) => isReadOnly === 'off'), journalBytes: 0, records }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { takesWrites: false, journalBytes: 0, records: NO_RECORDS }
    }
  }

  /** Resolves when all accepted transactions have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
    await this.#changeLog?.close()
  }
}
