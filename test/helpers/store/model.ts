import assert from 'node:assert/strict'
import type { FieldFilter, Filter, SortKey } from '../../../src/query/plan.ts'
import type { Operation, Outcome, StoredRecord, Violation } from '../../../src/store/store.ts'
import type { Json, JsonObject } from '../../../src/util/json.ts'
import type { Check, Lending } from './contract.ts'
import { item, type Library, TABLES, type TableName } from './library.ts'
import { Reference, row, type Verdict } from './reference.ts'

/** Random numbers that are the same every time (mulberry32). */
class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(list: readonly T[]): T {
    return item(list, this.below(list.length))
  }
}

const TEXTS = ['a', 'b', 'c', 'B', '__proto__', 'constructor', '', '10', '9', 'é', 'ab', 'abc']
/** More records than this a table seldom has, so that they meet often. */
const CROWDED = 12
/** No id is far above this. */
const ID_END = 1000

/** Where random values come from: random numbers, and the records that are there to be referred to. */
interface Origin {
  readonly random: Random
  readonly reference: Reference
}

type Maker = (origin: Origin) => Json

/** An id that is mostly there, at times gone or not yet given. */
function anId({ random, reference }: Origin, table: TableName): number {
  const rows = reference.rows(table)
  return rows.length > 0 && random.chance(93) ? Number(random.pick(rows).id) : 1 + random.below(60)
}

const idOf =
  (table: TableName): Maker =>
  (origin) =>
    anId(origin, table)
const maybe =
  (percent: number, make: Maker): Maker =>
  (origin) =>
    origin.random.chance(percent) ? make(origin) : null
const text: Maker = ({ random }) => random.pick(TEXTS)
const name: Maker = (origin) => `${text(origin)}${origin.random.below(20)}`
const links: Maker = (origin) => [...new Set(Array.from({ length: origin.random.below(4) }, () => anId(origin, 'genre')))]

const VALUES: Readonly<Record<TableName, Readonly<Record<string, Maker>>>> = {
  author: {
    name: maybe(98, name),
    email: maybe(50, (origin) => `${origin.random.below(60)}@example.org`),
    rank: maybe(50, ({ random }) => random.below(40) % 11),
  },
  category: { name: maybe(98, text), parent_id: maybe(50, idOf('category')), merged_into_id: maybe(25, idOf('category')) },
  series: { name: maybe(98, text), category_id: maybe(70, idOf('category')) },
  genre: { name: maybe(98, name) },
  book: {
    title: maybe(98, (origin) => `Book ${text(origin)}`),
    isbn: maybe(98, ({ random }) => `${random.below(200)}`),
    pages: maybe(60, ({ random }) => random.below(60)),
    meta: maybe(30, (origin) => ({ [`${text(origin)} key`]: [origin.random.below(9), null] })),
    author_id: maybe(98, idOf('author')),
    editor_id: maybe(50, idOf('author')),
    series_id: maybe(40, idOf('series')),
    genres: maybe(60, links),
  },
  cover: { book_id: maybe(98, idOf('book')), color: maybe(50, text) },
  review: { book_id: maybe(98, idOf('book')), text: maybe(70, text) },
}

const RELATIONS: Readonly<Partial<Record<TableName, Readonly<Record<string, TableName>>>>> = {
  category: { parent_id: 'category', merged_into_id: 'category' },
  series: { category_id: 'category' },
  book: { author_id: 'author', editor_id: 'author', series_id: 'series', genres: 'genre' },
  cover: { book_id: 'book' },
  review: { book_id: 'book' },
}

interface Step {
  readonly operations: readonly Operation[]
  /** Operations that expect a version that is not there. */
  readonly stale: ReadonlySet<number>
  readonly rehearse: boolean
}

