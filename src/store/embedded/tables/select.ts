import { matcher, type Predicate } from '../../../query/match.ts'
import { type Filter, filtersIn, isFieldFilter, isRelationFilter, type RelationFilter } from '../../../query/plan.ts'
import type { Steps } from '../../../util/slices.ts'
import { referencesOf } from '../../store.ts'
import { type AccessPath, accessFor, anyPath, complement, needOf, prepareAll, union } from './access-path.ts'
import { type Bitmap, bitmapFor } from './bitmap.ts'
import type { Need } from './indexes.ts'
import { RowFilter } from './row-filter.ts'
import type { Rows } from './row-set.ts'
import { Listed, Mapped, type SelectedRows } from './selection.ts'
import type { Table } from './table.ts'

/** Combining bitmaps costs as much as checking this many records, plus one for every so many rows of the table. */
const MIN_FEW = 64
const ROWS_PER_RECORD = 1000

/** The rows of a table that match some filters. */
export interface Selected {
  readonly selection: SelectedRows
  /** For the query plan log: `is_active 500000, age 75123`. */
  readonly how: () => string
}

interface Step {
  readonly filter: Filter
  readonly access: AccessPath
  readonly test: Predicate
}

/** Returns a table by name. */
export type TableNamed = (name: string) => Table

/** An index that a query needs, with its table. */
export interface TableNeed extends Need {
  readonly table: Table
}

/** The indexes that filters need. Small tables need none, since they are scanned. */
export function needsOf(table: Table, filters: readonly Filter[], tableNamed: TableNamed): TableNeed[] {
  return filters.flatMap((filter): TableNeed[] => {
    if (isFieldFilter(filter)) {
      const need = table.isSmall ? undefined : needOf(table, filter)
      return need === undefined ? [] : [{ table, ...need }]
    }
    if (!isRelationFilter(filter)) return needsOf(table, filtersIn(filter), tableNamed)
    const inner = needsOf(tableNamed(filter.target), [filter.filter], tableNamed)
    return table.isSmall ? inner : [{ table, kind: 'item', field: filter.field }, ...inner]
  })
}

/**
 * Selects the rows that all filters match, most selective filter first: few candidates are checked one by one, otherwise
 * bitmaps are combined.
 */
export function select(table: Table, filters: readonly Filter[], tableNamed: TableNamed): Selected {
  if (filters.length === 0) return { selection: table.all, how: () => 'all' }
  if (table.isSmall) return scan(table, filters, tableNamed)
  const steps = stepsFor(table, filters, tableNamed)
  return { selection: selectBy(table, steps), how: () => describe(steps) }
}

/** Finds rows of filters in steps where that may take long. What is behind their relations is found, and their indexes are complete. */
export const prepareFilters = (table: Table, filters: readonly Filter[], tableNamed: TableNamed): Steps<void> =>
  prepareSteps(table, table.isSmall ? [] : stepsFor(table, filters, tableNamed))

function prepareSteps(table: Table, steps: readonly Step[]): Steps<void> {
  return prepareAll((usesFew(table, steps) ? steps.slice(0, 1) : steps).map(({ access }) => access))
}

function scan(table: Table, filters: readonly Filter[], tableNamed: TableNamed): Selected {
  const test = testFor({ all: filters }, tableNamed)
  const rows = table.all.slice(0, table.size).filter((row) => {
    const record = table.recordAt(row)
    return record !== undefined && test(record)
  })
  return { selection: new Listed(rows), how: () => 'scan' }
}

const stepsFor = (table: Table, filters: readonly Filter[], tableNamed: TableNamed): Step[] =>
  filters
    .map((filter) => ({ filter, access: accessOf(table, filter, tableNamed), test: testFor(filter, tableNamed) }))
    .sort((a, b) => a.access.atMost - b.access.atMost)

/** @param steps the most selective first */
function selectBy(table: Table, steps: readonly Step[]): SelectedRows {
  const [first, ...others] = steps
  if (first === undefined) return table.all
  return usesFew(table, steps) ? pick(table, first, others) : combine(table, steps)
}

/** True if the candidates of the first step are checked one by one. */
const usesFew = (table: Table, [first]: readonly Step[]): boolean =>
  first === undefined || first.access.atMost <= MIN_FEW + table.capacity / ROWS_PER_RECORD

function pick(table: Table, first: Step, others: readonly Step[]): SelectedRows {
  const rows: number[] = []
  first.access.each((row) => {
    const record = table.recordAt(row)
    if (record !== undefined && others.every(({ test }) => test(record))) rows.push(row)
  })
  return new Listed([...new Set(rows)].sort((a, b) => a - b))
}

function combine(table: Table, steps: readonly Step[]): SelectedRows {
  const rowFilter = new RowFilter()
  for (const { access } of steps) access.describe(rowFilter)
  const bitmap = bitmapFor(table.capacity)
  return new Mapped(bitmap, rowFilter.computeWithin(table.live, bitmap))
}

function accessOf(table: Table, filter: Filter, tableNamed: TableNamed): AccessPath {
  if (isFieldFilter(filter)) return accessFor(table, filter)
  if (isRelationFilter(filter)) return relatedAccess(table, filter, tableNamed)
  const space = { live: table.live, size: table.size, capacity: table.capacity }
  if ('not' in filter) return complement(accessOf(table, filter.not, tableNamed), space)
  if ('all' in filter) return allAccess(table, stepsFor(table, filter.all, tableNamed))
  return union(
    filter.any.map((each) => accessOf(table, each, tableNamed)),
    space,
  )
}

/** The rows that all steps match. */
function allAccess(table: Table, steps: readonly Step[]): AccessPath {
  return {
    atMost: steps[0]?.access.atMost ?? table.size,
    each(visit) {
      const selection = selectBy(table, steps)
      for (const row of selection.slice(0, selection.size)) visit(row)
    },
    describe(rowFilter) {
      if (!usesFew(table, steps)) for (const { access } of steps) access.describe(rowFilter)
      else if (steps.length > 0) rowFilter.require(bitmapOfRows(selectBy(table, steps), table.capacity))
    },
    prepare: () => prepareSteps(table, steps),
  }
}

function bitmapOfRows(selection: SelectedRows, capacity: number): Bitmap {
  const bitmap = bitmapFor(capacity)
  for (const row of selection.slice(0, selection.size)) bitmap.add(row)
  return bitmap
}

/** The rows that refer to a record matching the inner filter. */
function relatedAccess(table: Table, filter: RelationFilter, tableNamed: TableNamed): AccessPath {
  const index = table.index('item', filter.field)
  const sets = idsOf(filter, tableNamed).flatMap((id): Rows[] => {
    const rows = index.rowsOf(id)
    return rows === undefined ? [] : [rows]
  })
  return anyPath(sets, table.capacity)
}

const testFor = (filter: Filter, tableNamed: TableNamed): Predicate => matcher(filter, (each) => relatedTest(each, tableNamed))

function relatedTest(filter: RelationFilter, tableNamed: TableNamed): Predicate {
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

const describe = (steps: readonly Step[]): string =>
  steps.map(({ filter, access }) => `${nameOf(filter)} ${access.atMost}`).join(', ')

function nameOf(filter: Filter): string {
  if (isFieldFilter(filter)) return filter.operator === 'eq' ? filter.field : `${filter.field}__${filter.operator}`
  if (isRelationFilter(filter)) return `${filter.field} → ${nameOf(filter.filter)}`
  if ('not' in filter) return `not ${nameOf(filter.not)}`
  return `(${filtersIn(filter)
    .map(nameOf)
    .join('any' in filter ? ' or ' : ' and ')})`
}
