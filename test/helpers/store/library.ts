import assert from 'node:assert/strict'
import { flatSource } from '../../../src/config/source.ts'
import { buildRegistry } from '../../../src/model/build.ts'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import type { Registry } from '../../../src/model/registry.ts'
import type { Filter, Plan, SortKey } from '../../../src/query/plan.ts'
import type { Operation, Outcome, Store, StoredRecord, TransactionMode, Violation } from '../../../src/store/store.ts'
import type { JsonObject } from '../../../src/util/json.ts'

/**
 * The models that the contract is told with: a lending library.
 *
 * category → category (parent, cascade; merged into, restrict) → series (cascade) → book (cascade) → review, cover (cascade)
 */
const MODELS: readonly ModelDefinition[] = [
  {
    name: 'Author',
    fields: [
      { name: 'name', type: 'string', required: true, unique: true, max_length: 60 },
      { name: 'email', type: 'email', unique: true },
      { name: 'rank', type: 'integer', gte: 1, lte: 10 },
      { name: 'active', type: 'boolean' },
      { name: 'passphrase', type: 'password', min_length: 8 },
    ],
  },
  {
    name: 'Category',
    fields: [
      { name: 'name', type: 'string', required: true },
      { name: 'parent_id', type: 'foreignkey', model: 'category', on_delete: 'cascade' },
      { name: 'merged_into_id', type: 'foreignkey', model: 'category' },
    ],
  },
  {
    name: 'Series',
    fields: [
      { name: 'name', type: 'string', required: true },
      { name: 'category_id', type: 'foreignkey', model: 'category', on_delete: 'cascade' },
    ],
  },
  { name: 'Genre', fields: [{ name: 'name', type: 'string', required: true, unique: true }] },
  {
    name: 'Book',
    fields: [
      { name: 'title', type: 'string', required: true, min_length: 2, max_length: 100 },
      { name: 'isbn', type: 'string', required: true, unique: true },
      { name: 'code', type: 'string', pattern: '^[a-z]+-[0-9]+$' },
      { name: 'status', type: 'choice', choices: ['draft', 'published'] },
      { name: 'pages', type: 'integer', gte: 1, lte: 10_000 },
      { name: 'price', type: 'number', gt: 0, lt: 1000 },
      { name: 'published', type: 'date' },
      { name: 'labels', type: 'multichoice', choices: ['new', 'rare', 'signed'] },
      { name: 'meta', type: 'json' },
      { name: 'author_id', type: 'foreignkey', model: 'author', required: true, on_delete: 'restrict' },
      { name: 'editor_id', type: 'foreignkey', model: 'author', on_delete: 'set_null' },
      { name: 'series_id', type: 'foreignkey', model: 'series', on_delete: 'cascade' },
      { name: 'genres', type: 'many_to_many', model: 'genre' },
    ],
  },
  {
    name: 'Cover',
    fields: [
      { name: 'book_id', type: 'one_to_one', model: 'book', required: true, on_delete: 'cascade' },
      { name: 'color', type: 'string' },
    ],
  },
  {
    name: 'Review',
    fields: [
      { name: 'book_id', type: 'foreignkey', model: 'book', required: true, on_delete: 'cascade' },
      { name: 'text', type: 'text' },
    ],
  },
]

/** The server's own: events that transactions leave behind, and who is told of them. */
const INTERNAL: readonly ModelDefinition[] = [
  { name: 'Listener', fields: [{ name: 'name', type: 'string' }] },
  {
    name: 'Event',
    fields: [
      { name: 'message_id', type: 'string', required: true },
      { name: 'event', type: 'string', required: true },
      { name: 'model', type: 'string', required: true },
      { name: 'record_id', type: 'integer', required: true },
      { name: 'data', type: 'text', required: true },
      { name: 'timestamp', type: 'datetime', required: true },
      { name: 'pending', type: 'many_to_many', model: 'listener' },
    ],
  },
]

export type TableName = 'author' | 'category' | 'series' | 'genre' | 'book' | 'cover' | 'review'

/** Tables of the internal models. */
export type InternalTable = 'event' | 'listener'

export const TABLES: readonly TableName[] = ['author', 'category', 'series', 'genre', 'book', 'cover', 'review']

/** The registry of the library, or of some of its models. */
export function libraryRegistry(without: readonly TableName[] = []): Registry {
  const define = (value: ModelDefinition) => ({ value, source: flatSource(`model ${value.name}`) })
  const kept = MODELS.filter(({ name }) => !without.some((table) => table === name.toLowerCase()))
  const { registry, faults } = buildRegistry(kept.map(define), { public: [], internal: INTERNAL.map(define) })
  faults.throwIfAny()
  return registry
}

export type Accepted = Extract<Outcome, { ok: true }>

