import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { MockFiller } from '../../../src/mock/mock-filler.ts'
import { systemRandom } from '../../../src/util/ids.ts'
import { openTestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { FORBIDDEN } from '../records/expected.ts'

const FILL = 'POST /api/v1/mock'

const refused = (name: string, body: unknown, error: Record<string, string[]>): Scenario =>
  scenario(`${name} is refused, and nothing is created`, FILL, 400, {
    body,
    expect: { detail: { error } },
    async check(_, { app }) {
      assert.equal((await app.store.status()).records.get('tag'), 12)
    },
  })

scenarios('filling the store with mock data', [
  scenario('creates records of the named models in dependency order', FILL, 201, {
    body: { models: ['comment', 'post'], count: 3, seed: 4 },
    expect: { data: { seed: 4, created: { post: 3, comment: 3 } } },
    async check(_, app) {
      assert.equal((await send(app, { request: 'GET /api/v1/models/post' })).json.total, 49)
    },
  }),
  scenario('creates ten records of every model but those of accounts by default', FILL, 201, {
    body: {},
    check({ json }) {
      const created = { category: 10, tag: 10, post: 10, comment: 10, fee: 10 }
      assert.deepEqual(json.data.created, created)
      assert.ok(Number.isInteger(json.data.seed), 'there is no seed')
    },
  }),
  refused('a count of nothing', { count: 0 }, { count: ['count must be an integer from 1 to 10000'] }),
  refused('more than a server makes', { count: 10_001 }, { count: ['count must be an integer from 1 to 10000'] }),
  refused(
    'text',
    { count: '5', seed: 1.5, locale: 7 },
    {
      count: ['count must be an integer from 1 to 10000'],
      seed: ['seed must be an integer from 0 to 4294967295'],
      locale: ['locale must be a string'],
    },
  ),
  refused(
    'what is not there',
    { models: ['tagg'], sead: 1 },
    { sead: ["Field 'sead' does not exist; did you mean 'seed'?"], models: ["There is no model 'tagg'; did you mean 'tag'?"] },
  ),
  refused(
    'a model of the server’s own',
    { models: ['authsession', 'tag'] },
    {
      models: ["There is no model 'authsession' (known: user, group, permission, savedview, comment, fee, post, category, tag)"],
    },
  ),
  refused('no model', { models: [] }, { models: ['models must be an array of names of models; leave it out for every one'] }),
  refused('a list', [], { body: ['The request body must be an object'] }),
  scenario('an unknown locale is refused, and the nearest named', FILL, 400, {
    body: { locale: '../de' },
    check({ json }) {
      assert.match(json.details, /^There is no locale '\.\.\/de'/)
    },
  }),
  scenario('is not for everybody', FILL, 401, { body: {}, as: null }),
  scenario('is rejected for users with all add permissions', FILL, 403, { body: {}, as: 'anna.lind', expect: FORBIDDEN }),
])

test('concurrent calls run one after the other, so that unique values stay unique', async () => {
  await using app = await openTestApp()
  const fill = () => play(app, { request: FILL, body: { models: ['tag'], count: 300, seed: 9 }, status: 201 })
  await Promise.all([fill(), fill()])
  assert.equal((await app.app.store.status()).records.get('tag'), 612)
})

test('other requests are served after each 50 records that are generated', async () => {
  await using app = await openTestApp()
  const { records, store, project } = app.app
  let served = 0
  const pause = async () => {
    await play(app, { request: 'GET /api/v1/models/tag/1', status: 200 })
    served++
  }
  const { registry, forms } = project
  const filler = new MockFiller({ registry, store, records, forms, random: systemRandom, upload: async () => [], pause })
  await filler.request(SYSTEM, { models: ['tag'], count: 300, seed: 9 })
  assert.equal(served, 5)
})

const EVENT = `name: Event
fields:
  - { name: title, type: string, required: true }
  - { name: begins, type: integer }
  - { name: ends, type: integer }
`
const form = (rule: string) => `- name: EventForm
  view_type: form
  model: Event
  fields: [{ name: title, options: { max_length: 12 } }, { name: begins }, { name: ends }]
  creation_fields: [title, begins, ends]
  rules: [{ rule: '${rule}', field: ends, message: An event ends after it begins }]
`

async function fillEvents(rule: string) {
  await using app = await openTestApp({
    files: { 'models/event.yaml': EVENT, 'views/event.yaml': form(rule), 'seed/user.yaml': ADMIN },
  })
  const reply = await send(app, { request: FILL, body: { models: ['event'], count: 100, seed: 1 } })
  return { reply, events: (await send(app, { request: 'GET /api/v1/models/event?page_size=100' })).json.data }
}
const ADMIN = '- { username: admin, email: a@example.com, password: a-good-password, is_superuser: true }\n'

test('mock records obey the limits and rules of the first form that creates records, and are the same for the same seed', async () => {
  const { reply, events } = await fillEvents('self.begins == null || self.ends == null || self.ends > self.begins')
  assert.equal(reply.status, 201)
  assert.equal(events.length, 100)
  for (const { title, begins, ends } of events) {
    assert.ok(title.length <= 12, title)
    assert.ok(begins === null || ends === null || ends > begins, `${begins} to ${ends}`)
  }
  assert.ok(events.some(({ begins, ends }: Record<string, unknown>) => begins !== null && ends !== null))
  assert.deepEqual((await fillEvents('self.begins == null || self.ends == null || self.ends > self.begins')).events, events)
})

test('a form that accepts no mock record is an error with its messages, and nothing is created', async () => {
  const { reply, events } = await fillEvents('self.title == "never"')
  assert.deepEqual([reply.status, events], [400, []])
  assert.match(JSON.stringify(reply.json), /No values that form EventForm accepts .*An event ends after it begins/)
})