/** @param steps how many transactions, each followed by a look at what is there */
export function checkModel(check: Check, steps: number): void {
  for (const seed of [1, 20, 300]) {
    check(`one operation at a time, seed ${seed}`, async (_, lending) => {
      await play(lending, new Random(seed), Math.ceil(steps / 3), 1)
    })
  }
  for (const seed of [4, 50]) {
    check(`batches, seed ${seed}`, async (_, lending) => {
      await play(lending, new Random(seed), Math.ceil(steps / 3), 4)
    })
  }
}

async function play(lending: Lending, random: Random, steps: number, longest: number): Promise<void> {
  const reference = new Reference()
  let accepted = 0
  for (let number = 0; number < steps; number++) {
    const at = `step ${number}`
    const step = await nextStep(lending.lent, { random, reference }, longest)
    const expected = reference.transact(step.operations, step.stale, !step.rehearse)
    const outcome = await lending.lent.store.transact(step.operations, step.rehearse ? 'rehearse' : 'commit')
    compareOutcomes(outcome, expected, step, at)
    if (outcome.ok) accepted++
    await compareFind(lending.lent, { random, reference }, at)
    if (number % 100 === 99) {
      await compareEverything(lending.lent, reference, at)
      if (lending.canReopen) await lending.reopen()
    }
  }
  await compareEverything(lending.lent, reference, 'at the end')
  // Were nearly all refused, or none, the comparison would say little.
  assert.ok(accepted > steps / 10 && accepted < steps * 0.95, `${accepted} of ${steps} were accepted`)
}

async function nextStep(library: Library, origin: Origin, longest: number): Promise<Step> {
  const operations: Operation[] = []
  const stale = new Set<number>()
  const length = 1 + origin.random.below(longest)
  for (let index = 0; index < length; index++) {
    const { operation, isStale } = await nextOperation(library, origin)
    // A batch names a record once; what it does to one record twice has tests of its own.
    if (operations.some((other) => namesSame(other, operation))) continue
    if (isStale) stale.add(operations.length)
    operations.push(operation)
  }
  return { operations, stale, rehearse: origin.random.chance(10) }
}

const namesSame = (a: Operation, b: Operation) => a.table === b.table && a.id !== undefined && a.id === b.id

async function nextOperation(library: Library, origin: Origin): Promise<{ operation: Operation; isStale: boolean }> {
  const { random, reference } = origin
  const table = random.pick(TABLES)
  const crowded = reference.rows(table).length > CROWDED
  const kind = random.pick(['insert', 'update', crowded ? 'remove' : 'insert', 'update', 'remove'] as const)
  const makers = Object.entries(VALUES[table])
  if (kind === 'insert') {
    const values = valuesOf(makers, origin)
    const operation = random.chance(10) ? { kind, table, values, id: 1 + random.below(60) } : { kind, table, values }
    return { operation, isStale: false }
  }
  const id = anId(origin, table)
  const [current] = await library.store.get(table, [id])
  const isStale = current !== undefined && random.chance(4)
  const fresh = current !== undefined && random.chance(30) ? { expect: current } : {}
  const expect = isStale ? { expect: { id, name: 'another record' } } : fresh
  if (kind === 'remove') return { operation: { kind, table, id, ...expect }, isStale }
  const some = makers.filter(() => random.chance(40))
  return { operation: { kind, table, id, values: valuesOf(some, origin), ...expect }, isStale }
}

function valuesOf(makers: readonly (readonly [string, Maker])[], origin: Origin): JsonObject {
  return Object.fromEntries(makers.map(([field, make]) => [field, make(origin)]))
}

function compareOutcomes(outcome: Outcome, expected: Verdict, { operations }: Step, at: string): void {
  const actual: Verdict = outcome.ok ? outcome : { ok: false, violations: outcome.violations.map(told).sort() }
  const context = `${at}: ${JSON.stringify(operations)}\nactual: ${JSON.stringify(actual)}\nexpected: ${JSON.stringify(expected)}`
  assert.equal(actual.ok, expected.ok, context)
  if (actual.ok || expected.ok) return
  // When an id is taken, what else would be wrong with the record is up to the engine.
  if (expected.violations.includes('unique id')) assert.ok(actual.violations.includes('unique id'), context)
  else if (operations.length > 1) assert.deepEqual(kinds(actual.violations), kinds(expected.violations), context)
  else assert.deepEqual(actual.violations, expected.violations, context)
}

