import pLimit, { type LimitFunction } from 'p-limit'
import { AppError } from '../../../errors.ts'
import type {
  ApplyPart,
  Decision,
  Operation,
  Outcome,
  PartOutcome,
  RecordReader,
  SideRecords,
  TransactionMode,
  Violation,
} from '../../store.ts'
import {
  type Connection,
  type Database,
  isConstraintViolation,
  isTransient,
  type StatementError,
} from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { insertUnknown } from '../shared/stored-change-log.ts'
import { sql } from '../sql.ts'
import { type AfterTurn, Creation, JoinedCreations } from './creation.ts'
import { GeneralTransaction, type Work } from './general-transaction.ts'
import { LockedRecords } from './locked-records.ts'
import { MixedCreation } from './mixed-creation.ts'
import { isTakenId, nextIds, passTakenIds, takeIds } from './sequences.ts'
import { writeSingleRow } from './single-row-write.ts'
import { inStoredForm, MAX_ROWS } from './statements.ts'

/** Maximum number of attempts of a transaction that the database refuses though what it had read permitted it. */
const MAX_ATTEMPTS = 10

const keepsChanging = (): AppError =>
  new AppError('WRITE_CONFLICT', 'The records keep changing under other writes; read them again and retry')

/** A constraint refuses every attempt, and concerns no field of the operations: a later release or another program may have made it. */
function refusedByDatabase({ code, table = '', column, constraint = '' }: StatementError): AppError {
  if (code === FOREIGN_KEY) {
    return new AppError(
      'RECORD_REFERENCED',
      `Rows of the table '${table}' refer to the records (${constraint}); remove them first`,
    )
  }
  const what = column === undefined ? `constraint '${constraint}'` : `mandatory column '${column}'`
  const remedy = 'if the models of this process do not have it, send the request to a process of the release that has'
  return new AppError('WRITE_CONFLICT', `The ${what} of the table '${table}' refuses the write; ${remedy}`)
}

/** SQLSTATE of a violated foreign key. */
const FOREIGN_KEY = '23503'

/** Rolls a transaction back that has decided not to write. */
class Rollback extends Error {
  readonly outcome: Outcome | undefined

  constructor(outcome: Outcome | undefined) {
    super('The transaction writes nothing')
    this.outcome = outcome
  }
}

/** The transactions of a store in PostgreSQL. Other processes and programs may write at the same time. */
export class PostgresTransactions {
  readonly #database: Database
  readonly #layout: Layout
  readonly #creations: JoinedCreations
  /** Transactions in parts run one at a time: while one holds a connection, its parts are made by reads on others. */
  readonly #inTurn = pLimit(1)
  /** So that transactions on locked records leave connections to the reads that decide them. */
  readonly #locking: LimitFunction

  /** @param afterTurn runs a task when the present turn of the event loop is over */
  constructor(database: Database, layout: Layout, afterTurn: AfterTurn = setImmediate) {
    this.#database = database
    this.#layout = layout
    this.#locking = pLimit(Math.max(1, Math.floor(database.maxConnections / 2)))
    this.#creations = new JoinedCreations(database, afterTurn)
  }

