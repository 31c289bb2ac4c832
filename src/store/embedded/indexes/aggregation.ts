import type { AggregateGroup, AggregatePlan } from '../../../query/aggregate.ts'
import { compareValues, orderingKey } from '../../../query/compare.ts'
import { DecimalSum } from '../../../util/decimal.ts'
import { DoubleSum, IntegerSum } from '../../../util/exact-sums.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import type { Table } from '../tables/table.ts'
import { firstOf, sizeOf } from './row-set.ts'
import type { Selection } from './selection.ts'

/** Computes the groups of a selection, in the order of their keys; undefined if there are too many. */
export function aggregate(table: Table, selection: Selection, plan: AggregatePlan): readonly AggregateGroup[] | undefined {
  const counted = countedField(table, plan)
  if (counted !== undefined) return countedGroups(table, counted, plan.limit)
  const groups = new Groups(table, plan)
  for (const row of selection.slice(0, selection.size)) {
    const record = table.recordAt(row)
    if (record !== undefined && !groups.add(record)) return undefined
  }
  return groups.results()
}

/** The field whose index alone answers a plan, if there is one. */
export function countedField(table: Table, { filters, groupBy, sums, ranges }: AggregatePlan): string | undefined {
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

class Groups {
  readonly #plan: AggregatePlan
  readonly #table: Table
  readonly #orderings: readonly ((value: Json) => Json)[]
  readonly #groups = new Map<Json, Group>()
  /** True if a group is named by one value that is no list. */
  readonly #hasOneValue: boolean

  constructor(table: Table, plan: AggregatePlan) {
    this.#table = table
    this.#plan = plan
    this.#hasOneValue = plan.groupBy.every((field, place) => place === 0 && table.model.fields.get(field)?.type.list !== true)
    this.#orderings = plan.ranges.map(({ ordering }) => orderingKey(ordering))
  }

  /** @returns false if there are too many groups */
  add(record: StoredRecord): boolean {
    const { groupBy } = this.#plan
    const [field] = groupBy
    if (field === undefined) this.#addTo(null, NO_KEY, record)
    else if (this.#hasOneValue) this.#addTo(record[field] ?? null, [record[field] ?? null], record)
    else for (const key of keysOf(record, groupBy)) this.#addTo(JSON.stringify(key), key, record)
    return this.#groups.size <= this.#plan.limit
  }

  #addTo(name: Json, key: readonly Json[], record: StoredRecord): void {
    let group = this.#groups.get(name)
    if (group === undefined) {
      group = this.#blank(key)
      this.#groups.set(name, group)
    }
    const { sums, ranges } = this.#plan
    group.count++
    for (let place = 0; place < sums.length; place++) group.sums[place]?.add(record[sums[place] as string] ?? null)
    for (let place = 0; place < ranges.length; place++) this.#widen(group, place, record)
  }

  #widen({ ranges }: Group, place: number, record: StoredRecord): void {
    const [range, field, keyOf] = [ranges[place], this.#plan.ranges[place]?.field, this.#orderings[place]]
    const value = field === undefined ? null : (record[field] ?? null)
    if (range === undefined || keyOf === undefined || value === null) return
    if (range.min === null || compareValues(keyOf(value), keyOf(range.min)) < 0) range.min = value
    if (range.max === null || compareValues(keyOf(value), keyOf(range.max)) > 0) range.max = value
  }

  #blank(key: readonly Json[]): Group {
    const sums = this.#plan.sums.map((field) => sumOf(this.#table.model.fields.get(field)?.type.name))
    return { key, count: 0, sums, ranges: this.#plan.ranges.map(() => ({ min: null, max: null })) }
  }

  results(): AggregateGroup[] {
    const keys = this.#plan.groupBy.map((field) => orderingKey(this.#table.model.fields.get(field)?.type.ordering))
    // Without keys all records are one group, even if there are none.
    const groups = this.#groups.size === 0 && keys.length === 0 ? [this.#blank(NO_KEY)] : [...this.#groups.values()]
    return groups
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

/** The groups that a record belongs to: one for each combination of the items of its lists. */
function keysOf(record: StoredRecord, fields: readonly string[]): readonly (readonly Json[])[] {
  return fields.reduce<readonly (readonly Json[])[]>(
    (keys, field) => {
      const value = record[field] ?? null
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
