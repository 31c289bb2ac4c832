import { AppError } from '../../../errors.ts'
import type { Operation, Outcome, TransactionMode, TransactionNotes } from '../../store.ts'
import { type Database, isConstraintViolation, isTransient } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { Alteration } from './direct/alteration.ts'
import { Creation } from './direct/creation.ts'
import { type AfterTurn, JoinedCreations } from './direct/joined-creations.ts'
import { GeneralTransaction, type Work } from './general-transaction.ts'
import { inStoredForm } from './stored-values.ts'
import { violationOf } from './unforeseen-violation.ts'

/** Maximum number of attempts of a transaction that the database refuses though what it had read permitted it. */
const MAX_ATTEMPTS = 10

/** Rolls a transaction back that has decided not to write. */
class Rollback extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('The transaction writes nothing')
    this.outcome = outcome
  }
}

/** The transactions of a store in PostgreSQL. Other processes and programs may write at the same time. */
export class PostgresTransactions {
  readonly #database: Database
  readonly #layout: Layout
  readonly #creations: JoinedCreations

  /** @param afterTurn runs a task when the present turn of the event loop is over */
  constructor(database: Database, layout: Layout, afterTurn: AfterTurn = setImmediate) {
    this.#database = database
    this.#layout = layout
    this.#creations = new JoinedCreations(database, afterTurn)
  }

  /**
   * Applies all operations or none, as `Store.transact`.
   *
   * @throws {AppError} STORE_UNAVAILABLE if nothing is written, OUTCOME_UNKNOWN if the connection was lost while the server was committing,
   * WRITE_CONFLICT if concurrent writes keep refusing it
   */
  async transact(operations: readonly Operation[], mode: TransactionMode = 'commit', notes?: TransactionNotes): Promise<Outcome> {
    if (operations.length === 0) return { ok: true, records: [], changes: [] }
    const work = { operations: operations.map((operation) => inStoredForm(operation, this.#layout)), mode, notes }
    if (mode === 'rehearse') return this.#rehearse(work)
    return (await this.#direct(work)) ?? this.#commit(work)
  }

  /** Frequent transactions are one statement. If it changes nothing or fails, the general transaction finds out why. */
  async #direct(work: Work): Promise<Outcome | undefined> {
    try {
      const creation = Creation.of(this.#layout, work)
      if (creation !== undefined) return await this.#creations.run(creation)
      return await Alteration.of(this.#layout, work)?.run(this.#database)
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

  /** A violation that only the database sees is that of a concurrent write, which the next attempt reads. */
  async #commit(work: Work): Promise<Outcome> {
    let last: unknown
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        if (!isConstraintViolation(error) && !isTransient(error)) throw error
        last = error
      }
    }
    const violation = isConstraintViolation(last) ? violationOf(last, this.#layout, work.operations) : undefined
    if (violation !== undefined) return { ok: false, violations: [violation] }
    throw new AppError('WRITE_CONFLICT', 'The records keep changing under other writes; read them again and retry')
  }

  async #attempt(work: Work): Promise<Outcome> {
    try {
      return await this.#database.transaction(async (connection) => {
        const outcome = await new GeneralTransaction(this.#layout, connection, work).run()
        // A rollback releases the locks without waiting for the disk.
        if (!outcome.ok) throw new Rollback(outcome)
        return outcome
      })
    } catch (error) {
      if (error instanceof Rollback) return error.outcome
      throw error
    }
  }
}
