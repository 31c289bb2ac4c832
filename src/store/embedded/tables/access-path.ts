import { orderingKey } from '../../../query/match.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import type { Steps } from '../../../util/slices.ts'
import { endOfPrefix } from '../../../util/text.ts'
import { type Bitmap, bitmapFor, restrictToRange } from './bitmap.ts'
import type { Need } from './indexes.ts'
import { RowFilter } from './row-filter.ts'
import { addTo, contains, eachRow, type Rows, sizeOf } from './row-set.ts'
import type { Table } from './table.ts'
import type { PartFilter, TextIndex } from './text-index.ts'
import { after, before, type Cut, type ValueIndex } from './value-index.ts'

/** An access path: the rows that one filter matches. */
export interface AccessPath {
  /** Upper bound of the number of matching rows, estimated in constant time. */
  readonly atMost: number
  /** Calls back with each matching row, in any order. */
  each(visit: (row: number) => void): void
  /** Adds bitmaps of the matching rows to `rowFilter`. */
  describe(rowFilter: RowFilter): void
  /** Finds the rows in steps if that may take long. */
  prepare?(): Steps<void>
}

/** Prepares some access paths. */
export function* prepareAll(parts: Iterable<AccessPath>): Steps<void> {
  for (const part of parts) if (part.prepare !== undefined) yield* part.prepare()
}

/** The rows with any of some values. */
export function anyPath(sets: readonly Rows[], capacity: number): AccessPath {
  const [only, ...others] = sets
  return {
    atMost: sets.reduce<number>((sum, rows) => sum + sizeOf(rows), 0),
    each(visit) {
      for (const rows of sets) eachRow(rows, visit)
    },
    describe(rowFilter) {
      const known = typeof only === 'object' && others.length === 0 ? only.bitmap : undefined
      if (known !== undefined) {
        rowFilter.require(known)
        return
      }
      const union = bitmapFor(capacity)
      for (const rows of sets) addTo(union, rows)
      rowFilter.require(union)
    },
  }
}

/** The rows of a table. */
interface RowSpace {
  /** The rows that hold a record. */
  readonly live: Bitmap
  /** Number of records. */
  readonly size: number
  readonly capacity: number
}

/** The rows of any of some access paths. */
export function union(parts: readonly AccessPath[], { live, size, capacity }: RowSpace): AccessPath {
  const atMost = Math.min(
    size,
    parts.reduce((sum, part) => sum + part.atMost, 0),
  )
  return {
    atMost,
    each(visit) {
      for (const part of parts) part.each(visit)
    },
    describe(rowFilter) {
      const all = bitmapFor(capacity)
      for (const part of parts) {
        if (part.atMost * ROWS_PER_WORD <= capacity) part.each((row) => all.add(row))
        else all.union(bitmapOf(part, { live, capacity }))
      }
      rowFilter.require(all)
    },
    prepare: () => prepareAll(parts),
  }
}

/** Below one row in so many, rows are added one by one. */
const ROWS_PER_WORD = 32

/** All rows but the rows of an access path. */
export function complement(part: AccessPath, { live, size, capacity }: RowSpace): AccessPath {
  return {
    atMost: size,
    each(visit) {
      const excluded = bitmapOf(part, { live, capacity })
      live.forEach((row) => {
        if (!excluded.has(row)) visit(row)
      })
    },
    describe: (rowFilter) => rowFilter.exclude(bitmapOf(part, { live, capacity })),
    prepare: () => prepareAll([part]),
  }
}

function bitmapOf(part: AccessPath, { live, capacity }: Omit<RowSpace, 'size'>): Bitmap {
  const rowFilter = new RowFilter()
  part.describe(rowFilter)
  const bitmap = bitmapFor(capacity)
  rowFilter.computeWithin(live, bitmap)
  return bitmap
}

/** All rows but those with one value. */
function allBut(excluded: Rows | undefined, live: Bitmap, size: number): AccessPath {
  return {
    atMost: size - (excluded === undefined ? 0 : sizeOf(excluded)),
    each(visit) {
      live.forEach((row) => {
        if (excluded === undefined || !contains(excluded, row)) visit(row)
      })
    },
    describe(rowFilter) {
      const known = typeof excluded === 'object' ? excluded.bitmap : undefined
      if (known !== undefined) rowFilter.exclude(known)
      else if (excluded !== undefined) rowFilter.excludeRows([excluded])
    },
  }
}

