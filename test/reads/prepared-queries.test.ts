import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AccessRules, type RulesByModel } from '../../src/access/access-rules.ts'
import { Condition } from '../../src/access/condition.ts'
import { type Actor, ANONYMOUS, SYSTEM } from '../../src/auth/permissions.ts'
import { silentLog } from '../../src/log/log.ts'
import { FileUrls } from '../../src/model/file-urls.ts'
import type { Plan } from '../../src/query/plan.ts'
import { PreparedQueries } from '../../src/reads/prepared-queries.ts'
import { Reads } from '../../src/reads/reads.ts'
import { RecordSerializer } from '../../src/reads/record-json.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import type { FindOptions, Operation, Store } from '../../src/store/store.ts'
import { registry, task } from '../access/tasks.ts'
import { mulberry32 } from '../bench/data/random.ts'

/** A user with permissions; the fields of the record matter to conditions only. */
const actorOf = (
  id: number,
  { permissions = [], groups = [], ...fields }: { permissions?: string[]; groups?: string[]; email?: string } = {},
): Actor => ({
  ...ANONYMOUS,
  userId: id,
  permissions: new Set(permissions),
  groups: new Set(groups),
  user: { id, username: `user${id}`, ...fields },
})

/** A task is shown to its owner, and to the group of auditors through nothing: conditions know the names of groups. */
const OWN_TASKS = "self.owner_id == user.id || 'auditors' in user.groups"

const rulesOf = (condition: string): RulesByModel =>
  new Map([['task', { view: { kind: 'condition', condition: Condition.compile(condition, task, registry) } }]])

const VIEW = ['view_task', 'view_team', 'view_user']

/** Users, teams and tasks, and reads of them. */
async function makeDesk(rules: RulesByModel = new Map()) {
  const store = new MemoryStore(registry)
  const put = async (...operations: Operation[]) => {
    const outcome = await store.transact(operations)
    assert.ok(outcome.ok, JSON.stringify(outcome))
  }
  const insert = (table: string, values: object): Operation => ({ kind: 'insert', table, values: values as never })
  for (const id of [1, 2, 3]) {
    const at = '2026-01-15T12:00:00.000Z'
    const user = {
      username: `user${id}`,
      email: `${id}@example.com`,
      password: '-',
      is_active: true,
      is_superuser: false,
      created_at: at,
      updated_at: at,
    }
    await put(insert('user', user), insert('team', { name: `team ${id}`, open: id > 1, size: id }))
  }
  for (let id = 0; id < 30; id++) {
    const [owner, team] = [1 + (id % 3), 1 + (id % 2)]
    await put(insert('task', { title: `task ${id}`, points: id % 5, owner_id: owner, team_id: team, readers: [owner] }))
  }
  const access = new AccessRules(registry, rules)
  const readsOf = (some: Store) => new Reads(access, some, new RecordSerializer(access, some, new FileUrls('/api/v1')), silentLog)
  return { store, access, put, insert, readsOf, reads: readsOf(store) }
}

const QUERIES = [
  '',
  'page_size=5&page=2',
  'sort_by=points&sort_order=desc&page_size=7',
  'filters=points__gte=2&sort_by=title',
  'filters=team__size=2',
  'sort_by=team.name&page_size=4',
  'fields=title',
  'fields=title,team',
  'include=owner__username&page_size=6',
]

/** The options with a copy of the page, as a store that keeps nothing by identity would see them. */
const copied = (options: FindOptions = {}): FindOptions => ({ ...options, last: options.last && { ...options.last } })

/** The store, given copies of every plan and of every page. */
const withCopies = (store: MemoryStore): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'find')
        return (table: string, plan: Plan, options?: FindOptions) => target.find(table, { ...plan }, copied(options))
      const member = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

