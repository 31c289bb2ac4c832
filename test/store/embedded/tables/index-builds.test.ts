import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AggregatePlan } from '../../../../src/query/aggregate.ts'
import type { Filter, SortKey } from '../../../../src/query/plan.ts'
import type { Commit } from '../../../../src/store/embedded/engine.ts'
import type { Change, Operation, StoredRecord } from '../../../../src/store/store.ts'
import { insert, remove, update } from '../../../helpers/store/library.ts'
import { SERIES, Shelf } from './shelf.ts'

/** Some steps of each kind of index. */
const BOOKS = 2000
const ROUNDS = 12
/** Most queries and writes of a round. */
const QUERIES = 8
const WRITES = 60

/**
 * A shelf whose books change in every turn of the event loop, and so between any two slices of the builds that its queries wait for. Every
 * answer is compared with a scan in the step that gives it.
 */
class BusyShelf {
  readonly #shelf: Shelf
  /** The committed changes that may be reverted, as those whose journal is not written yet. */
  readonly #revertible: (readonly Change[])[] = []
  readonly #running = new Set<Promise<void>>()
  #now = 0
  #isbns = 0
  #mostMs = 0
  #queriesLeft = 0
  #writesLeft = 0
  readonly #commit: Commit = {
    admit() {},
    settled: async () => void this.#revertible.splice(0),
    applied: (changes) => void this.#revertible.push(changes),
  }

  constructor(seed: number) {
    const slices = {
      now: () => (this.#now += this.#shelf.number(1 + this.#mostMs)),
      pause: async () => {
        await nextTurn()
        this.#meanwhile()
      },
    }
    this.#shelf = new Shelf(seed, { books: BOOKS, slices })
  }

  /** Queries and writes at the same time, until all of them are over; then the same queries without writes. */
  async round(): Promise<void> {
    const shelf = this.#shelf
    // An id out of turn gives all rows other numbers, so that all indexes are built again.
    if (shelf.number(3) > 0) shelf.put(shelf.someId() + 1)
    // Slices of one step, or of up to some.
    this.#mostMs = shelf.pick([1000, 12, 4])
    this.#queriesLeft = shelf.number(QUERIES)
    this.#writesLeft = shelf.number(WRITES)
    const [filters, sort] = [this.#filters(), shelf.sort()]
    this.#start(() => this.#find(filters, sort))
    while (this.#running.size > 0) {
      await Promise.all(this.#running)
      if (this.#queriesLeft > 0) this.#query()
    }
    this.#writesLeft = 0
    await this.#find(filters, sort)
    await this.#find([{ field: 'title', operator: 'icontains', value: 'red' }], [{ field: 'pages', order: 'asc' }])
  }

  #start(work: () => Promise<void>): void {
    const running = work().finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #meanwhile(): void {
    const shelf = this.#shelf
    if (this.#queriesLeft > 0 && shelf.number(3) === 0) this.#query()
    for (let writes = shelf.number(4); writes > 0 && this.#writesLeft > 0; writes--) {
      this.#writesLeft--
      this.#write()
    }
  }

  #query(): void {
    this.#queriesLeft--
    const [filters, sort] = [this.#filters(), this.#shelf.sort()]
    this.#start(() => (this.#shelf.number(4) === 0 ? this.#count(filters) : this.#find(filters, sort)))
  }

  /** Some filters, half of the time one by a text that is found in many steps. */
  #filters(): Filter[] {
    const shelf = this.#shelf
    const text: Filter = { field: 'title', operator: 'icontains', value: shelf.pick(['red', 'RED ', 'blue', 'e', '']) }
    return [...(shelf.number(2) === 0 ? [text] : []), ...Array.from({ length: shelf.number(3) }, () => shelf.filter())]
  }

  async #find(filters: readonly Filter[], sort: readonly SortKey[]): Promise<void> {
    const { engine } = this.#shelf
    const plan = { filters, sort, offset: 0, limit: Number.POSITIVE_INFINITY }
    for (let wait = engine.prepare('book', plan); wait !== undefined; wait = engine.prepare('book', plan)) await wait
    const found = engine.find('book', plan).records.map(({ id }) => id)
    assert.deepEqual(found, this.#shelf.expected(filters, sort), JSON.stringify(plan))
  }

  /** Counts, and adds up a column. */
  async #count(filters: readonly Filter[]): Promise<void> {
    const { engine } = this.#shelf
    const plan: AggregatePlan = { filters, groupBy: [], sums: ['price'], ranges: [], limit: 10 }
    for (let wait = engine.prepareAggregate('book', plan); wait !== undefined; wait = engine.prepareAggregate('book', plan))
      await wait
    const [group] = engine.aggregate('book', plan) ?? []
    const books = this.#shelf.expected(filters, []).map((id) => this.#shelf.get(id))
    // The prices are eighths, so that adding them up rounds nothing.
    const sum = String(books.reduce((total, book) => total + Number(book?.price), 0))
    assert.deepEqual([group?.count, group?.sums[0]?.sum], [books.length, sum], JSON.stringify(plan))
  }

  #write(): void {
    const shelf = this.#shelf
    const { all } = shelf
    const kind = shelf.number(200)
    const id = shelf.pick(all)
    const place = shelf.number(all.length)
    if (kind < 30) this.#revert()
    else if (kind < 45) this.#transact(all.slice(place, place + 150).map((each) => this.#operation(each)))
    else if (kind < 60) this.#transact([remove('book', id)], [insert('book', this.#book(id), id)])
    else if (kind < 75) this.#transact([update('series', 1 + shelf.number(SERIES), { name: `Series ${shelf.number(20)}` })])
    // Rows get other numbers; also when many go.
    else if (kind < 80) this.#transact([insert('book', this.#book(id + 1), id + 1)])
    else if (kind < 81) this.#transact(shelf.most().map((each) => remove('book', each)))
    else this.#transact([this.#operation(id)])
  }

  #operation(id: number): Operation {
    const kind = this.#shelf.number(4)
    if (kind === 0) return insert('book', { ...this.#book(id), isbn: `new-${++this.#isbns}` })
    return kind === 1 ? remove('book', id) : update('book', id, this.#book(id))
  }

  /** A book that a transaction accepts. */
  #book(id: number): StoredRecord {
    const book = this.#shelf.book(id)
    return { ...book, title: book.title ?? 'Untitled', code: null, pages: book.pages || 1, price: Number(book.price) + 1 / 8 }
  }

  /** Runs transactions; one that is refused changes nothing. Each may be long, and then takes some turns. */
  #transact(...transactions: (readonly Operation[])[]): void {
    for (const operations of transactions)
      this.#start(async () => void (await this.#shelf.engine.transact(operations, { mode: 'commit', commit: this.#commit })))
  }

  /** Reverts all changes that may be reverted, as a journal that cannot be written does. */
  #revert(): void {
    this.#shelf.engine.revert(this.#revertible.splice(0).flat())
  }
}

describe('an index that is built in slices has the writes made meanwhile', () => {
  for (let seed = 1; seed <= 8; seed++) {
    test(`as a scan has them (${seed})`, async () => {
      const shelf = new BusyShelf(seed)
      for (let round = 0; round < ROUNDS; round++) await shelf.round()
    })
  }
})