/** The rows whose values lie between two cuts. */
function between(index: ValueIndex, from: Cut, to: Cut): AccessPath {
  return {
    atMost: index.atMost(from, to),
    each(visit) {
      index.eachIn(from, to, (rows) => eachRow(rows, visit))
    },
    describe: (rowFilter) => index.describe(rowFilter, from, to),
  }
}

/** The rows from `from` up to, but not including, `to`: an id range. */
function idRange(from: number, to: number, live: Bitmap): AccessPath {
  return {
    atMost: Math.max(0, to - from),
    each(visit) {
      for (let row = from; row < to; row++) if (live.has(row)) visit(row)
    },
    describe(rowFilter) {
      const within = live.clone()
      restrictToRange(within, from, to)
      rowFilter.require(within)
    },
  }
}

/** The rows whose text contains a substring. */
function holding(index: TextIndex, filter: PartFilter, capacity: number): AccessPath {
  return {
    atMost: index.atMost(filter),
    each: (visit) => index.matching(filter).each(visit),
    prepare: () => index.prepare(filter),
    describe: (rowFilter) => anyPath([index.matching(filter)], capacity).describe(rowFilter),
  }
}

/** The index that a filter needs, if any. */
export function needOf(table: Table, { field: name, operator }: FieldFilter): Need | undefined {
  const field = name === 'id' ? undefined : table.model.fields.get(name)
  if (field === undefined) return undefined
  if (operator === 'icontains' || operator === 'endswith') return { kind: 'text', field: name }
  const asksForSame = operator === 'eq' || operator === 'ne' || operator === 'in' || operator === 'isnull'
  if (!asksForSame) return { kind: 'value', field: name, inOrder: true }
  const isOrderedByItself = field.type.sortable && field.type.ordering === undefined
  return { kind: !isOrderedByItself || table.isConstrained(name) ? 'item' : 'value', field: name }
}

/** The access path of a filter whose index is complete. */
export function accessFor(table: Table, filter: FieldFilter): AccessPath {
  const need = needOf(table, filter)
  if (need === undefined) return idAccess(table, filter)
  if (isPartFilter(filter)) return holding(table.index('text', need.field), filter, table.capacity)
  const index = need.kind === 'value' ? table.index('value', need.field) : table.index('item', need.field)
  const same = sameAccess(table, filter, (value) => index.rowsOf(value))
  return same ?? between(table.index('value', need.field), ...cutsOf(filter))
}

/** Access path of the equality operators; undefined for others. */
function sameAccess(table: Table, filter: FieldFilter, rowsOf: (value: Json) => Rows | undefined): AccessPath | undefined {
  switch (filter.operator) {
    case 'eq':
      return among(table, [rowsOf(filter.value)])
    case 'ne':
      return allBut(rowsOf(filter.value), table.live, table.size)
    case 'in':
      return among(table, [...new Set(filter.values)].map(rowsOf))
    case 'isnull':
      return filter.value ? among(table, [rowsOf(null)]) : allBut(rowsOf(null), table.live, table.size)
    default:
      return undefined
  }
}

const among = (table: Table, sets: readonly (Rows | undefined)[]): AccessPath =>
  anyPath(
    sets.filter((rows) => rows !== undefined),
    table.capacity,
  )

function isPartFilter(filter: FieldFilter): filter is PartFilter {
  return filter.operator === 'icontains' || filter.operator === 'endswith'
}

/** Rows ascend with ids, so a range of ids is a range of rows. */
function idAccess(table: Table, filter: FieldFilter): AccessPath {
  const same = sameAccess(table, filter, (value) => (typeof value === 'number' ? table.rowOf(value) : undefined))
  if (same !== undefined) return same
  const [from, to] = cutsOf(filter)
  return idRange(table.rowAt(from), table.rowAt(to), table.live)
}

/** The range of an ordering operator. It contains only values of the bound's type. */
function cutsOf(filter: FieldFilter): [Cut, Cut] {
  const bound = 'ordering' in filter ? orderingKey(filter.ordering)(filter.value) : 'value' in filter ? filter.value : null
  const [first, last] = typeof bound === 'string' ? TEXTS : NUMBERS
  switch (filter.operator) {
    case 'gt':
      return [after(bound), last]
    case 'gte':
      return [before(bound), last]
    case 'lt':
      return [first, before(bound)]
    case 'lte':
      return [first, after(bound)]
    case 'startswith':
      return [before(bound), before(endOfPrefix(String(bound)) ?? null)]
    default:
      throw new Error(`'${filter.operator}' asks for no range`)
  }
}

const NUMBERS = [before(Number.NEGATIVE_INFINITY), before('')] as const
const TEXTS = [before(''), before(null)] as const
