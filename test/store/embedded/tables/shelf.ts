import assert from 'node:assert/strict'
import { compareValues, matcher } from '../../../../src/query/match.ts'
import { type FieldFilter, type Filter, isFieldFilter, isRelationFilter, type SortKey } from '../../../../src/query/plan.ts'
import { Engine } from '../../../../src/store/embedded/engine.ts'
import { referencesOf, type StoredRecord } from '../../../../src/store/store.ts'
import type { Json } from '../../../../src/util/json.ts'
import type { SliceOptions } from '../../../../src/util/slices.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'

/** Enough for buckets, bitmaps and lists of rows to all be in use. */
export const BOOKS = 4500
const AUTHORS = 40
export const SERIES = 60
const CATEGORIES = 7
const GENRES = 4

/** A small generator of the same numbers every time (Marsaglia, xorshift). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** Random books in an engine, queries of them, and a plain reading of these queries. */
export class Shelf {
  readonly engine: Engine
  readonly #random: (below: number) => number
  /** The books that the engine has. */
  readonly #books = new Map<number, StoredRecord>()
  #lastId = 0
  #now = 0

  /** By default a millisecond passes at each reading of the clock, so that a slice has eight steps. */
  constructor(seed: number, { books = BOOKS, slices }: { readonly books?: number; readonly slices?: SliceOptions } = {}) {
    this.#random = randomNumbers(seed)
    this.engine = new Engine(libraryRegistry(), { smallTable: 0, slices: { now: () => this.#now++, ...slices } })
    this.engine.listeners.add((changes) => {
      for (const { table, id, after } of changes) if (table === 'book') this.#note(id, after)
    })
    for (let id = 1; id <= AUTHORS; id++) {
      this.engine
        .table('author')
        .replace(id, Object.freeze({ id, name: `Author ${id}`, rank: (id % 10) + 1, active: id % 3 === 0 }))
    }
    for (let id = 1; id <= CATEGORIES; id++) {
      this.engine.table('category').replace(id, Object.freeze({ id, name: `Category ${id}`, parent_id: null }))
    }
    for (let id = 1; id <= GENRES; id++) this.engine.table('genre').replace(id, Object.freeze({ id, name: `Genre ${id}` }))
    for (let id = 1; id <= SERIES; id++) this.putSeries(id)
    for (let id = 1; id <= books; id++) this.put(id * 2)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.#random(items.length)] as T
  }

  number(below: number): number {
    return this.#random(below)
  }

  put(id: number): void {
    this.#replace(id, Object.freeze(this.book(id)))
  }

  #replace(id: number, book: StoredRecord | undefined): void {
    this.#note(id, book)
    this.engine.table('book').replace(id, book)
  }

  #note(id: number, book: StoredRecord | undefined): void {
    if (book === undefined) this.#books.delete(id)
    else this.#books.set(id, book)
    this.#lastId = Math.max(this.#lastId, id)
  }

  putSeries(id: number): void {
    const name = this.number(6) === 0 ? null : `Series ${this.number(20)}`
    const category = this.number(5) === 0 ? null : 1 + this.number(CATEGORIES)
    this.engine.table('series').replace(id, Object.freeze({ id, name, category_id: category }))
  }

  append(): void {
    this.put(this.#lastId + 2)
  }

  /** The id of a book, which may have been removed. */
  someId(): number {
    return 2 * (1 + this.number(this.#lastId / 2))
  }

  remove(): void {
    this.#replace(this.someId(), undefined)
  }

  change(): void {
    const id = this.someId()
    const book = this.#books.get(id)
    if (book !== undefined)
      this.#replace(id, Object.freeze({ ...book, [this.pick(['title', 'pages', 'status', 'labels'])]: null }))
  }

  /** The ids of all books. */
  get all(): readonly number[] {
    return [...this.#books.keys()]
  }

  /** Nine of ten books. */
  most(): number[] {
    return this.all.filter((id) => id % 10 !== 0)
  }

  removeMost(): void {
    for (const id of this.most()) this.#replace(id, undefined)
  }

  get(id: number): StoredRecord | undefined {
    return this.#books.get(id)
  }

  book(id: number): StoredRecord {
    const text = `${this.pick(['The', 'An', 'Émile', 'ΟΔΟΣ', 'straße', 'ÖLE', '書', 'a\uffff'])} ${this.pick(['red', 'RED', 'blue', 'bluered'])} ${this.number(500)}`
    return {
      id,
      title: this.number(20) === 0 ? null : text,
      isbn: `isbn-${id}`,
      code: this.number(3) === 0 ? null : `${this.pick(['ab', 'abc', 'b', 'aé'])}-${this.number(50)}`,
      status: this.pick(['draft', 'published', null]),
      pages: this.pick([null, this.number(3000), 1000 + this.number(200), 1000 + this.number(200)]),
      price: this.number(4000) / 8,
      published: this.number(8) === 0 ? null : `20${10 + this.number(15)}-0${1 + this.number(9)}-1${this.number(10)}`,
      labels: this.number(50) > 0 ? null : this.pick([[], ['new'], ['new', 'rare'], ['signed', 'rare']]),
      meta: this.pick([null, {}, [], [1], [null], [null, 2], 'text', 7]),
      author_id: 1 + this.number(AUTHORS),
      editor_id: this.number(3) === 0 ? null : 1 + this.number(5),
      series_id: this.number(4) === 0 ? null : 1 + this.number(SERIES),
      genres: this.pick([[], [1], [2, 3], [1, 2, 3, 4]]),
    }
  }

  filter(depth = 0): Filter {
    switch (this.number(depth > 2 ? 12 : 16)) {
      case 0:
        return { field: this.pick(['author_id', 'editor_id']), target: 'author', filter: this.authorFilter() }
      case 1:
        return { field: 'series_id', target: 'series', filter: this.seriesFilter() }
      case 12:
      case 13:
        return { any: Array.from({ length: this.number(4) }, () => this.filter(depth + 1)) }
      case 14:
        return { all: Array.from({ length: this.number(3) }, () => this.filter(depth + 1)) }
      case 15:
        return { not: this.filter(depth + 1) }
      default:
        return this.fieldFilter()
    }
  }

  /** Filters through two relations. */
  seriesFilter(): Filter {
    const name = `Category ${1 + this.number(CATEGORIES)}`
    const category: Filter = { field: 'name', operator: this.pick(['eq', 'ne'] as const), value: name }
    return this.pick<Filter>([
      { field: 'category_id', target: 'category', filter: category },
      { any: [{ field: 'category_id', operator: 'isnull', value: true }, this.equality('category_id', [1, 2, 3])] },
      { field: 'name', operator: 'startswith', value: `Series ${this.number(3)}` },
    ])
  }

  fieldFilter(): FieldFilter {
    const choices: (() => FieldFilter)[] = [
      () => this.ordering('pages', this.number(3200)),
      () => this.ordering('price', this.number(4200) / 8),
      () => this.ordering('published', `20${10 + this.number(16)}-05-15`),
      () => this.ordering('title', this.pick(['An', 'The red', 'Z', '', 'Émile', '書'])),
      () => this.ordering('id', this.number(BOOKS * 2 + 50)),
      () => this.ordering('author_id', this.number(AUTHORS + 2)),
      () => this.equality('status', ['draft', 'published']),
      () => this.equality('labels', ['new', 'rare', 'signed']),
      () => this.equality('genres', [1, 2, 3, 4, 5]),
      () => this.equality('author_id', [1, 2, 3, 20, AUTHORS + 1]),
      () => this.equality('editor_id', [1, 2, 3]),
      () => this.equality('isbn', ['isbn-2', 'isbn-400', 'isbn-x']),
      () => this.equality('id', [2, 400, 3, 100]),
      () => this.equality('code', ['ab-1', 'abc-2', 'b-3']),
      () => ({ field: 'meta', operator: 'isnull', value: this.number(2) === 0 }),
      () => this.part('title'),
      () => this.part('code'),
    ]
    return this.pick(choices)()
  }

  authorFilter(): FieldFilter {
    return this.pick<FieldFilter>([
      { field: 'active', operator: 'eq', value: true },
      { field: 'rank', operator: 'gte', value: 8 },
      { field: 'name', operator: 'icontains', value: 'OR 1' },
      { field: 'name', operator: 'eq', value: 'Author 7' },
    ])
  }

  ordering(field: string, value: Json): FieldFilter {
    return { field, operator: this.pick(['gt', 'gte', 'lt', 'lte', 'eq', 'ne'] as const), value }
  }

  equality(field: string, values: readonly Json[]): FieldFilter {
    switch (this.number(4)) {
      case 0:
        return { field, operator: 'isnull', value: this.number(2) === 0 }
      case 1:
        return { field, operator: 'in', values: [this.pick(values), this.pick(values)] }
      default:
        return { field, operator: this.pick(['eq', 'ne'] as const), value: this.pick(values) }
    }
  }

  part(field: string): FieldFilter {
    const value = this.pick([
      '',
      'e',
      're',
      'red',
      'RED',
      ' blue',
      'b-1',
      '9',
      '42',
      'ΟΣ',
      'ος',
      'Σ',
      'SS',
      'é',
      'É',
      '書',
      'abc-',
      '\uffff',
    ])
    return { field, operator: this.pick(['icontains', 'startswith', 'endswith'] as const), value }
  }

  sort(): SortKey[] {
    const fields = ['id', 'title', 'status', 'pages', 'price', 'published', 'author_id']
    const count = this.pick([0, 1, 1, 1, 2, 3])
    return Array.from({ length: count }, (): SortKey => {
      const order = this.pick(['asc', 'desc'] as const)
      if (this.number(3) > 0) return { field: this.pick(fields), order }
      const only: Filter | undefined = this.number(2) === 0 ? undefined : this.seriesFilter()
      const series = { field: 'series_id', target: 'series', ...(only === undefined ? {} : { only }) }
      return this.pick<SortKey>([
        { field: this.pick(['name', 'id', 'category_id']), order, through: series },
        { field: this.pick(['rank', 'active']), order, through: { field: 'editor_id', target: 'author' } },
      ])
    })
  }

  /** What a plain reading of the filters and the order gives. */
  expected(filters: readonly Filter[], sort: readonly SortKey[]): number[] {
    const tests = filters.map((filter) => this.#test(filter))
    const values = sort.map((key) => this.#values(key))
    return [...this.#books.values()]
      .filter((book) => tests.every((matches) => matches(book)))
      .map((book) => ({ id: book.id, values: values.map((read) => read(book)) }))
      .sort((a, b) => {
        for (let index = 0; index < sort.length; index++) {
          const sign = compareValues(a.values[index] ?? null, b.values[index] ?? null)
          if (sign !== 0) return sort[index]?.order === 'asc' ? sign : -sign
        }
        return a.id - b.id
      })
      .map(({ id }) => id)
  }

  /** Returns a record's value that a key sorts by. */
  #values({ field, through }: SortKey): (record: StoredRecord) => Json {
    if (through === undefined) return (record) => record[field] ?? null
    const counts = through.only === undefined ? () => true : this.#test(through.only)
    const target = this.engine.table(through.target)
    return (record) => {
      const related = target.get(Number(record[through.field]))
      return related !== undefined && counts(related) ? (related[field] ?? null) : null
    }
  }

  #test(filter: Filter): (record: StoredRecord) => boolean {
    if (isFieldFilter(filter)) return matcher(filter)
    if ('any' in filter) {
      const tests = filter.any.map((each) => this.#test(each))
      return (record) => tests.some((matches) => matches(record))
    }
    if ('all' in filter) {
      const tests = filter.all.map((each) => this.#test(each))
      return (record) => tests.every((matches) => matches(record))
    }
    if (!isRelationFilter(filter)) {
      const matches = this.#test(filter.not)
      return (record) => !matches(record)
    }
    const target = this.engine.table(filter.target)
    const matches = this.#test(filter.filter)
    return (record) =>
      referencesOf(record, filter.field).some((id) => {
        const related = target.get(id)
        return related !== undefined && matches(related)
      })
  }

  async ids(
    filters: readonly Filter[],
    sort: readonly SortKey[],
    offset: number,
    limit: number,
  ): Promise<{ ids: number[]; total: number }> {
    const plan = { filters, sort, offset, limit }
    for (let wait = this.engine.prepare('book', plan); wait !== undefined; wait = this.engine.prepare('book', plan)) await wait
    const { records, total } = this.engine.find('book', plan)
    return { ids: records.map(({ id }) => id), total }
  }

  async check(): Promise<void> {
    const filters = Array.from({ length: this.number(4) }, () => this.filter())
    const sort = this.sort()
    const offset = this.pick([0, 0, 1, 19, 500, BOOKS])
    const limit = this.pick([1, 20, 100])
    const all = this.expected(filters, sort)
    const found = await this.ids(filters, sort, offset, limit)
    assert.deepEqual(
      found,
      { ids: all.slice(offset, offset + limit), total: all.length },
      JSON.stringify({ filters, sort, offset, limit }),
    )
  }
}
