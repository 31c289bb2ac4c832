import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Actor, ANONYMOUS } from '../../../src/auth/permissions.ts'
import { silentLog } from '../../../src/log/log.ts'
import { AccessRules } from '../../../src/service/access/access-rules.ts'
import { Condition } from '../../../src/service/access/condition.ts'
import type { Subject } from '../../../src/service/access/condition-outcomes.ts'
import { Aggregates } from '../../../src/service/queries/aggregates.ts'
import { Reads } from '../../../src/service/queries/reads.ts'
import { RecordSerializer } from '../../../src/service/queries/record-json.ts'
import { SearchIndexes } from '../../../src/service/queries/search-indexes.ts'
import { Searches } from '../../../src/service/queries/searches.ts'
import { Exports } from '../../../src/transfer/exports.ts'
import { Traffic } from '../../../src/util/traffic.ts'
import { registry, task, World } from './tasks.ts'

const ROUNDS = 500

/** An actor who is seen by conditions as this user. */
function actorOf(user: Subject): Actor {
  if (user === null) return ANONYMOUS
  const record = Object.fromEntries(
    Object.entries(user).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
  const groups = new Set(user.groups as string[])
  const { groups: _, ...fields } = record
  return { ...ANONYMOUS, userId: Number(user.id), groups, user: fields as Actor['user'] }
}

for (const [seed, smallTable] of [
  [3, 500],
  [4, 0],
] as const) {
  test(`lists, pages, search, export, totals and reads show what ${ROUNDS} random conditions let through (${smallTable})`, async () => {
    const world = await World.make(seed, smallTable)
    const { store } = world
    const indexes = new SearchIndexes({
      registry,
      store,
      log: silentLog,
      wait: () => new Promise(() => {}),
      now: () => performance.now(),
      later: (run) => void setImmediate().then(run),
      pause: () => setImmediate(),
      traffic: new Traffic(() => 0),
    })
    for (let round = 0; round < ROUNDS; round++) {
      const text = world.condition()
      const user = world.user()
      const actor = actorOf(user)
      const view = { kind: 'condition', condition: Condition.compile(text, task, registry) } as const
      const access = new AccessRules(registry, new Map([['task', { view }]]))
      const writer = new RecordSerializer(access, store)
      const [reads, exports, aggregates] = [
        new Reads(access, store, writer),
        new Exports(access, store),
        new Aggregates(access, store),
      ]
      const searches = new Searches({ access, store, writer, indexes, pause: () => setImmediate() })
      const expected = world.tasks.filter((record) => world.holds(text, record, user))
      const ids = expected.map(({ id }) => id)
      const told = `${text} for ${String(user?.id)}`
      if (!access.may(actor, 'view', task)) {
        assert.deepEqual(ids, [], told)
        continue
      }
      const asked = async (query: string) => JSON.parse(String(await reads.list(actor, 'task', query)))
      const idsOf = (data: readonly { id: number }[]) => data.map(({ id }) => id)
      const page = await asked('page_size=7&page=2&fields=id')
      assert.deepEqual(idsOf(page.data), ids.slice(7, 14), told)
      assert.equal(page.total, ids.length, told)
      const sorted = await asked('page_size=100&sort_by=points&filters=status__ne=done&fields=points')
      const kept = expected.filter(({ status }) => status !== 'done')
      assert.deepEqual(idsOf(sorted.data).toSorted(), idsOf(kept).slice(0, 1000).toSorted().slice(0, sorted.data.length), told)
      assert.equal(sorted.total, kept.length, told)
      let exported = ''
      for await (const part of (await exports.open(actor, 'task', 'format=ndjson&fields=id')).text) exported += part
      assert.deepEqual(
        idsOf(
          exported
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        ),
        ids,
        told,
      )
      const found = JSON.parse(await searches.search(actor, 'task', 'q=alpha&page_size=100'))
      const matching = expected.filter(({ title }) => title === 'alpha' || title === 'alphabet')
      assert.deepEqual(idsOf(found.data).toSorted(), idsOf(matching).toSorted(), told)
      assert.equal(found.total, matching.length, told)
      const totals = JSON.parse(await aggregates.aggregate(actor, 'task', 'count&sum=points'))
      const sum = expected.reduce((before, { points }) => before + Number(points ?? 0), 0)
      assert.deepEqual(totals, { data: [{ group: {}, count: ids.length, sum: { points: sum } }], total: 1 }, told)
      for (const record of [world.pick(world.tasks), world.pick(world.tasks)]) {
        const read = await reads.get(actor, 'task', String(record.id), '').then(
          () => true,
          ({ code }) => {
            assert.equal(code, 'RECORD_NOT_FOUND')
            return false
          },
        )
        assert.equal(read, ids.includes(record.id), `${told}: ${record.id}`)
      }
    }
  })
}
