import type { AggregateGroup, AggregatePlan, GroupKey } from '../../../query/aggregate.ts'
import type { DatePeriod } from '../../../query/periods.ts'
import { canonicalDecimal, nearestDouble } from '../../../util/decimal.ts'
import type { Json } from '../../../util/json.ts'
import type { ReadOptions } from '../../store.ts'
import type { Connection, Database, ResultRow } from '../connection/database.ts'
import { codecOf } from '../layout/column.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { EMPTY, identifier, joined, literal, type Sql, sql } from '../sql.ts'
import { Conditions } from './conditions.ts'
import { storedText } from './text-conditions.ts'

const RECORD = identifier('r')

/** The names of periods, in the format of `to_char`. */
const PERIOD_NAMES: Readonly<Record<DatePeriod, string>> = {
  day: 'YYYY-MM-DD',
  week: 'IYYY-"W"IW',
  month: 'YYYY-MM',
  year: 'YYYY',
}

/** A value that the statement computes of each group. */
interface Value {
  readonly select: Sql
  read(text: string | null): Json
}

interface KeyValue extends Value {
  readonly by: Sql
}

/** Computes the groups of matching records; undefined if there are too many. */
export async function aggregate(
  database: Database,
  table: TableLayout,
  plan: AggregatePlan,
  layout: Layout,
  options?: ReadOptions,
): Promise<readonly AggregateGroup[] | undefined> {
  const grouping = new Grouping(table, plan, layout)
  const doubles = plan.sums.filter((field) => table.expectColumn(field).type === 'double precision')
  if (doubles.length === 0) return grouping.groups(database, new Map(), options)
  // Sums of doubles take a statement each, which must see the same records.
  return database.transaction(
    async (connection) => {
      const sums = new Map<string, ReadonlyMap<string, string>>()
      for (const field of doubles) sums.set(field, await grouping.doubleSums(connection, field, options))
      return grouping.groups(connection, sums, options)
    },
    { isolation: 'repeatable read', readOnly: true },
  )
}

/** The groups of an aggregate in SQL. */
class Grouping {
  readonly #table: TableLayout
  readonly #plan: AggregatePlan
  readonly #keys: readonly KeyValue[]
  /** The records with their keys, after FROM. */
  readonly #from: Sql

