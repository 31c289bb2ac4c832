import type { Sql } from '../sql.ts'

/** A table or function of the store that belongs to no model. */
export interface SystemObject {
  readonly kind: 'table' | 'function'
  readonly name: string
  /** Creates a table, or creates or replaces a function. */
  readonly create: Sql
  /** Create the indexes of a table. */
  readonly indexes?: readonly Sql[]
}