describe('the page of a prepared query', () => {
  test('is the same bytes until a record of it changes', async () => {
    const { reads, put } = await makeDesk()
    const list = () => reads.list(SYSTEM, 'task', 'page_size=5')
    const before = await list()
    assert.equal(await list(), before)
    await put({ kind: 'update', table: 'task', id: 20, values: { title: 'not on the page' } })
    assert.equal(await list(), before)
    await put({ kind: 'update', table: 'task', id: 2, values: { title: 'renamed' } })
    const renamed = await list()
    assert.match(String(renamed), /renamed/)
    await put({ kind: 'update', table: 'team', id: 1, values: { name: 'another team' } })
    assert.match(String(await list()), /another team/)
  })

  for (const seed of [1, 2, 3, 4]) {
    test(`equals a new one after any changes, also of related records, and of a store that gets copies (${seed})`, async () => {
      const desk = await makeDesk(rulesOf(OWN_TASKS))
      const random = mulberry32(seed)
      const upTo = (end: number) => Math.floor(random() * end)
      const actors = [
        SYSTEM,
        ...[1, 2].map((id) => actorOf(id, { permissions: VIEW })),
        actorOf(3, { groups: ['auditors'], permissions: VIEW }),
      ]
      const copying = desk.readsOf(withCopies(desk.store))
      const change = (): Operation => {
        const id = 1 + upTo(40)
        const values = { title: `title ${upTo(9)}`, points: upTo(5), owner_id: 1 + upTo(3), team_id: 1 + upTo(3) }
        switch (upTo(5)) {
          case 0:
            return desk.insert('task', { ...values, readers: [] })
          case 1:
            return { kind: 'remove', table: 'task', id }
          case 2:
            return { kind: 'update', table: 'team', id: 1 + upTo(3), values: { name: `team ${upTo(9)}`, size: upTo(3) } }
          case 3:
            return { kind: 'update', table: 'user', id: 1 + upTo(3), values: { first_name: `name ${upTo(9)}` } }
          default:
            return { kind: 'update', table: 'task', id, values }
        }
      }
      for (let round = 0; round < 30; round++) {
        for (let count = upTo(3); count > 0; count--) await desk.store.transact([change()])
        const fresh = desk.readsOf(desk.store)
        for (const actor of actors) {
          for (const query of QUERIES) {
            const expected = String(await fresh.list(actor, 'task', query))
            const told = `round ${round}, ${String(actor.userId)}, ${query}`
            assert.equal(String(await desk.reads.list(actor, 'task', query)), expected, told)
            assert.equal(String(await copying.list(actor, 'task', query)), expected, `${told}, copied`)
          }
        }
      }
    })
  }

  test('is that of the present records, though answers overtake each other', async () => {
    const { store, readsOf, put } = await makeDesk()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let holds = true
    const slow: Store = new Proxy(store as Store, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (name !== 'get') return typeof member === 'function' ? member.bind(target) : member
        return async (...asked: Parameters<Store['get']>) => {
          if (holds) await held
          return target.get(...asked)
        }
      },
    })
    const reads = readsOf(slow)
    const early = reads.list(SYSTEM, 'task', '')
    await new Promise(setImmediate)
    holds = false
    await put({ kind: 'update', table: 'task', id: 1, values: { title: 'renamed' } })
    assert.match(String(await reads.list(SYSTEM, 'task', '')), /renamed/)
    release()
    assert.doesNotMatch(String(await early), /renamed/, 'found before the change')
    assert.match(String(await reads.list(SYSTEM, 'task', '')), /renamed/)
  })
})