  constructor(table: TableLayout, plan: AggregatePlan, layout: Layout) {
    this.#table = table
    this.#plan = plan
    const conditions = new Conditions(layout)
    const joins: Sql[] = []
    this.#keys = plan.groupBy.map((key) =>
      typeof key === 'string' ? this.#keyOf(key, conditions.alias(), joins) : this.#periodOf(key),
    )
    const where = plan.filters.length === 0 ? EMPTY : sql` where ${conditions.all(plan.filters, table, RECORD)}`
    this.#from = sql`${table.table} ${RECORD}${joined(joins, '')}${where}`
  }

  async groups(
    connection: Connection,
    doubles: ReadonlyMap<string, ReadonlyMap<string, string>>,
    options?: ReadOptions,
  ): Promise<readonly AggregateGroup[] | undefined> {
    const { groupBy, sums, ranges, limit } = this.#plan
    const found = ranges.flatMap(({ field, ordering }) => [
      this.#extreme('min', field, ordering),
      this.#extreme('max', field, ordering),
    ])
    const selected = [
      ...this.#keys.map(({ select }) => select),
      sql`count(*)`,
      ...sums.flatMap((field) => this.#sum(field)),
      ...found.map(({ select }) => select),
    ]
    const keys = joined(this.#keys.map((key) => key.by))
    const by = groupBy.length === 0 ? EMPTY : sql` group by ${keys} order by ${keys} limit ${limit + 1}`
    const { rows } = await connection.query(sql`select ${joined(selected)} from ${this.#from}${by}`, options)
    return rows.length > limit ? undefined : rows.map((row) => this.#read(row, found, doubles))
  }

  #read(row: ResultRow, found: readonly Value[], doubles: ReadonlyMap<string, ReadonlyMap<string, string>>): AggregateGroup {
    const { sums, ranges } = this.#plan
    const name = JSON.stringify(row.slice(0, this.#keys.length))
    const count = this.#keys.length
    const firstRange = count + 1 + 2 * sums.length
    const extreme = (place: number) => found[place]?.read(row[firstRange + place] ?? null) ?? null
    return {
      key: this.#keys.map((key, place) => key.read(row[place] ?? null)),
      count: Number(row[count]),
      sums: sums.map((field, place) => {
        const sum = doubles.get(field)?.get(name) ?? canonicalDecimal(row[count + 1 + 2 * place] ?? '0') ?? '0'
        return { sum, present: Number(row[count + 2 + 2 * place]) }
      }),
      ranges: ranges.map((_, place) => ({ min: extreme(2 * place), max: extreme(2 * place + 1) })),
    }
  }

  /** The exact sums of a field of doubles, by the texts of the keys. */
  async doubleSums(connection: Connection, field: string, options?: ReadOptions): Promise<ReadonlyMap<string, string>> {
    const at = sql`${RECORD}.${this.#table.expectColumn(field).sql}`
    const keys = this.#keys.map(({ select }) => select)
    const selected = joined([...keys, exponentOf(at), sql`sum(${significandOf(at)})`])
    const by = joined([...this.#keys.map((key) => key.by), exponentOf(at)])
    const { rows } = await connection.query(sql`select ${selected} from ${this.#from} group by ${by}`, options)
    const parts = new Map<string, PartialSum[]>()
    for (const row of rows) {
      const name = JSON.stringify(row.slice(0, keys.length))
      const [exponent, significands] = row.slice(keys.length)
      if (typeof exponent !== 'string' || typeof significands !== 'string') continue
      const known = parts.get(name) ?? []
      parts.set(name, known)
      known.push({ exponent: Number(exponent), significands: BigInt(significands) })
    }
    return new Map([...parts].map(([name, sums]) => [name, String(sumOfDoubles(sums))]))
  }

  /** @param joins receives the join with the items of a list */
  #keyOf(name: string, alias: Sql, joins: Sql[]): KeyValue {
    const link = this.#table.link(name)
    if (link !== undefined) {
      joins.push(sql` left join ${link.table} ${alias} on ${alias}."owner" = ${RECORD}."id"`)
      const at = sql`${alias}."target"`
      return { by: at, select: at, read: (text) => (text === null ? null : Number(text)) }
    }
    const column = this.#table.expectColumn(name)
    const own = sql`${RECORD}.${column.sql}`
    const { list } = column.field.type
    if (list) joins.push(sql` left join lateral (select distinct unnest(${own}) as "item") ${alias} on true`)
    const at = list ? sql`${alias}."item"` : own
    if (list) return { by: at, select: at, read: (text) => text }
    return { by: at, select: codecOf(column.field).select(at), read: column.read }
  }

  /** Groups by the first moment of a period, which costs less than its name. The words are no parameters: both places must be the same. */
  #periodOf({ field, period }: Exclude<GroupKey, string>): KeyValue {
    const column = this.#table.expectColumn(field)
    const at = sql`${RECORD}.${column.sql}`
    const moment = column.type === 'date' ? sql`${at}::timestamp` : sql`(${at} at time zone 'UTC')`
    const by = sql`date_trunc(${literal(period)}, ${moment})`
    return { by, select: sql`to_char(${by}, ${literal(PERIOD_NAMES[period])})`, read: (text) => text }
  }

  /** The sum of a field and the number of its values. */
  #sum(field: string): readonly Sql[] {
    const column = this.#table.expectColumn(field)
    const at = sql`${RECORD}.${column.sql}`
    return [column.type === 'double precision' ? sql`null` : sql`sum(${at})`, sql`count(${at})`]
  }

  #extreme(measure: 'min' | 'max', field: string, ordering: AggregatePlan['ranges'][number]['ordering']): Value {
    const column = this.#table.expectColumn(field)
    const at = sql`${RECORD}.${column.sql}`
    const of = (value: Sql) => (measure === 'min' ? sql`min(${value})` : sql`max(${value})`)
    if (column.type === 'boolean') {
      return { select: measure === 'min' ? sql`bool_and(${at})` : sql`bool_or(${at})`, read: column.read }
    }
    const byText = column.type === 'numeric' && ordering === undefined ? storedText(column, at) : undefined
    if (byText !== undefined) return { select: of(byText), read: column.read }
    return { select: codecOf(column.field).select(of(at)), read: column.read }
  }
}

/**
 * The sum of a field of doubles is exact, and rounded once, as on the embedded engine: PostgreSQL adds up the significands of each exponent
 * as integers. A double is significand × 2 ** (exponent − 1075) (IEEE 754).
 */
interface PartialSum {
  readonly exponent: number
  readonly significands: bigint
}

const bitsOf = (at: Sql): Sql => sql`('x' || encode(float8send(${at}), 'hex'))::bit(64)::bigint`

/** The exponent of a double, from 1. Null for null, infinity and NaN, which JSON does not have. */
const exponentOf = (at: Sql): Sql =>
  sql`nullif(case when ${at} is not null then greatest((${bitsOf(at)} >> 52) & 2047, 1) end, 2047)`

/** The significand with the sign of the double. */
function significandOf(at: Sql): Sql {
  const bits = bitsOf(at)
  const fraction = sql`(${bits} & 4503599627370495)`
  const size = sql`(${fraction} + case when (${bits} >> 52) & 2047 > 0 then 4503599627370496 else 0 end)`
  return sql`case when ${at} < 0 then -${size} else ${size} end`
}

/** The double nearest to a sum; of two, the even one. */
const sumOfDoubles = (parts: readonly PartialSum[]): number =>
  nearestDouble(parts.reduce((sum, { exponent, significands }) => sum + (significands << BigInt(exponent - 1)), 0n))
