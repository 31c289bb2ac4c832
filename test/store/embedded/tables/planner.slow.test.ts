import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Filter } from '../../../../src/query/plan.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { BOOKS, SERIES, Shelf } from './shelf.ts'

/** Plans of each test with random ones. */
const AGGREGATES = repetitions(60, 200)
const QUERIES = repetitions(100, 400)

describe('aggregates', () => {
  /** What a plain reading of the plan gives, as text without order. */
  function expected(shelf: Shelf, filters: readonly Filter[], groupBy: readonly string[]): string[] {
    // Without keys all records are one group, even if there are none.
    const groups = new Map<string, StoredRecord[]>(groupBy.length === 0 ? [['[]', []]] : [])
    for (const id of shelf.expected(filters, [])) {
      const record = shelf.get(id) as StoredRecord
      const values = groupBy.map((field) => {
        const value = record[field] ?? null
        return Array.isArray(value) ? (value.length === 0 ? [null] : value) : [value]
      })
      for (const first of values[0] ?? ['all'])
        for (const second of values[1] ?? ['all']) {
          const key = JSON.stringify([first, second].slice(0, groupBy.length))
          const group = groups.get(key) ?? []
          groups.set(key, group)
          group.push(record)
        }
    }
    return [...groups].map(([key, records]) => {
      const present = (field: string) =>
        records.flatMap((record) => (typeof record[field] === 'number' ? Number(record[field]) : []))
      const sum = (field: string) => String(present(field).reduce((total, each) => total + each, 0))
      const titles = records.flatMap(({ title }) => (typeof title === 'string' ? title : [])).sort()
      // The prices are eighths, so that adding them up rounds nothing.
      return JSON.stringify([key, records.length, sum('pages'), present('pages').length, sum('price'), titles[0] ?? null])
    })
  }

  for (const seed of [1, 2]) {
    test(`return the same as a scan (${seed})`, async () => {
      const shelf = new Shelf(seed)
      for (let round = 0; round < AGGREGATES; round++) {
        const filters = Array.from({ length: shelf.number(3) }, () => shelf.filter())
        const groupBy = shelf.pick([
          [],
          ['status'],
          ['status', 'labels'],
          ['labels'],
          ['author_id', 'status'],
          ['genres', 'labels'],
        ])
        const plan = {
          filters,
          groupBy,
          ...(round % 4 === 0 ? { sums: [], ranges: [] } : { sums: ['pages', 'price'], ranges: [{ field: 'title' }] }),
          limit: 1000,
        }
        const prepare = () => shelf.engine.prepareAggregate('book', plan)
        for (let wait = prepare(); wait !== undefined; wait = prepare()) await wait
        const groups = shelf.engine.aggregate('book', plan) ?? assert.fail('too many groups')
        const found = groups.map(({ key, count, sums, ranges }) =>
          JSON.stringify([
            JSON.stringify(key),
            count,
            ...sums.flatMap(({ sum, present }, at) => (at === 0 ? [sum, present] : [sum])),
            ...ranges.map(({ min }) => min),
          ]),
        )
        const wanted = expected(shelf, filters, groupBy)
        const shown = plan.sums.length === 0 ? wanted.map((text) => JSON.stringify(JSON.parse(text).slice(0, 2))) : wanted
        assert.deepEqual(found.sort(), shown.sort(), JSON.stringify(plan))
        for (let writes = shelf.number(50); writes > 0; writes--) shelf.put(shelf.someId())
      }
    })
  }

  test('with too many groups have no answer', async () => {
    const shelf = new Shelf(3)
    const plan = { filters: [], groupBy: ['isbn'], sums: [], ranges: [{ field: 'id' }], limit: 1000 }
    await shelf.engine.prepareAggregate('book', plan)
    assert.equal(shelf.engine.aggregate('book', plan), undefined)
  })
})

describe('queries by index', () => {
  for (const seed of [11, 22, 33, 44, 55]) {
    test(`return the same as a scan, also after writes (${seed})`, async () => {
      const shelf = new Shelf(seed)
      for (let round = 0; round < QUERIES; round++) {
        await shelf.check()
        for (let writes = shelf.number(100); writes > 0; writes--) {
          const kind = shelf.number(10)
          if (kind < 6) shelf.append()
          else if (kind < 7) shelf.remove()
          else if (kind < 9) shelf.put(shelf.someId())
          else shelf.change()
        }
        shelf.putSeries(1 + shelf.number(SERIES))
        // An id out of turn gives all rows other numbers.
        if (shelf.number(50) === 0) shelf.put(shelf.number(BOOKS) * 2 + 1)
      }
    })
  }

  test('includes text behind the last of all characters', async () => {
    const shelf = new Shelf(3)
    for (const value of ['a', 'a\uffff', '\uffff', '\uffff\uffff']) {
      const filters: Filter[] = [{ field: 'title', operator: 'startswith', value }]
      assert.deepEqual((await shelf.ids(filters, [], 0, BOOKS)).ids, shelf.expected(filters, []), value)
    }
  })

  test('stays right when most records go', async () => {
    const shelf = new Shelf(7)
    for (let round = 0; round < 20; round++) await shelf.check()
    shelf.removeMost()
    for (let round = 0; round < 40; round++) await shelf.check()
    assert.ok(shelf.engine.table('book').capacity < BOOKS, 'the gaps were not closed')
  })

  test('include writes made while an index is being built', async () => {
    const shelf = new Shelf(5)
    const filters: Filter[] = [{ field: 'pages', operator: 'gte', value: 1500 }]
    let isAnswered = false
    const answer = shelf.ids(filters, [{ field: 'price', order: 'desc' }], 0, 100).finally(() => {
      isAnswered = true
    })
    await nextTurn()
    assert.equal(isAnswered, false)
    for (let id = 2; id < 400; id += 2) shelf.put(id)
    for (let count = 0; count < 200; count++) shelf.append()
    const expected = shelf.expected(filters, [{ field: 'price', order: 'desc' }])
    assert.deepEqual(await answer, { ids: expected.slice(0, 100), total: expected.length })
  })
})
