import type { Operation, Violation } from '../../store.ts'
import type { StatementError } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import type { TableLayout } from '../layout/table-layout.ts'

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
