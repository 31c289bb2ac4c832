import type { FieldFilter, Filter, SortKey } from '../../../src/query/plan.ts'
import type { Operation } from '../../../src/store/store.ts'
import type { Json, JsonObject } from '../../../src/util/json.ts'
import type { TableName } from './library.ts'

/** The constraints of the library, written down once more by hand. */
interface Rules {
  readonly required: readonly string[]
  readonly unique: readonly string[]
  readonly check: Readonly<Record<string, (value: Json) => boolean>>
  readonly one: Readonly<Record<string, readonly [target: TableName, onDelete: 'restrict' | 'cascade' | 'set_null']>>
  readonly many: Readonly<Record<string, TableName>>
}

const none = { required: [], unique: [], check: {}, one: {}, many: {} } satisfies Rules
const within = (low: number, high: number) => (value: Json) => typeof value === 'number' && value >= low && value <= high

const RULES: Readonly<Record<TableName, Rules>> = {
  author: { ...none, required: ['name'], unique: ['name', 'email'], check: { rank: within(1, 10) } },
  category: {
    ...none,
    required: ['name'],
    one: { parent_id: ['category', 'cascade'], merged_into_id: ['category', 'restrict'] },
  },
  series: { ...none, required: ['name'], one: { category_id: ['category', 'cascade'] } },
  genre: { ...none, required: ['name'], unique: ['name'] },
  book: {
    required: ['title', 'isbn', 'author_id'],
    unique: ['isbn'],
    check: { pages: within(1, 10_000) },
    one: { author_id: ['author', 'restrict'], editor_id: ['author', 'set_null'], series_id: ['series', 'cascade'] },
    many: { genres: 'genre' },
  },
  cover: { ...none, required: ['book_id'], unique: ['book_id'], one: { book_id: ['book', 'cascade'] } },
  review: { ...none, required: ['book_id'], one: { book_id: ['book', 'cascade'] } },
}

export type Row = Readonly<Record<string, Json>>
type Rows = ReadonlyMap<number, Row>
type State = Readonly<Record<TableName, { readonly rows: Rows; readonly next: number }>>
type Working = Record<TableName, { readonly rows: Map<number, Row>; next: number }>

/** A violation, in so far as the reference knows it: `restrict book author_id 2`. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly violations: readonly string[] }

const TABLE_NAMES = Object.keys(RULES) as TableName[]

/** What a store must do, done as simply as it can be: by copying everything and looking at all of it. */
export class Reference {
  #state: State

  constructor() {
    this.#state = Object.fromEntries(TABLE_NAMES.map((table) => [table, { rows: new Map(), next: 1 }])) as unknown as State
  }

