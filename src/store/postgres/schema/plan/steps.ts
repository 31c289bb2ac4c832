import type { Sql } from '../../sql.ts'

/** The order in which steps are applied. */
export const PHASES = [
  'system',
  'rename',
  'release',
  'create',
  'column',
  'constraint',
  'foreignKey',
  'index',
  'trigger',
  'drop',
] as const

export type Phase = (typeof PHASES)[number]

/**
 * - `additive`: loses nothing and cannot fail because of the rows: a start applies it.
 * - `checked`: rows can be in the way: `admin migrate --apply` applies it.
 * - `destructive`: drops a table or a column with its values, if that is allowed.
 */
export type StepClass = 'additive' | 'checked' | 'destructive'

/** A row that a step cannot be applied to. */
export interface RowInTheWay {
  readonly id: number
  /** The value as text; null for no value, and for one that is secret. */
  readonly value: string | null
}

/** The number of rows that a step cannot be applied to, and the first of them. */
export interface RowsInTheWay {
  readonly count: number
  readonly examples: readonly RowInTheWay[]
}

/** A step from the schema that is applied to the one that the models define. */
export interface Step {
  readonly phase: Phase
  readonly class: StepClass
  /** A sentence that names the model and field. */
  readonly reason: string
  readonly statements: readonly Sql[]
  /** The rows in the way of a checked step; the step can be applied if there are none. */
  readonly rows?: RowsInTheWay
  /** Executed in place of a destructive step that is not allowed: the table or column stays, unused. */
  readonly keep?: readonly Sql[]
  /** True for statements that are executed one by one after the others were committed. */
  readonly isConcurrent?: true
}
