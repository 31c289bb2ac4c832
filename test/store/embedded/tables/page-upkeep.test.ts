import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { comparer, matcher } from '../../../../src/query/match.ts'
import type { FieldFilter, Plan, SortKey } from '../../../../src/query/plan.ts'
import { pageAfter, RecentChanges } from '../../../../src/store/embedded/tables/page-upkeep.ts'
import type { FoundPage, StoredRecord } from '../../../../src/store/store.ts'
import { mulberry32 } from '../../../bench/data/random.ts'

/** Pages by plan, each with the number of changes that it includes. */
class RememberedPages {
  readonly #changes: RecentChanges
  readonly #pages = new Map<Plan, { page: FoundPage; count: number }>()

  constructor(changes: RecentChanges) {
    this.#changes = changes
  }

  remember(plan: Plan, page: FoundPage): void {
    this.#pages.set(plan, { page, count: this.#changes.count })
  }

  recall(plan: Plan): FoundPage | undefined {
    const known = this.#pages.get(plan)
    const changes = known && this.#changes.since(known.count)
    const page = known && changes && pageAfter(known.page, plan, changes)
    if (page !== undefined) this.remember(plan, page)
    else this.#pages.delete(plan)
    return page
  }
}

/** A table without indexes: the records by id, and a page of them worked out by hand. */
function makeTable() {
  const changes = new RecentChanges()
  const answers = new RememberedPages(changes)
  const records = new Map<number, StoredRecord>()
  const put = (id: number, after: StoredRecord | undefined) => {
    changes.note(records.get(id), after)
    if (after === undefined) records.delete(id)
    else records.set(id, after)
  }
  const find = ({ filters, sort, offset, limit }: Plan) => {
    const tests = filters.map((filter) => matcher(filter as FieldFilter))
    const matching = [...records.values()].filter((record) => tests.every((each) => each(record))).sort(comparer(sort))
    return { records: matching.slice(offset, offset + limit), total: matching.length }
  }
  return { answers, put, find, records }
}

const planOf = (over: Partial<Plan> = {}): Plan => ({ filters: [], sort: [], offset: 0, limit: 3, ...over })
const idsOf = (page: { records: readonly StoredRecord[] } | undefined) => page?.records.map(({ id }) => id)

/** Five records, and the answer to a plan remembered. */
function remembered(plan: Plan) {
  const table = makeTable()
  for (const id of [1, 2, 3, 4, 5]) table.put(id, { id, size: id })
  table.answers.remember(plan, table.find(plan))
  return table
}

describe('a remembered page', () => {
  test('is the very same when nothing that concerns it has changed', () => {
    const plan = planOf({ filters: [{ field: 'size', operator: 'lt', value: 4 }] })
    const { answers, put, records } = remembered(plan)
    const before = answers.recall(plan)
    put(6, { id: 6, size: 6 })
    put(5, { id: 5, size: 7 })
    put(6, undefined)
    assert.equal(records.size, 5)
    assert.equal(answers.recall(plan), before)
    assert.deepEqual(idsOf(before), [1, 2, 3])
  })

  test('includes a new record that belongs on the page, and drops the last one', () => {
    const plan = planOf({ sort: [{ field: 'size', order: 'desc' }] })
    const { answers, put } = remembered(plan)
    put(6, { id: 6, size: 9 })
    const page = answers.recall(plan)
    assert.deepEqual(idsOf(page), [6, 5, 4])
    assert.equal(page?.total, 6)
  })

  test('contains the present version of a record that keeps its position', () => {
    const plan = planOf()
    const { answers, put } = remembered(plan)
    put(2, { id: 2, size: 20 })
    assert.equal(answers.recall(plan)?.records[1]?.size, 20)
  })

  test('counts records that come and go behind it', () => {
    const plan = planOf()
    const { answers, put } = remembered(plan)
    put(5, undefined)
    assert.deepEqual([idsOf(answers.recall(plan)), answers.recall(plan)?.total], [[1, 2, 3], 4])
  })

  test('is queried again when an unknown record moves onto it', () => {
    const first = planOf()
    const onFirst = remembered(first)
    onFirst.put(2, undefined)
    assert.equal(onFirst.answers.recall(first), undefined, 'one of its own is gone')
    const second = planOf({ offset: 3 })
    const onSecond = remembered(second)
    onSecond.put(1, undefined)
    assert.equal(onSecond.answers.recall(second), undefined, 'one before it is gone')
    const third = planOf({ offset: 3, sort: [{ field: 'size', order: 'desc' }] })
    const onThird = remembered(third)
    onThird.put(6, { id: 6, size: 9 })
    assert.equal(onThird.answers.recall(third), undefined, 'one has come before it')
  })

  test('is queried again after very many changes', () => {
    const plan = planOf()
    const { answers, put } = remembered(plan)
    for (let id = 6; id < 6 + 128; id++) put(id, { id, size: 0 })
    assert.deepEqual(idsOf(answers.recall(plan)), [1, 2, 3], '128 changes are known')
    for (let id = 200; id < 200 + 129; id++) put(id, { id, size: 0 })
    assert.equal(answers.recall(plan), undefined)
  })

  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`equals a new query after any changes (${seed})`, () => {
      const random = mulberry32(seed)
      const upTo = (end: number) => Math.floor(random() * end)
      const { answers, put, find, records } = makeTable()
      const value = () => [null, 0, 1, 2, 3, 4][upTo(6)] as number | null
      const orders: SortKey[][] = [
        [],
        [{ field: 'size', order: 'asc' }],
        [{ field: 'size', order: 'desc' }],
        [{ field: 'id', order: 'desc' }],
        [
          { field: 'size', order: 'desc' },
          { field: 'rank', order: 'asc' },
        ],
      ]
      const filters: FieldFilter[][] = [
        [],
        [{ field: 'size', operator: 'gte', value: 2 }],
        [
          { field: 'rank', operator: 'eq', value: 1 },
          { field: 'size', operator: 'isnull', value: false },
        ],
      ]
      const plans = orders.flatMap((sort) =>
        filters.flatMap((each) => [0, 2, 4, 30].map((offset) => planOf({ sort, filters: each, offset, limit: 4 }))),
      )
      let recalled = 0
      for (let round = 0; round < 150; round++) {
        for (let change = upTo(4); change > 0; change--) {
          const id = 1 + upTo(24)
          put(id, random() < 0.35 ? undefined : { id, size: value(), rank: value() })
        }
        for (const plan of plans) {
          const known = answers.recall(plan)
          const expected = find(plan)
          if (known === undefined) answers.remember(plan, expected)
          else assert.deepEqual(known, expected, `round ${round}, ${records.size} records, ${JSON.stringify(plan)}`)
          if (known !== undefined) recalled++
        }
      }
      assert.ok(recalled > 2000, `${recalled} pages were recalled`)
    })
  }
})
