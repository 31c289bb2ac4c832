import type { Operation, PartOutcome, TransactionNotes } from '../../store.ts'
import { type Connection, isConstraintViolation } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import { Creation } from './direct/creation.ts'
import { GeneralTransaction, type Work } from './general-transaction.ts'
import { inStoredForm } from './stored-values.ts'
import { violationOf } from './unforeseen-violation.ts'

/** A refusal whose reasons are not known. */
const REFUSED: PartOutcome = { ok: false, violations: [] }

/** Stores the parts of a transaction one after the other on its connection. Of many unique values only those of the first part are locked. */
export class TransactionParts {
  readonly #layout: Layout
  readonly #connection: Connection
  #isContinued = false

  constructor(layout: Layout, connection: Connection) {
    this.#layout = layout
    this.#connection = connection
  }

  /** Applies a part. If it is refused, the transaction must be rolled back. */
  async apply(operations: readonly Operation[], notes: TransactionNotes | undefined): Promise<PartOutcome> {
    const work = this.#workOf(operations, notes)
    try {
      const creation = Creation.of(this.#layout, work)
      if (creation === undefined) return await new GeneralTransaction(this.#layout, this.#connection, work).run()
      return (await creation.runInSlices(this.#connection)) ?? REFUSED
    } catch (error) {
      if (isConstraintViolation(error)) return REFUSED
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
      const violation = isConstraintViolation(error) ? violationOf(error, this.#layout, work.operations) : undefined
      if (violation === undefined) throw error
      return { ok: false, violations: [violation] }
    }
  }

  #workOf(operations: readonly Operation[], notes: TransactionNotes | undefined): Work {
    const isContinued = this.#isContinued
    this.#isContinued = true
    return { operations: operations.map((each) => inStoredForm(each, this.#layout)), mode: 'commit', notes, isContinued }
  }
}
