import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MemoryStore } from '../../../../src/store/embedded/memory-store.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { Queries } from '../../../../src/store/postgres/queries/queries.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import type { Operation, StoredRecord } from '../../../../src/store/store.ts'
import type { JsonObject } from '../../../../src/util/json.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { copyRecords } from '../../../helpers/postgres/copy-records.ts'
import { exhibit, museumRegistry, ROOMS, room, TAGS, tag, WINGS } from '../../../helpers/postgres/museum.ts'
import { Random } from '../../../helpers/postgres/random.ts'
import { ordering, RandomPlans, SORTABLE } from '../../../helpers/postgres/random-plans.ts'
import { newSchema, type TestSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'

const EXHIBITS = 10_000
const PLANS = repetitions(600, 2000)
const AGGREGATES = repetitions(150, 400)

/** Both engines with the same records. */
interface Both {
  readonly memory: MemoryStore
  readonly queries: Queries
  readonly own: TestSchema
}

async function open(): Promise<Both> {
  const registry = museumRegistry()
  const memory = new MemoryStore(registry, { smallTable: 0 })
  const random = new Random(7)
  const insert = (table: string, values: JsonObject): Operation => ({ kind: 'insert', table, values })
  const many = (table: string, count: number, make: (number: number) => JsonObject): Operation[] =>
    Array.from({ length: count }, (_, index) => insert(table, make(index + 1)))
  const outcome = await memory.transact([
    ...many('wing', WINGS, (number) => ({ name: ['West', 'East', 'Süd', '😀'][number - 1] ?? '' })),
    ...many('room', ROOMS, () => room(random)),
    ...many('tag', TAGS, (number) => tag(random, number)),
    ...many('exhibit', EXHIBITS, (number) => exhibit(random, number)),
  ])
  assert.equal(outcome.ok, true, JSON.stringify(outcome.ok ? '' : outcome.violations.slice(0, 5)))
  const own = newSchema(await sharedDatabase())
  const layout = new Layout(registry, own.schema)
  await applySchema(own.database, layout)
  await copyRecords(memory, own.database, layout)
  return { memory, own, queries: new Queries(own.database, layout) }
}

/** Fields that are empty are left out, since the embedded engine does not store them. */
const textOf = (records: readonly StoredRecord[]): string[] =>
  records.map((record) => JSON.stringify(Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))))

describe('PostgreSQL answers as the embedded engine', { skip: NO_POSTGRES ?? false }, () => {
  let both: Both
  before(async () => {
    both = await open()
  })
  after(() => both.own.drop())

  test(`${PLANS} random plans: the same records in the same order, and the same totals`, async () => {
    const plans = new RandomPlans(new Random(11))
    let empty = 0
    for (let round = 0; round < PLANS; round++) {
      const plan = plans.plan()
      const [expected, found] = [await both.memory.find('exhibit', plan), await both.queries.find('exhibit', plan)]
      const context = JSON.stringify(plan)
      assert.equal(found.total, expected.total, context)
      assert.deepEqual(textOf(found.records), textOf(expected.records), context)
      if (expected.total === 0) empty++
    }
    assert.ok(empty < PLANS / 2, `${empty} plans match nothing`)
  })

  test('the first pages in the order of each field are the same', async () => {
    for (const field of SORTABLE) {
      for (const order of ['asc', 'desc'] as const) {
        for (const [offset, limit] of [
          [0, 20],
          [7, 1],
          [950, 50],
          [950, 51],
        ] as const) {
          const plan = { filters: [], sort: [{ field, order, ...ordering(field) }], offset, limit }
          const [expected, found] = [await both.memory.find('exhibit', plan), await both.queries.find('exhibit', plan)]
          assert.deepEqual(textOf(found.records), textOf(expected.records), JSON.stringify(plan))
        }
      }
    }
  })

  test('the same of several plans at once', async () => {
    const plans = new RandomPlans(new Random(5))
    for (let round = 0; round < 10; round++) {
      const some = Array.from({ length: 30 }, () => plans.plan())
      const [expected, found] = [await both.memory.findEach('exhibit', some), await both.queries.findEach('exhibit', some)]
      for (const [place, page] of expected.entries()) {
        assert.equal(found[place]?.total, page.total, JSON.stringify(some[place]))
        assert.deepEqual(textOf(found[place]?.records ?? []), textOf(page.records), JSON.stringify(some[place]))
      }
    }
  })

  test('the same ids match', async () => {
    const random = new Random(3)
    const plans = new RandomPlans(random)
    for (let round = 0; round < 200; round++) {
      const filters = [plans.filter()]
      const ids = Array.from({ length: 200 }, () => random.below(EXHIBITS + 100))
      const expected = await both.memory.matching('exhibit', filters, ids)
      assert.deepEqual(
        [...(await both.queries.matching('exhibit', filters, ids))].sort(),
        [...expected].sort(),
        JSON.stringify(filters),
      )
    }
  })

  test(`${AGGREGATES} random aggregates: the same groups`, async () => {
    const plans = new RandomPlans(new Random(13))
    let many = 0
    for (let round = 0; round < AGGREGATES; round++) {
      const plan = plans.aggregate()
      const expected = await both.memory.aggregate('exhibit', plan)
      assert.deepEqual(await both.queries.aggregate('exhibit', plan), expected, JSON.stringify(plan))
      if (expected === undefined) many++
    }
    assert.ok(many < AGGREGATES / 2, `${many} aggregates have too many groups`)
  })

  test('the same streams', async () => {
    const plans = new RandomPlans(new Random(17))
    for (let round = 0; round < 10; round++) {
      const { sort } = plans.plan()
      const filters = round % 2 === 0 ? [] : [plans.filter()]
      const [expected, found]: [StoredRecord[], StoredRecord[]] = [[], []]
      for await (const batch of both.memory.stream('exhibit', { filters, sort })) expected.push(...batch)
      for await (const batch of both.queries.stream('exhibit', { filters, sort })) found.push(...batch)
      assert.deepEqual(textOf(found), textOf(expected), JSON.stringify({ filters, sort }))
    }
  })
})
