import { type AggregateGroup, type AggregatePlan, fieldOfKey, type GroupKey } from '../../../query/aggregate.ts'
import { compareValues, orderingKey } from '../../../query/match.ts'
import { periodNamer } from '../../../query/periods.ts'
import { DecimalSum, DoubleSum, IntegerSum } from '../../../util/decimal.ts'
import type { Json } from '../../../util/json.ts'
import { firstRow, sizeOf } from './row-set.ts'
import type { TableNeed } from './select.ts'
import type { SelectedRows } from './selection.ts'
import type { Table } from './table.ts'

/** Computes the groups of a selection, in the order of their keys; undefined if there are too many. */
export function aggregateRows(table: Table, selection: SelectedRows, plan: AggregatePlan): readonly AggregateGroup[] | undefined {
  const counted = countedField(table, plan)
  if (counted !== undefined) return countedGroups(table, counted, plan.limit)
  const groups = new Groups(table, plan)
  const members = groups.assign(selection.slice(0, selection.size))
  return members === undefined ? undefined : groups.results(members)
}

/** The indexes that an aggregate needs, without the indexes of its filters. */
export function needsOfAggregate(table: Table, plan: AggregatePlan): TableNeed[] {
  if (table.isSmall) return []
  const counted = countedField(table, plan)
  if (counted !== undefined) return [{ table, kind: 'value', field: counted, inOrder: true }]
  const fields = new Set([...plan.groupBy.map(fieldOfKey), ...plan.sums, ...plan.ranges.map(({ field }) => field)])
  return [...fields].map((field) => ({ table, kind: 'column', field }))
}

/** The field whose index alone answers a plan, if there is one. */
function countedField(table: Table, { filters, groupBy, sums, ranges }: AggregatePlan): string | undefined {
  const [field, ...others] = groupBy
  if (typeof field !== 'string' || field === 'id' || table.isSmall) return undefined
  const isCount = filters.length + others.length + sums.length + ranges.length === 0
  return isCount && table.model.fields.get(field)?.type.sortable === true ? field : undefined
}