  /**
   * Applies all operations or none, as `Store.transact`.
   *
   * @param origin the name with which the changes are logged for other processes; absent if none of them reads the log
   * @throws {AppError} STORE_UNAVAILABLE if nothing is written, OUTCOME_UNKNOWN if the connection was lost while the server was committing,
   * WRITE_CONFLICT if concurrent writes keep refusing it
   */
  async transact(
    operations: readonly Operation[],
    mode: TransactionMode = 'commit',
    notes?: SideRecords,
    origin?: string,
  ): Promise<Outcome> {
    if (operations.length === 0) return NOTHING
    const work = this.#workOf({ operations, notes }, mode, origin)
    if (mode === 'rehearse') return this.#rehearse(work)
    return (await this.#direct(work)) ?? this.#commit(work)
  }

  /** Takes the next ids of a table, as `Store.takeIds`. */
  async takeIds(table: string, count: number, mode: TransactionMode): Promise<readonly number[]> {
    const layout = this.#layout.of(table)
    if (mode === 'commit') return takeIds(this.#database, layout, count)
    const [first = 1] = await nextIds(this.#database, [layout])
    return Array.from({ length: count }, (_, index) => first + index)
  }

  /**
   * Commits a transaction that is decided on locked records, as `Store.transactLocked`.
   *
   * @param origin as for `transact`
   */
  async transactLocked(
    { table, ids }: { readonly table: string; readonly ids: readonly number[] },
    decide: (records: RecordReader) => Promise<Decision>,
    origin?: string,
  ): Promise<Outcome> {
    let work = this.#workOf({ operations: [] }, 'commit', origin)
    const attempts = () =>
      this.#untilUnbroken(
        async (connection, attempt) => {
          const records = await LockedRecords.lock(connection, this.#layout, table, ids)
          work = this.#workOf(await decide(records), 'commit', origin)
          if (work.operations.length === 0) return NOTHING
          const direct = attempt === 0 ? await writeSingleRow(connection, this.#layout, work) : undefined
          return direct ?? new GeneralTransaction(this.#layout, connection, work).run()
        },
        () => work.operations,
      )
    return this.#locking(attempts)
  }

  #workOf({ operations, notes }: Decision, mode: TransactionMode, origin: string | undefined): Work {
    return { operations: operations.map((operation) => inStoredForm(operation, this.#layout)), mode, notes, origin }
  }

  /**
   * Commits a transaction that is given in parts, as `Store.transactInParts`.
   *
   * @param origin as for `transact`; the changes are logged as unknown
   */
  async commitInParts<T>(work: (apply: ApplyPart) => Promise<T>, origin?: string): Promise<T> {
    let last: StatementError | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return await this.#partByPart(async (parts, connection) => {
          const result = await work((operations, notes) => parts.apply(operations, notes))
          if (origin !== undefined) await connection.query(insertUnknown(this.#layout, origin))
          return result
        })
      } catch (error) {
        if (!isConstraintViolation(error)) throw error
        last = error
        await this.#passTakenIds(error)
      }
    }
    throw last === undefined ? keepsChanging() : refusedByDatabase(last)
  }

  /** Does everything except the commit of a transaction that is given in parts, and finds all violations of each part. */
  async rehearseInParts<T>(work: (apply: ApplyPart) => Promise<T>): Promise<T> {
    let result: { readonly value: T } | undefined
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#partByPart(async (parts) => {
          result = { value: await work((operations) => parts.examine(operations)) }
          throw new Rollback(undefined)
        })
      } catch (error) {
        if (error instanceof Rollback && result !== undefined) return result.value
        if (attempt === MAX_ATTEMPTS || !(await this.#passTakenIds(error))) throw error
      }
    }
  }

  /** Moves the sequence past ids that other programs have given to rows. @returns false if that is not what an error tells */
  async #passTakenIds(error: unknown): Promise<boolean> {
    if (!isTakenId(error, this.#layout)) return false
    await passTakenIds(this.#database, this.#layout, error.table)
    return true
  }

  #partByPart<T>(work: (parts: TransactionParts, connection: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn(() =>
      this.#database.transaction((connection) => work(new TransactionParts(this.#layout, connection), connection)),
    )
  }

  /**
   * Frequent transactions are one statement. If it changes nothing or fails, the general transaction finds out why; after a deadlock with
   * another statement it takes the locks that a small one does without.
   */
  async #direct(work: Work): Promise<Outcome | undefined> {
    try {
      const creation = Creation.of(this.#layout, work)
      if (creation !== undefined && creation.size > MAX_ROWS) {
        return await this.#unlessRefused((connection) => creation.runInSlices(connection))
      }
      if (creation !== undefined) return await this.#creations.run(creation)
      const mixed = MixedCreation.of(this.#layout, work)
      if (mixed !== undefined) return await mixed.run(this.#database)
      return await writeSingleRow(this.#database, this.#layout, work)
    } catch (error) {
      if (isConstraintViolation(error) || isTransient(error)) return undefined
      throw error
    }
  }

  #rehearse(work: Work): Promise<Outcome> {
    return this.#database.transaction((connection) => new GeneralTransaction(this.#layout, connection, work).run(), {
      isolation: 'repeatable read',
      readOnly: true,
    })
  }

  #commit(work: Work): Promise<Outcome> {
    return this.#untilUnbroken(
      (connection) => new GeneralTransaction(this.#layout, connection, work).run(),
      () => work.operations,
    )
  }

  /** A violation that only the database sees comes from a concurrent write, which the next attempt reads. */
  async #untilUnbroken(
    run: (connection: Connection, attempt: number) => Promise<Outcome>,
    operations: () => readonly Operation[],
  ): Promise<Outcome> {
    let last: unknown
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return await this.#unlessRefused((connection) => run(connection, attempt))
      } catch (error) {
        if (!isConstraintViolation(error) && !isTransient(error)) throw error
        last = error
        await this.#passTakenIds(error)
      }
    }
    if (!isConstraintViolation(last)) throw keepsChanging()
    const violation = violationOf(last, this.#layout, operations())
    if (violation !== undefined) return { ok: false, violations: [violation] }
    throw refusedByDatabase(last)
  }

