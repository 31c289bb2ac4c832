import { matcher } from '../../../query/match.ts'
import { type FieldFilter, type Filter, isRelationFilter, type RelationFilter } from '../../../query/plan.ts'
import type { StoredRecord } from '../../store.ts'
import { referencesOf, type Table } from '../tables/table.ts'
import { type Access, anyOf } from './access.ts'
import { accessFor, needOf } from './filter-access.ts'
import type { Need } from './indexes.ts'
import type { Rows } from './row-set.ts'
import { listed, mapped, type Selection } from './selection.ts'
import { Terms } from './terms.ts'

/** Combining bitmaps costs as much as checking this many records, plus one for every so many rows of the table. */
const MIN_FEW = 64
const ROWS_PER_RECORD = 1000

/** The rows of a table that match some filters. */
export interface Selected {
  readonly selection: Selection
  /** For the query plan log: `is_active 500000, age 75123`. */
  readonly how: () => string
}

type Test = (record: StoredRecord) => boolean

interface Step {
  readonly filter: Filter
  readonly access: Access
  readonly test: Test
}

/** Returns a table by name. */
export type TableNamed = (name: string) => Table

/** An index that a query needs, with its table. */
export interface TableNeed extends Need {
  readonly table: Table
}

/** The indexes that filters need. Small tables need none, since they are scanned. */
export function needsOf(table: Table, filters: readonly Filter[], tableNamed: TableNamed): TableNeed[] {
  const needs: TableNeed[] = []
  for (const filter of filters) {
    if (isRelationFilter(filter)) needs.push(...needsOf(tableNamed(filter.target), [filter.filter], tableNamed))
    const need = isRelationFilter(filter) ? ({ kind: 'item', field: filter.field } as const) : needOf(table, filter)
    if (need !== undefined && !table.isSmall) needs.push({ table, kind: need.kind, field: need.field })
  }
  return needs
}

/**
 * Selects the rows that all filters match, most selective filter first: few candidates are checked one by one, otherwise
 * bitmaps are combined.
 */
export function select(table: Table, filters: readonly Filter[], tableNamed: TableNamed): Selected {
  if (filters.length === 0) return { selection: table.all, how: () => 'all' }
  if (table.isSmall) return scan(table, filters, tableNamed)
  const steps = filters.map((filter) => stepFor(table, filter, tableNamed)).sort((a, b) => a.access.atMost - b.access.atMost)
  const [first, ...others] = steps
  if (first === undefined) throw new Error('There is no filter')
  const selection =
    first.access.atMost <= MIN_FEW + table.capacity / ROWS_PER_RECORD ? pick(table, first, others) : combine(table, steps)
  return { selection, how: () => steps.map(({ filter, access }) => `${nameOf(filter)} ${access.atMost}`).join(', ') }
}

function scan(table: Table, filters: readonly Filter[], tableNamed: TableNamed): Selected {
  const tests = filters.map((filter) => testFor(filter, tableNamed))
  const rows = table.all.slice(0, table.size).filter((row) => {
    const record = table.recordAt(row)
    return record !== undefined && tests.every((test) => test(record))
  })
  return { selection: listed(rows), how: () => 'scan' }
}

function pick(table: Table, first: Step, others: readonly Step[]): Selection {
  const rows: number[] = []
  first.access.each((row) => {
    const record = table.recordAt(row)
    if (record !== undefined && others.every(({ test }) => test(record))) rows.push(row)
  })
  return listed([...new Set(rows)].sort((a, b) => a - b))
}

function combine(table: Table, steps: readonly Step[]): Selection {
  const terms = new Terms()
  for (const { access } of steps) access.describe(terms)
  if (terms.isOpen) terms.require(table.live)
  const bitmap = table.scratch.blank(table.capacity)
  return mapped(bitmap, table.scratch, terms.computeInto(bitmap))
}

function stepFor(table: Table, filter: Filter, tableNamed: TableNamed): Step {
  const access = isRelationFilter(filter) ? relatedAccess(table, filter, tableNamed) : accessFor(table, filter)
  return { filter, access, test: testFor(filter, tableNamed) }
}

/** The rows that refer to a record matching the inner filter. */
function relatedAccess(table: Table, filter: RelationFilter, tableNamed: TableNamed): Access {
  const index = table.index('item', filter.field)
  const sets = idsOf(filter, tableNamed).flatMap((id): Rows[] => {
    const rows = index.rowsOf(id)
    return rows === undefined ? [] : [rows]
  })
  return anyOf(sets, table.scratch, table.capacity)
}

function testFor(filter: Filter, tableNamed: TableNamed): Test {
  if (!isRelationFilter(filter)) return matcher(filter)
  let ids: ReadonlySet<number> | undefined
  return (record) => {
    ids ??= new Set(idsOf(filter, tableNamed))
    const related = ids
    return referencesOf(record, filter.field).some((id) => related.has(id))
  }
}

function idsOf({ target, filter }: RelationFilter, tableNamed: TableNamed): number[] {
  const table = tableNamed(target)
  const { selection } = select(table, [filter], tableNamed)
  return selection.slice(0, selection.size).flatMap((row) => table.recordAt(row)?.id ?? [])
}

function nameOf(filter: Filter): string {
  const named = ({ field, operator }: FieldFilter): string => (operator === 'eq' ? field : `${field}__${operator}`)
  return isRelationFilter(filter) ? `${filter.field} → ${named(filter.filter)}` : named(filter)
}
