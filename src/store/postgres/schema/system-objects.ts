import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import type { Sql } from '../sql.ts'
import { countersTable, countFunction } from './counters.ts'
import { definitionsTable } from './recorded.ts'

/** A table or function of the store that belongs to no model. */
export interface SystemObject {
  readonly kind: 'table' | 'function'
  readonly name: string
  /** Creates a table, or creates or replaces a function. */
  readonly create: Sql
}

/** The tables and functions of the store that belong to no model. */
export const systemObjects = (layout: Layout): readonly SystemObject[] => [
  { kind: 'table', name: `${SYSTEM_PREFIX}definitions`, create: definitionsTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}counters`, create: countersTable(layout) },
  { kind: 'function', name: `${SYSTEM_PREFIX}count`, create: countFunction(layout) },
]