export const insert = (table: TableName | InternalTable, values: JsonObject, id?: number): Operation =>
  id === undefined ? { kind: 'insert', table, values } : { kind: 'insert', table, values, id }

export const update = (table: TableName | InternalTable, id: number, values: JsonObject, expect?: StoredRecord): Operation =>
  expect === undefined ? { kind: 'update', table, id, values } : { kind: 'update', table, id, values, expect }

export const remove = (table: TableName | InternalTable, id: number, expect?: StoredRecord): Operation =>
  expect === undefined ? { kind: 'remove', table, id } : { kind: 'remove', table, id, expect }

/** A store of the library with the steps that the contract is made of. */
export class Library {
  readonly store: Store
  #books = 0

  constructor(store: Store) {
    this.store = store
  }

  /** A transaction that must go through. */
  async accept(operations: readonly Operation[], mode?: TransactionMode): Promise<Accepted> {
    const outcome = await this.store.transact(operations, mode)
    if (!outcome.ok) assert.fail(`Refused: ${JSON.stringify(outcome.violations)}`)
    return outcome
  }

  /** A transaction that must be refused, and leave everything as it was. */
  async refuse(operations: readonly Operation[], expected: readonly Violation[], mode?: TransactionMode): Promise<void> {
    const before = await this.everything()
    const outcome = await this.store.transact(operations, mode)
    assert.equal(outcome.ok, false, `Accepted: ${JSON.stringify(operations)}`)
    if (!outcome.ok) assert.deepEqual(ordered(outcome.violations), ordered(expected))
    assert.deepEqual(await this.everything(), before, 'a refused transaction changed something')
  }

  async add(table: TableName, values: JsonObject, id?: number): Promise<StoredRecord> {
    const { records } = await this.accept([insert(table, values, id)])
    return first(records)
  }

  /** A book that breaks nothing, by an author of its own unless the values name one. */
  async addBook(values: JsonObject = {}): Promise<StoredRecord> {
    const number = ++this.#books
    const author = values.author_id ?? (await this.add('author', { name: `Author of book ${number}` })).id
    return this.add('book', { title: `Book ${number}`, isbn: `isbn-${number}`, ...values, author_id: author })
  }

  /** The record with this id, which must be there. */
  async expect(table: TableName, id: number): Promise<StoredRecord> {
    return first(await this.store.get(table, [id]), `there is no ${table} ${id}`)
  }

  async has(table: TableName, id: number): Promise<boolean> {
    const [record] = await this.store.get(table, [id])
    return record !== undefined
  }

  /** The matching records and their total. */
  async find(
    table: TableName,
    filters: readonly Filter[] = [],
    sort: readonly SortKey[] = [],
    slice: Partial<Pick<Plan, 'offset' | 'limit'>> = {},
  ): Promise<[records: readonly StoredRecord[], total: number]> {
    const { records, total } = await this.store.find(table, { filters, sort, offset: 0, limit: 100_000, ...slice })
    return [records, total]
  }

  /** The ids of the matching records, in order. */
  async ids(table: TableName, filters: readonly Filter[] = [], sort: readonly SortKey[] = []): Promise<number[]> {
    const [records] = await this.find(table, filters, sort)
    return records.map(({ id }) => id)
  }

  /** Every record of every table. */
  async everything(): Promise<Record<string, readonly StoredRecord[]>> {
    const tables: Record<string, readonly StoredRecord[]> = {}
    for (const table of TABLES) tables[table] = (await this.find(table))[0]
    return tables
  }
}

/** The first item of a list that must have one. */
export function first<T>(list: readonly (T | undefined)[], complaint = 'the list is empty'): T {
  return item(list, 0, complaint)
}

/** An item that must be there. */
export function item<T>(list: readonly (T | undefined)[], index: number, complaint = `there is no item ${index}`): T {
  const found = list[index]
  if (found === undefined) assert.fail(complaint)
  return found
}

/** Asserts that a record has these values; a field that it leaves out counts as null. */
export function assertFields(record: StoredRecord | undefined, values: JsonObject): void {
  assert.ok(record !== undefined, 'there is no record')
  const actual = Object.fromEntries(Object.keys(values).map((name) => [name, record[name] ?? null]))
  assert.deepEqual(actual, { ...values })
}

/** Violations in an order of their own, since only the index says something. */
export function ordered(violations: readonly Violation[]): Violation[] {
  return violations
    .map((violation) => ({ violation, key: `${String(violation.index).padStart(6, '0')} ${sortKey(violation)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ violation }) => violation)
}

function sortKey(violation: Violation): string {
  const field = 'field' in violation ? violation.field : ''
  const id = 'id' in violation ? violation.id : ''
  return [violation.kind, field, id, 'table' in violation ? violation.table : ''].join(' ')
}