function told(violation: Violation): string {
  if (violation.kind === 'restrict') return `restrict ${violation.table} ${violation.field} ${violation.count}`
  return 'field' in violation ? `${violation.kind} ${violation.field}` : violation.kind
}

/** The kinds of violations. In a batch, a reference to what it removes may be told from either end, or from both. */
function kinds(violations: readonly string[]): string[] {
  const all = violations.map((violation) => violation.split(' ')[0] ?? '')
  return [...new Set(all.map((kind) => (kind === 'restrict' ? 'foreign_key' : kind)))].sort()
}

async function compareFind(library: Library, origin: Origin, at: string): Promise<void> {
  const { random, reference } = origin
  const table = random.pick(TABLES)
  const filters = Array.from({ length: random.below(3) }, () => aFilter(table, origin))
  const sort = Array.from({ length: random.below(3) }, () => aSortKey(table, random))
  const [offset, limit] = [random.below(6), random.below(20)]
  const expected = reference.find(table, filters, sort)
  const [records, total] = await library.find(table, filters, sort, { offset, limit })
  const context = `${at}: ${table} ${JSON.stringify({ filters, sort, offset, limit })}`
  assert.equal(total, expected.length, context)
  assert.deepEqual(records.map(plain), expected.slice(offset, offset + limit), context)
}

async function compareEverything(library: Library, reference: Reference, at: string): Promise<void> {
  for (const table of TABLES) {
    const [records] = await library.find(table)
    assert.deepEqual(records.map(plain), reference.find(table, [], []), `${at}: ${table}`)
    const ids = Array.from({ length: ID_END }, (_, index) => ID_END - index)
    const got = await library.store.get(table, ids)
    assert.deepEqual(
      got.map((record) => (record === undefined ? undefined : plain(record))),
      ids.map((id) => reference.get(table, id)),
      `${at}: ${table}`,
    )
  }
}

const plain = (record: StoredRecord) => row(record.id, record)

function aFilter(table: TableName, origin: Origin): Filter {
  const relations = Object.entries(RELATIONS[table] ?? {})
  if (relations.length > 0 && origin.random.chance(30)) {
    const [field, target] = origin.random.pick(relations)
    return { field, target, filter: aFieldFilter(target, origin) }
  }
  return aFieldFilter(table, origin)
}

function aFieldFilter(table: TableName, origin: Origin): FieldFilter {
  const { random } = origin
  const fields = Object.entries(VALUES[table]).filter(([field]) => field !== 'meta')
  const [field, make] = random.pick([...fields, ['id', idOf(table)] as const])
  const value = something(make, origin)
  switch (random.below(4)) {
    case 0:
      return { field, operator: 'isnull', value: random.chance(50) }
    case 1:
      return { field, operator: 'in', values: [value, something(make, origin), something(make, origin)] }
    case 2:
      return { field, operator: random.pick(['eq', 'ne']), value }
    default:
      if (field === 'genres') return { field, operator: 'eq', value }
      if (typeof value !== 'string' || random.chance(50))
        return { field, operator: random.pick(['gt', 'gte', 'lt', 'lte']), value }
      return { field, operator: random.pick(['icontains', 'startswith', 'endswith']), value: value.slice(random.below(2)) }
  }
}

/** What a maker makes when it makes neither null nor an empty list; of a list, an item. */
function something(make: Maker, origin: Origin): Json {
  for (;;) {
    const made = make(origin)
    const value = Array.isArray(made) ? (made[0] ?? null) : made
    if (value !== null) return value
  }
}

function aSortKey(table: TableName, random: Random): SortKey {
  const sortable = Object.keys(VALUES[table]).filter((field) => field !== 'meta' && field !== 'genres')
  return { field: random.pick([...sortable, 'id']), order: random.pick(['asc', 'desc']) }
}