  rows(table: TableName): Row[] {
    return [...this.#state[table].rows.values()]
  }

  get(table: TableName, id: number): Row | undefined {
    return this.#state[table].rows.get(id)
  }

  /**
   * @param stale the indexes of operations that expect a version that is not there
   */
  transact(operations: readonly Operation[], stale: ReadonlySet<number>, apply: boolean): Verdict {
    const state = copy(this.#state)
    const violations: string[] = []
    operations.forEach((operation, index) => {
      const problem = perform(state, this.#state, operation, stale.has(index))
      if (problem !== undefined) violations.push(problem)
    })
    violations.push(...judge(this.#state, state))
    if (violations.length > 0) return { ok: false, violations: violations.sort() }
    if (apply) this.#state = state
    return { ok: true }
  }

  find(table: TableName, filters: readonly Filter[], sort: readonly SortKey[]): Row[] {
    const found = this.rows(table).filter((row) => filters.every((filter) => this.#matches(row, filter)))
    return found.sort((a, b) => {
      for (const { field, order } of [...sort, { field: 'id', order: 'asc' }]) {
        const sign = compare(a[field] ?? null, b[field] ?? null) * (order === 'asc' ? 1 : -1)
        if (sign !== 0) return sign
      }
      return 0
    })
  }

  #matches(row: Row, filter: Filter): boolean {
    if ('operator' in filter) return matches(row[filter.field] ?? null, filter)
    if ('any' in filter) return filter.any.some((each) => this.#matches(row, each))
    if ('all' in filter) return filter.all.every((each) => this.#matches(row, each))
    if ('not' in filter) return !this.#matches(row, filter.not)
    const value = row[filter.field] ?? null
    const ids = Array.isArray(value) ? value : [value]
    return ids.some((id) => {
      const related = typeof id === 'number' ? this.get(filter.target as TableName, id) : undefined
      return related !== undefined && this.#matches(related, filter.filter)
    })
  }
}

function copy(state: State): Working {
  const entries = TABLE_NAMES.map((table) => [table, { rows: new Map(state[table].rows), next: state[table].next }])
  return Object.fromEntries(entries) as unknown as Working
}

function perform(state: Working, before: State, operation: Operation, stale: boolean): string | undefined {
  const table = operation.table as TableName
  const target = state[table]
  if (operation.kind === 'insert') {
    const id = operation.id ?? target.next
    if (target.rows.has(id)) return 'unique id'
    target.next = Math.max(target.next, id + 1)
    target.rows.set(id, row(id, operation.values))
    return undefined
  }
  const { id } = operation
  const found = target.rows.get(id)
  if (found === undefined) return operation.kind === 'remove' && before[table].rows.has(id) ? undefined : 'missing'
  if (stale) return 'stale'
  if (operation.kind === 'update') target.rows.set(id, row(id, { ...found, ...operation.values }))
  else take(state, table, id)
  return undefined
}

/** Leaves out what is null, so that a field never set and a field set to null are the same. */
export function row(id: number, values: JsonObject): Row {
  return { ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)), id }
}

function take(state: Working, table: TableName, id: number): void {
  state[table].rows.delete(id)
  for (const other of TABLE_NAMES) {
    for (const [field, [target, onDelete]] of Object.entries(RULES[other].one)) {
      if (target !== table || onDelete === 'restrict') continue
      for (const each of [...state[other].rows.values()].filter((candidate) => candidate[field] === id)) {
        const key = Number(each.id)
        if (onDelete === 'set_null') state[other].rows.set(key, row(key, { ...each, [field]: null }))
        else if (state[other].rows.has(key)) take(state, other, key)
      }
    }
    for (const [field, target] of Object.entries(RULES[other].many)) {
      if (target !== table) continue
      for (const each of [...state[other].rows.values()]) {
        const links = each[field]
        if (Array.isArray(links) && links.includes(id)) {
          state[other].rows.set(Number(each.id), { ...each, [field]: links.filter((link) => link !== id) })
        }
      }
    }
  }
}

function judge(before: State, state: State): string[] {
  const violations: string[] = []
  for (const table of TABLE_NAMES) {
    const { required, unique, check, one, many } = RULES[table]
    const rows = [...state[table].rows.values()]
    for (const each of rows) {
      for (const field of required) if (each[field] === undefined) violations.push(`not_null ${field}`)
      for (const [field, sound] of Object.entries(check)) {
        if (each[field] !== undefined && !sound(each[field] ?? null)) violations.push(`check ${field}`)
      }
      for (const [field, target] of Object.entries(many)) {
        const links = each[field]
        if (Array.isArray(links) && !links.every((id) => state[target].rows.has(id))) violations.push(`foreign_key ${field}`)
      }
    }
    for (const field of unique) {
      const values = rows.flatMap((each) => each[field] ?? [])
      for (let extra = values.length - new Set(values).size; extra > 0; extra--) violations.push(`unique ${field}`)
    }
    for (const [field, [target, onDelete]] of Object.entries(one)) {
      const dangling = rows.flatMap((each) => each[field] ?? []).filter((id) => !state[target].rows.has(Number(id)))
      for (const id of new Set(dangling)) {
        const count = dangling.filter((each) => each === id).length
        const restricts = onDelete === 'restrict' && before[target].rows.has(Number(id))
        if (restricts) violations.push(`restrict ${table} ${field} ${count}`)
        else violations.push(...Array.from({ length: count }, () => `foreign_key ${field}`))
      }
    }
  }
  return violations
}

function compare(a: Json, b: Json): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}

function matches(value: Json, filter: FieldFilter): boolean {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  const text = typeof value === 'string' ? value : undefined
  switch (filter.operator) {
    case 'eq':
      return items.includes(filter.value)
    case 'ne':
      return !items.includes(filter.value)
    case 'in':
      return items.some((each) => filter.values.includes(each))
    case 'isnull':
      return (value === null || items.length === 0) === filter.value
    case 'icontains':
      return text !== undefined && lowered(text).includes(lowered(String(filter.value)))
    case 'startswith':
      return text?.startsWith(String(filter.value)) === true
    case 'endswith':
      return text?.endsWith(String(filter.value)) === true
    default:
      return value !== null && inOrder(filter.operator, compare(value, filter.value))
  }
}

function inOrder(operator: 'gt' | 'gte' | 'lt' | 'lte', sign: number): boolean {
  if (sign === 0) return operator.endsWith('e')
  return operator.startsWith(sign > 0 ? 'g' : 'l')
}

/** Both lower-case forms of Σ are one letter. */
const lowered = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