function countedGroups(table: Table, field: string, limit: number): readonly AggregateGroup[] | undefined {
  const groups: AggregateGroup[] = []
  table.index('value', field).walk('asc', undefined, (values) => {
    for (const rows of values) {
      const value = table.recordAt(firstRow(rows))?.[field] ?? null
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

const NO_KEY: readonly Json[] = []

/** Reads the value of a field in a row. */
type Reader = (row: number) => Json

function readerOf(table: Table, field: string): Reader {
  if (table.isSmall) return (row) => table.recordAt(row)?.[field] ?? null
  const column = table.index('column', field)
  return (row) => column.valueAt(row)
}

function keyReaderOf(table: Table, key: GroupKey): Reader {
  const read = readerOf(table, fieldOfKey(key))
  if (typeof key === 'string') return read
  const nameOf = periodNamer(key.period)
  return (row) => nameOf(read(row))
}

/** Rows and the numbers of their groups, place by place. A row with a list occurs once for each of its groups. */
interface Members {
  readonly rows: readonly number[]
  readonly groups: Int32Array | readonly number[]
}

/** Groups of rows. Each measure is computed in a loop of its own over one column, which is faster than going row by row. */
class Groups {
  readonly #plan: AggregatePlan
  readonly #table: Table
  readonly #keys: readonly Reader[]
  readonly #numbers = new Map<Json, number>()
  readonly #keysOfGroups: (readonly Json[])[] = []

  constructor(table: Table, plan: AggregatePlan) {
    this.#table = table
    this.#plan = plan
    this.#keys = plan.groupBy.map((key) => keyReaderOf(table, key))
  }

  /** Assigns rows to groups; undefined if there are too many groups. */
  assign(rows: readonly number[]): Members | undefined {
    const { groupBy, limit } = this.#plan
    const [first, ...others] = this.#keys
    // Without keys all records are one group, even if there are none.
    if (first === undefined) {
      this.#numberOf(null, NO_KEY)
      return { rows, groups: new Int32Array(rows.length) }
    }
    const isList = groupBy.some((key) => this.#table.model.fields.get(fieldOfKey(key))?.type.list === true)
    if (isList || others.length > 0) return this.#assignCombinations(rows)
    const groups = new Int32Array(rows.length)
    for (let place = 0; place < rows.length; place++) {
      const value = first(rows[place] ?? 0)
      groups[place] = this.#numbers.get(value) ?? this.#numberOf(value, [value])
      if (this.#numbers.size > limit) return undefined
    }
    return { rows, groups }
  }

  #assignCombinations(rows: readonly number[]): Members | undefined {
    const members = { rows: [] as number[], groups: [] as number[] }
    for (const row of rows) {
      for (const key of combinations(this.#keys.map((read) => read(row)))) {
        members.rows.push(row)
        members.groups.push(this.#numberOf(JSON.stringify(key), key))
      }
      if (this.#numbers.size > this.#plan.limit) return undefined
    }
    return members
  }

  #numberOf(name: Json, key: readonly Json[]): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#numbers.size)
    return this.#keysOfGroups.push(key) - 1
  }

  results({ rows, groups }: Members): AggregateGroup[] {
    const counts = new Float64Array(this.#keysOfGroups.length)
    for (let place = 0; place < groups.length; place++) counts[groups[place] ?? 0] = (counts[groups[place] ?? 0] ?? 0) + 1
    const sums = this.#plan.sums.map((field) => this.#sumsOf(field, { rows, groups }))
    const ranges = this.#plan.ranges.map(({ field, ordering }) => this.#rangesOf(field, orderingKey(ordering), { rows, groups }))
    const found = this.#keysOfGroups.map((key, group) => ({
      key,
      count: counts[group] ?? 0,
      sums: sums.map((each) => each[group]?.result() ?? NO_SUM),
      ranges: ranges.map((each) => each[group] ?? NO_RANGE),
    }))
    const keys = this.#plan.groupBy.map((key) => orderingKey(this.#table.model.fields.get(fieldOfKey(key))?.type.ordering))
    return found.sort((a, b) => {
      for (const [place, keyOf] of keys.entries()) {
        const sign = compareValues(keyOf(a.key[place] ?? null), keyOf(b.key[place] ?? null))
        if (sign !== 0) return sign
      }
      return 0
    })
  }

  /** The sums of a field, by group. */
  #sumsOf(field: string, { rows, groups }: Members): readonly Sum[] {
    const type = this.#table.model.fields.get(field)?.type.name
    const sums = this.#keysOfGroups.map(() => sumOf(type))
    const read = readerOf(this.#table, field)
    for (let place = 0; place < rows.length; place++) sums[groups[place] ?? 0]?.add(read(rows[place] ?? 0))
    return sums
  }

  /** The least and the greatest value of a field, by group. */
  #rangesOf(field: string, keyOf: (value: Json) => Json, { rows, groups }: Members): readonly AggregateGroup['ranges'][number][] {
    const ranges = this.#keysOfGroups.map(() => ({
      min: null as Json,
      max: null as Json,
      minKey: null as Json,
      maxKey: null as Json,
    }))
    const read = readerOf(this.#table, field)
    for (let place = 0; place < rows.length; place++) {
      const [range, value] = [ranges[groups[place] ?? 0], read(rows[place] ?? 0)]
      if (range === undefined || value === null) continue
      const key = keyOf(value)
      if (range.min === null || compareValues(key, range.minKey) < 0) Object.assign(range, { min: value, minKey: key })
      if (range.max === null || compareValues(key, range.maxKey) > 0) Object.assign(range, { max: value, maxKey: key })
    }
    return ranges.map(({ min, max }) => ({ min, max }))
  }
}

const NO_SUM = { sum: '0', present: 0 }
const NO_RANGE = { min: null, max: null }

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
