import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Filter, SortKey } from '../../../src/query/plan.ts'
import { Engine } from '../../../src/store/embedded/engine.ts'
import type { FoundPage, StoredRecord } from '../../../src/store/store.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'
import { turnsDuring } from '../../helpers/turns.ts'

const COUNT = 5000
/** More values than a step of any kind reads. */
const FEW = 700

/** Authors and books in memory, whose texts count how often they are read in a turn of the event loop. */
class Readings {
  readonly engine: Engine
  #most = 0
  #now = 0

  constructor({ authors = COUNT, books = COUNT }: { authors?: number; books?: number } = {}) {
    // Each slice has one step.
    const slices = { now: () => (this.#now += 1000), pause: () => this.#pause() }
    this.engine = new Engine(libraryRegistry(), { slices })
    for (let id = 1; id <= authors; id++) this.#put('author', id, { rank: id }, 'name', `Author ${id}`)
    for (let id = 1; id <= books; id++) this.#put('book', id, { isbn: `${id}`, author_id: id }, 'title', `A book of number ${id}`)
  }

  async #pause(): Promise<void> {
    await nextTurn()
    this.#reads = 0
  }

  #reads = 0

  #put(table: string, id: number, values: object, field: string, text: string): void {
    const read = () => {
      this.#most = Math.max(this.#most, ++this.#reads)
      return text
    }
    const record = Object.defineProperty({ id, ...values }, field, { get: read, enumerable: true }) as StoredRecord
    this.engine.table(table).replace(id, record)
  }

  /** The number of records found, and how many texts were read in one turn at most. */
  async find(filters: readonly Filter[], sort: readonly SortKey[] = []): Promise<[FoundPage['total'], number]> {
    const plan = { filters, sort, offset: 0, limit: 10 }
    this.#most = 0
    for (let wait = this.engine.prepare('book', plan); wait !== undefined; wait = this.engine.prepare('book', plan)) await wait
    const { total } = this.engine.find('book', plan)
    return [total, this.#most]
  }
}

const named: Filter = { field: 'name', operator: 'icontains', value: 'author' }
const titled = { field: 'title', operator: 'icontains', value: 'book' } as const
const behind = (filter: Filter): Filter => ({ field: 'author_id', target: 'author', filter })
const byAuthor: SortKey = { field: 'rank', order: 'asc', through: { field: 'author_id', target: 'author', only: named } }

describe('no turn reads all texts', () => {
  for (const [name, filters, sort, found] of [
    ['of the table', [titled], [], COUNT],
    ['of the table in a group', [{ any: [titled, { field: 'id', operator: 'eq', value: 3 }] }], [], COUNT],
    ['behind a relation', [behind(named)], [], COUNT],
    ['behind a relation that is denied', [{ not: behind(named) }], [], 0],
    ['of both', [titled, behind(named)], [], COUNT],
    ['of records that an order shows', [], [byAuthor], COUNT],
  ] as const) {
    test(`of a filter ${name}`, async () => {
      const [total, most] = await new Readings().find(filters, sort)
      assert.equal(total, found)
      assert.ok(most < FEW, `${most} texts in a turn`)
    })
  }

  test('of a filter behind a relation of few records', async () => {
    const [total, most] = await new Readings({ books: 100 }).find([behind(named)])
    assert.equal(total, 100)
    assert.ok(most < FEW, `${most} texts in a turn`)
  })

  test('to deny a text of few records', async () => {
    const readings = new Readings()
    await readings.find([{ field: 'title', operator: 'icontains', value: 'nothing' }])
    const [total, most] = await readings.find([{ not: { all: [{ field: 'id', operator: 'eq', value: 3 }, titled] } }])
    assert.deepEqual([total, most < FEW], [COUNT - 1, true])
  })

  test('for several queries at the same time', async () => {
    const readings = new Readings()
    await readings.find([{ ...titled, value: 'nothing' }])
    const parts = ['a boo', 'book', 'ook of', 'of nu', 'number', 'umber', 'k of n', 'a book']
    const turns = await turnsDuring(() => Promise.all(parts.map((value) => readings.find([{ ...titled, value }]))))
    assert.ok(turns > 100, `${turns} turns`)
  })
})
