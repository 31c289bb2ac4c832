import type { Field } from '../../../model/field.ts'
import { orderingKey } from '../../../query/compare.ts'
import type { FieldFilter } from '../../../query/plan.ts'
import type { Json } from '../../../util/json.ts'
import type { IndexKind, Need } from '../indexes/indexes.ts'
import type { PartFilter } from '../indexes/substring-cache.ts'
import { after, before, type Cut } from '../indexes/value-index.ts'
import type { Rows } from '../row-sets/row-set.ts'
import type { Table } from '../tables/table.ts'
import { type Access, allBut, anyOf, between, holding, stretch } from './access.ts'

/** The index that a filter needs, if any. */
export function needOf(table: Table, { field: name, operator }: FieldFilter): Need | undefined {
  const field = name === 'id' ? undefined : table.model.fields.get(name)
  return field === undefined ? undefined : { kind: kindFor(table, field, operator), field: name }
}

function kindFor(table: Table, { name, type }: Field, operator: FieldFilter['operator']): IndexKind {
  if (operator === 'icontains' || operator === 'endswith') return 'text'
  const asksForSame = operator === 'eq' || operator === 'ne' || operator === 'in' || operator === 'isnull'
  const isOrderedByItself = type.sortable && type.ordering === undefined
  return asksForSame && (!isOrderedByItself || table.isConstrained(name)) ? 'item' : 'value'
}

/** The access path of a filter whose index is complete. */
export function accessFor(table: Table, filter: FieldFilter): Access {
  const need = needOf(table, filter)
  if (need === undefined) return idAccess(table, filter)
  if (isPartFilter(filter)) return holding(table.index('text', need.field), filter, table.scratch, table.capacity)
  const index = need.kind === 'value' ? table.index('value', need.field) : table.index('item', need.field)
  const same = sameAccess(table, filter, (value) => index.rowsOf(value))
  return same ?? between(table.index('value', need.field), ...cutsOf(filter))
}

/** Access path of the equality operators; undefined for others. */
function sameAccess(table: Table, filter: FieldFilter, rowsOf: (value: Json) => Rows | undefined): Access | undefined {
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

const among = (table: Table, sets: readonly (Rows | undefined)[]): Access =>
  anyOf(
    sets.filter((rows) => rows !== undefined),
    table.scratch,
    table.capacity,
  )

function isPartFilter(filter: FieldFilter): filter is PartFilter {
  return filter.operator === 'icontains' || filter.operator === 'endswith'
}

/** Rows ascend with ids, so a range of ids is a range of rows. */
function idAccess(table: Table, filter: FieldFilter): Access {
  const same = sameAccess(table, filter, (value) => (typeof value === 'number' ? table.rowOf(value) : undefined))
  if (same !== undefined) return same
  const [from, to] = cutsOf(filter)
  return stretch(table.rowAt(from), table.rowAt(to), table.live, table.scratch)
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
      return [before(bound), endOfPrefix(String(bound))]
    default:
      throw new Error(`'${filter.operator}' asks for no range`)
  }
}

const NUMBERS = [before(Number.NEGATIVE_INFINITY), before('')] as const
const TEXTS = [before(''), before(null)] as const

/** The cut before the first text greater than all texts with the prefix. */
function endOfPrefix(prefix: string): Cut {
  for (let length = prefix.length; length > 0; length--) {
    const code = prefix.charCodeAt(length - 1)
    if (code < 0xffff) return before(prefix.slice(0, length - 1) + String.fromCharCode(code + 1))
  }
  return before(null)
}
