import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type AccessRule, AccessRules, matchesRecord } from '../../src/access/access-rules.ts'
import { Condition, type Subject } from '../../src/access/condition.ts'
import { type Action, type Actor, ANONYMOUS } from '../../src/auth/permissions.ts'
import { silentLog } from '../../src/log/log.ts'
import { FileUrls } from '../../src/model/file-urls.ts'
import { Reads } from '../../src/reads/reads.ts'
import { RecordSerializer } from '../../src/reads/record-json.ts'
import { Searches } from '../../src/reads/searches.ts'
import { SearchIndexes } from '../../src/search/search-indexes.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { Exports } from '../../src/transfer/exports.ts'
import { RequestPace } from '../../src/util/traffic.ts'
import { repetitions } from '../helpers/counts.ts'
import { registry, task, World } from './tasks.ts'

const ROUNDS = repetitions(150, 500)

type Rules = Partial<Record<Action, AccessRule>>
const PUBLIC_TEAMS: readonly (readonly [string, Rules])[] = [['team', { view: { kind: 'public' } }]]

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
      traffic: new RequestPace(() => 0),
    })
    for (let round = 0; round < ROUNDS; round++) {
      const text = world.condition()
      const user = world.user()
      const actor = actorOf(user)
      const view = { kind: 'condition', condition: Condition.compile(text, task, registry) } as const
      const access = new AccessRules(registry, new Map<string, Rules>([...PUBLIC_TEAMS, ['task', { view }]]))
      const writer = new RecordSerializer(access, store, new FileUrls('/api/v1'))
      const [reads, exports] = [new Reads(access, store, writer, silentLog), new Exports(access, store)]
      const searches = new Searches({ access, writer, indexes, pause: () => setImmediate() })
      const expected = world.tasks.filter((record) => world.holds(text, record, user))
      const ids = expected.map(({ id }) => id)
      const told = `${text} for ${String(user?.id)}`
      if (!access.may(actor, 'view', task)) {
        assert.deepEqual(ids, [], told)
        continue
      }
      const asked = async (query: string) => JSON.parse(String(await reads.list(actor, 'task', query)))
      const idsOf = (data: readonly { id: number }[]) => data.map(({ id }) => id)
      const size = world.pick([7, 20, 50])
      for (let page = 1; page <= Math.ceil(ids.length / size) + 1; page++) {
        const { data, total } = await asked(`page_size=${size}&page=${page}&fields=id`)
        assert.deepEqual(idsOf(data), ids.slice((page - 1) * size, page * size), told)
        assert.equal(total, ids.length, told)
      }
      const sorted = await asked('page_size=100&sort_by=points&filters=status__ne=done&fields=points')
      const kept = expected.filter(({ status }) => status !== 'done')
      const rank = ({ points }: StoredRecord) => (typeof points === 'number' ? points : Number.POSITIVE_INFINITY)
      const inOrder = kept.toSorted((a, b) => (rank(a) === rank(b) ? a.id - b.id : rank(a) - rank(b)))
      assert.deepEqual(idsOf(sorted.data), idsOf(inOrder).slice(0, 100), told)
      assert.equal(sorted.total, kept.length, told)
      let exported = ''
      for await (const part of (await exports.open(actor, 'task', 'format=ndjson&fields=id')).content) exported += String(part)
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
      const found = JSON.parse((await searches.search(actor, 'task', 'q=alpha&page_size=100')).body)
      const matching = expected.filter(({ title }) => title === 'alpha' || title === 'alphabet')
      assert.deepEqual(idsOf(found.data).toSorted(), idsOf(matching).toSorted(), told)
      assert.equal(found.total, matching.length, told)
      const totals = JSON.parse(await reads.aggregate(actor, 'task', 'count&sum=points'))
      const sum = expected.reduce((before, { points }) => before + Number(points ?? 0), 0)
      assert.deepEqual(totals, { data: [{ group: {}, count: ids.length, sum: { points: sum } }], total: 1 }, told)
      const teams = JSON.parse(String(await reads.list(actor, 'team', 'fields=tasks__count&include=tasks__title')))
      for (const { id, tasks__count: count, tasks } of teams.data) {
        const own = idsOf(expected.filter(({ team_id }) => team_id === id))
        assert.deepEqual([count, tasks.total, idsOf(tasks.data)], [own.length, own.length, own.slice(0, 20)], told)
      }
      const only = access.only(actor, 'view', task)
      for (const record of world.tasks.slice(0, 20)) {
        const isTold = only === undefined || (await matchesRecord(store, only, record))
        assert.equal(isTold, ids.includes(record.id), `${told}: events of ${record.id}`)
      }
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
