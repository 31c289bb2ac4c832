import type { Operation, PartOutcome, SideRecords, Violation } from '../../store.ts'
import { type Connection, isConstraintViolation, type StatementError } from '../connection/database.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { sql } from '../sql.ts'
import { Creation } from './creation.ts'
import { GeneralTransaction, type Work } from './general-transaction.ts'
import { inStoredForm } from './stored-values.ts'

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

  #workOf(operations: readonly Operation[], notes: SideRecords | undefined): Work {
    const isContinued = this.#isContinued
    this.#isContinued = true
    return { operations: operations.map((each) => inStoredForm(each, this.#layout)), mode: 'commit', notes, isContinued }
  }
}

/** The kinds of violations by SQLSTATE. */
const KINDS: Readonly<Record<string, 'not_null' | 'foreign_key' | 'unique' | 'check'>> = {
  '23502': 'not_null',
  '23503': 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'unique',
}

/**
 * The violation of a constraint that the models do not have, such as one that another program has added; undefined if it concerns no field
 * of an operation.
 */
export function violationOf(error: StatementError, layout: Layout, operations: readonly Operation[]): Violation | undefined {
  const kind = KINDS[error.code]
  const index = operations.findIndex(({ kind: does, table }) => does !== 'remove' && layout.of(table).name === error.table)
  const operation = operations[index]
  if (kind === undefined || operation === undefined) return undefined
  const field = fieldOf(error, layout.of(operation.table))
  return field === undefined ? undefined : { kind, index, field }
}

/** The column that the error names, or that a constraint is named after. */
function fieldOf({ column, constraint = '' }: StatementError, table: TableLayout): string | undefined {
  // The constraint of fields that are unique together has their names with commas between them.
  const named = table.columns.filter(
    ({ name }) => name === column || ['_', ','].some((end) => constraint.startsWith(`${table.name}_${name}${end}`)),
  )
  return named.reduce<(typeof named)[number] | undefined>(
    (best, each) => (best === undefined || each.name.length > best.name.length ? each : best),
    undefined,
  )?.field.name
}