describe('a prepared query', () => {
  const keyOf = (access: AccessRules, actor: Actor) => new PreparedQueries(access).prepare(actor, task, '').key

  test('is prepared once for equal rights', async () => {
    const { access } = await makeDesk()
    const prepared = new PreparedQueries(access)
    const [ann, ben] = [1, 2].map((id) => prepared.prepare(actorOf(id, { permissions: VIEW }), task, 'filters=points=1'))
    assert.equal(ann, ben)
    assert.notEqual(prepared.prepare(actorOf(1, { permissions: VIEW }), task, 'filters=points=2'), ann)
    assert.notEqual(prepared.prepare(SYSTEM, task, 'filters=points=1'), ann)
  })

  test('of a single record is prepared once for equal rights, and is not that of a list', async () => {
    const { access } = await makeDesk()
    const prepared = new PreparedQueries(access)
    const of = (id: number, permissions: string[], query = 'fields=title,owner') =>
      prepared.projection(actorOf(id, { permissions }), task, query)
    for (const query of ['fields=title,owner', 'page=2']) prepared.prepare(actorOf(1, { permissions: VIEW }), task, query)
    const ann = of(1, VIEW)
    assert.equal(of(2, VIEW), ann)
    assert.notEqual(of(1, VIEW, 'fields=title'), ann)
    assert.deepEqual(
      [ann, of(1, ['view_task'])].map((columns) => columns.map(({ kind }) => kind)),
      [
        ['value', 'value', 'related'],
        ['value', 'value', 'reference'],
      ],
    )
    assert.equal(of(1, VIEW), ann)
    assert.throws(() => of(1, VIEW, 'page=2'), { code: 'INVALID_REQUEST' })
    assert.throws(() => of(1, ['view_task'], 'include=owner__username'), { code: 'FORBIDDEN' })
  })

  test('is another for every difference that may decide what is seen', async () => {
    const { access } = await makeDesk(rulesOf(OWN_TASKS))
    const actors = [
      SYSTEM,
      ANONYMOUS,
      actorOf(1),
      actorOf(2),
      actorOf(1, { email: 'ann@example.com' }),
      actorOf(1, { permissions: ['view_user'] }),
      actorOf(1, { permissions: ['view_user', 'view_team'] }),
      actorOf(1, { groups: ['view_user'] }),
      actorOf(1, { groups: ['auditors'] }),
      actorOf(1, { groups: ['auditors","more'] }),
      actorOf(1, { groups: ['auditors', 'more'] }),
    ]
    assert.equal(new Set(actors.map((actor) => keyOf(access, actor))).size, actors.length)
  })

  test('is another as soon as rights change', async () => {
    const { reads } = await makeDesk(rulesOf(OWN_TASKS))
    const total = async (actor: Actor) => JSON.parse(String(await reads.list(actor, 'task', ''))).total
    assert.equal(await total(actorOf(1)), 10)
    assert.equal(await total(actorOf(1, { groups: ['auditors'] })), 30)
    assert.equal(await total(actorOf(1)), 10)
    const author = async (actor: Actor) => JSON.parse(String(await reads.list(actor, 'task', ''))).data[0].owner
    assert.deepEqual(await author(actorOf(1)), { id: 1 })
    assert.equal((await author(actorOf(1, { permissions: VIEW }))).username, 'user1')
    assert.deepEqual(await author(actorOf(1)), { id: 1 })
  })

  test('that is refused or faulty is refused again, also after another actor has asked it', async () => {
    const { reads } = await makeDesk()
    const [may, mayNot] = [actorOf(1, { permissions: VIEW }), actorOf(2, { permissions: ['view_task'] })]
    for (const query of ['filters=owner__username=user1', 'sort_by=owner.username', 'include=owner__username']) {
      for (let time = 0; time < 2; time++) {
        await reads.list(may, 'task', query)
        await assert.rejects(reads.list(mayNot, 'task', query), { code: 'FORBIDDEN' }, query)
      }
    }
    for (let time = 0; time < 2; time++) {
      await assert.rejects(reads.list(may, 'task', 'filters=pionts=1'), { code: 'INVALID_REQUEST' })
      await reads.list(may, 'task', '')
      await assert.rejects(reads.list(actorOf(3), 'task', ''), { code: 'FORBIDDEN' })
    }
  })

  test('and its page are forgotten when there are too many', async () => {
    const { access } = await makeDesk()
    const queries = new PreparedQueries(access, 100_000)
    const first = queries.prepare(SYSTEM, task, '')
    const found = { records: [], total: 0 }
    const nested = { related: new Map(), referrers: new Map() }
    queries.keep(first, { found, nested, records: [], body: Buffer.alloc(1000) })
    assert.equal(queries.prepare(SYSTEM, task, '').last?.body.length, 1000)
    for (let page = 1; page < 50; page++) queries.prepare(SYSTEM, task, `page=${page}`)
    assert.equal(queries.prepare(SYSTEM, task, '').last, undefined, 'many queries')
    queries.keep(first, { found, nested, records: [], body: Buffer.alloc(1_000_000) })
    assert.equal(queries.prepare(SYSTEM, task, '').last, undefined, 'a page that is larger than all')
  })
})
