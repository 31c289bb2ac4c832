import type { AggregateGroup, AggregatePlan } from '../../../query/aggregate.ts'
import { compareValues, orderingKey } from '../../../query/compare.ts'
import { DecimalSum } from '../../../util/decimal.ts'
import { DoubleSum, IntegerSum } from '../../../util/exact-sums.ts'
import type { Json } from '../../../util/json.ts'
import { firstOf, sizeOf } from '../row-sets/row-set.ts'
import type { Table } from '../tables/table.ts'
import type { TableNeed } from './select.ts'
import type { Selection } from './selection.ts'

/** Computes the groups of a selection, in the order of their keys; undefined if there are too many. */
export function aggregate(table: Table, selection: Selection, plan: AggregatePlan): readonly AggregateGroup[] | undefined {
  const counted = countedField(table, plan)
  if (counted !== undefined) return countedGroups(table, counted, plan.limit)
  const groups = new Groups(table, plan)
  for (const row of selection.slice(0, selection.size)) {
    if (!groups.add(row)) return undefined
  }
  return groups.results()
}

/** The indexes that an aggregate needs besides those of its filters. */
export function needsOfAggregate(table: Table, plan: AggregatePlan): TableNeed[] {
  if (table.isSmall) return []
  const counted = countedField(table, plan)
  if (counted !== undefined) return [{ table, kind: 'value', field: counted }]
  const fields = new Set([...plan.groupBy, ...plan.sums, ...plan.ranges.map(({ field }) => field)])
  return [...fields].map((field) => ({ table, kind: 'column', field }))
}

/** The field whose index alone answers a plan, if there is one. */
function countedField(table: Table, { filters, groupBy, sums, ranges }: AggregatePlan): string | undefined {
  const [field, ...others] = groupBy
  if (field === undefined || field === 'id' || table.isSmall) return undefined
  const isCount = filters.length + others.length + sums.length + ranges.length === 0
  return isCount && table.model.fields.get(field)?.type.sortable === true ? field : undefined
}

function countedGroups(table: Table, field: string, limit: number): readonly AggregateGroup[] | undefined {
  const groups: AggregateGroup[] = []
  table.index('value', field).walk('asc', undefined, (values) => {
    for (const rows of values) {
      const value = table.recordAt(firstOf(rows))?.[field] ?? null
      groups.push({ key: [value], count: sizeOf(rows), sums: [], ranges: [] })
    }
    return groups.length <= limit
  })
  return groups.length > limit ? undefined : groups
}

/** A sum under way. Values of other types, which remain after a field's type was changed, do not count. */
interface Sum {
  add(value: Json): void
  result(): { sum: string; present: number }
}

interface Range {
  min: Json
  max: Json
}

interface Group {
  readonly key: readonly Json[]
  count: number
  readonly sums: readonly Sum[]
  readonly ranges: readonly Range[]
}

const NO_KEY: readonly Json[] = []

/** Reads the value of a field in a row. */
type Reader = (row: number) => Json

function readerOf(table: Table, field: string): Reader {
  if (table.isSmall) return (row) => table.recordAt(row)?.[field] ?? null
  const column = table.index('column', field)
  return (row) => column.valueAt(row)
}

class Groups {
  readonly #plan: AggregatePlan
  readonly #table: Table
  readonly #keys: readonly Reader[]
  readonly #addends: readonly Reader[]
  readonly #ranged: readonly Reader[]
  readonly #orderings: readonly ((value: Json) => Json)[]
  readonly #groups = new Map<Json, Group>()
  /** True if a group is named by one value that is no list. */
  readonly #hasOneValue: boolean

  constructor(table: Table, plan: AggregatePlan) {
    this.#table = table
    this.#plan = plan
    this.#keys = plan.groupBy.map((field) => readerOf(table, field))
    this.#addends = plan.sums.map((field) => readerOf(table, field))
    this.#ranged = plan.ranges.map(({ field }) => readerOf(table, field))
    this.#hasOneValue = plan.groupBy.every((field, place) => place === 0 && table.model.fields.get(field)?.type.list !== true)
    this.#orderings = plan.ranges.map(({ ordering }) => orderingKey(ordering))
  }

  /** @returns false if there are too many groups */
  add(row: number): boolean {
    const [first] = this.#keys
    if (first === undefined) this.#addTo(this.#groups.get(null) ?? this.#blank(null, NO_KEY), row)
    else if (this.#hasOneValue) {
      const value = first(row)
      this.#addTo(this.#groups.get(value) ?? this.#blank(value, [value]), row)
    } else {
      for (const key of combinations(this.#keys.map((read) => read(row)))) {
        const name = JSON.stringify(key)
        this.#addTo(this.#groups.get(name) ?? this.#blank(name, key), row)
      }
    }
    return this.#groups.size <= this.#plan.limit
  }

  #addTo(group: Group, row: number): void {
    group.count++
    for (let place = 0; place < this.#addends.length; place++) group.sums[place]?.add(this.#addends[place]?.(row) ?? null)
    for (let place = 0; place < this.#ranged.length; place++) this.#widen(group, place, this.#ranged[place]?.(row) ?? null)
  }

  #widen({ ranges }: Group, place: number, value: Json): void {
    const [range, keyOf] = [ranges[place], this.#orderings[place]]
    if (range === undefined || keyOf === undefined || value === null) return
    if (range.min === null || compareValues(keyOf(value), keyOf(range.min)) < 0) range.min = value
    if (range.max === null || compareValues(keyOf(value), keyOf(range.max)) > 0) range.max = value
  }

  #blank(name: Json, key: readonly Json[]): Group {
    const sums = this.#plan.sums.map((field) => sumOf(this.#table.model.fields.get(field)?.type.name))
    const group = { key, count: 0, sums, ranges: this.#plan.ranges.map(() => ({ min: null, max: null })) }
    this.#groups.set(name, group)
    return group
  }

  results(): AggregateGroup[] {
    const keys = this.#plan.groupBy.map((field) => orderingKey(this.#table.model.fields.get(field)?.type.ordering))
    // Without keys all records are one group, even if there are none.
    if (this.#groups.size === 0 && keys.length === 0) this.#blank(null, NO_KEY)
    return [...this.#groups.values()]
      .sort((a, b) => {
        for (const [place, keyOf] of keys.entries()) {
          const sign = compareValues(keyOf(a.key[place] ?? null), keyOf(b.key[place] ?? null))
          if (sign !== 0) return sign
        }
        return 0
      })
      .map((group) => ({ ...group, sums: group.sums.map((sum) => sum.result()) }))
  }
}

/** The groups that the values of a record belong to: one for each combination of the items of lists. */
function combinations(values: readonly Json[]): readonly (readonly Json[])[] {
  return values.reduce<readonly (readonly Json[])[]>(
    (keys, value) => {
      const items = !Array.isArray(value) ? [value] : value.length === 0 ? [null] : [...new Set(value)]
      return keys.flatMap((key) => items.map((item) => [...key, item]))
    },
    [[]],
  )
}

function sumOf(type: string | undefined): Sum {
  let present = 0
  if (type === 'decimal') {
    const sum = new DecimalSum()
    return {
      add(value) {
        if (typeof value !== 'string') return
        sum.add(value)
        present++
      },
      result: () => ({ sum: sum.value, present }),
    }
  }
  const sum = type === 'integer' ? new IntegerSum() : new DoubleSum()
  return {
    add(value) {
      if (typeof value !== 'number') return
      sum.add(value)
      present++
    },
    result: () => ({ sum: String(sum.value), present }),
  }
}