  /** Runs work in a transaction, which is rolled back if the outcome is a refusal. */
  async #unlessRefused<T extends Outcome | undefined>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction(async (connection) => {
        const outcome = await work(connection)
        // A rollback releases the locks without waiting for the disk.
        if (outcome?.ok !== true) throw new Rollback(outcome)
        return outcome
      })
    } catch (error) {
      if (error instanceof Rollback) return error.outcome as T
      throw error
    }
  }
}

const NOTHING: Outcome = { ok: true, records: [], changes: [] }

/** A refusal whose reasons are not known. */
const REFUSED: PartOutcome = { ok: false, violations: [] }

/** Stores the parts of a transaction one after the other on its connection. Of many unique values, only the values of the first part are locked. */
export class TransactionParts {
  readonly #layout: Layout
  readonly #connection: Connection
  #isContinued = false

  constructor(layout: Layout, connection: Connection) {
    this.#layout = layout
    this.#connection = connection
  }

  /** Applies a part. If it is refused, the transaction must be rolled back. */
  async apply(operations: readonly Operation[], notes: SideRecords | undefined): Promise<PartOutcome> {
    const work = this.#workOf(operations, notes)
    try {
      const creation = Creation.of(this.#layout, work)
      if (creation === undefined) return await new GeneralTransaction(this.#layout, this.#connection, work).run()
      return (await creation.runInSlices(this.#connection)) ?? REFUSED
    } catch (error) {
      if (isConstraintViolation(error) && !isTakenId(error, this.#layout)) return REFUSED
      throw error
    }
  }

  /** Applies a part, or finds all of its violations; the transaction can go on. */
  async examine(operations: readonly Operation[]): Promise<PartOutcome> {
    const work = this.#workOf(operations, undefined)
    await this.#connection.query(sql`savepoint "part"`)
    const outcome = await this.#examined(work)
    await this.#connection.query(outcome.ok ? sql`release savepoint "part"` : sql`rollback to savepoint "part"`)
    return outcome
  }

  async #examined(work: Work): Promise<PartOutcome> {
    try {
      return await new GeneralTransaction(this.#layout, this.#connection, work).run()
    } catch (error) {
      if (isTakenId(error, this.#layout)) throw error
      const violation = isConstraintViolation(error) ? violationOf(error, this.#layout, work.operations) : undefined
      if (violation === undefined) throw isConstraintViolation(error) ? refusedByDatabase(error) : error
      return { ok: false, violations: [violation] }
    }
  }

  #workOf(operations: readonly Operation[], notes: SideRecords | undefined): Work {
    const isContinued = this.#isContinued
    this.#isContinued = true
    return { operations: operations.map((each) => inStoredForm(each, this.#layout)), mode: 'commit', notes, isContinued }
  }
}

/** The kinds of violations by SQLSTATE. */
const KINDS: Readonly<Record<string, 'not_null' | 'foreign_key' | 'unique' | 'check'>> = {
  '23502': 'not_null',
  [FOREIGN_KEY]: 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'unique',
}

/**
 * The violation of a constraint that the models do not have, such as one that another program has added; undefined if it concerns no field
 * of an operation.
 */
function violationOf(error: StatementError, layout: Layout, operations: readonly Operation[]): Violation | undefined {
  const kind = KINDS[error.code]
  const index = operations.findIndex(
    ({ kind: does, table }) => does !== 'remove' && does !== 'assert' && layout.of(table).name === error.table,
  )
  const operation = operations[index]
  if (kind === undefined || operation === undefined) return undefined
  const field = fieldOf(error, layout.of(operation.table))
  return field === undefined ? undefined : { kind, index, field }
}

/** The column that the error names, or that a constraint is named after. */
function fieldOf({ column, constraint = '' }: StatementError, table: TableLayout): string | undefined {
  // Former releases have commas between the names of columns.
  const named = table.columns.filter(
    ({ name }) => name === column || ['_', ','].some((end) => constraint.startsWith(`${table.name}_${name}${end}`)),
  )
  return named.reduce<(typeof named)[number] | undefined>(
    (best, each) => (best === undefined || each.name.length > best.name.length ? each : best),
    undefined,
  )?.field.name
}
