import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/app.ts'
import { play, type Scenario, scenarios, send } from '../../helpers/scenario.ts'
import { FORBIDDEN } from '../records/expected.ts'

const FILL = 'POST /api/v1/mock'

const refused = (name: string, body: unknown, error: Record<string, string[]>): Scenario => ({
  name: `${name} is refused, and nothing is created`,
  request: FILL,
  body,
  status: 400,
  expect: { detail: { error } },
  async check(_, { app }) {
    assert.equal((await app.store.status()).records.get('tag'), 12)
  },
})

scenarios('filling the store with mock data', [
  {
    name: 'creates records of the named models in dependency order',
    request: FILL,
    body: { models: ['comment', 'post'], count: 3, seed: 4 },
    status: 201,
    expect: { data: { seed: 4, created: { post: 3, comment: 3 } } },
    async check(_, app) {
      assert.equal((await send(app, { request: 'GET /api/v1/models/post' })).json.total, 49)
    },
  },
  {
    name: 'creates ten records of every model but permission by default',
    request: FILL,
    body: {},
    status: 201,
    check({ json }) {
      const created = { group: 10, user: 10, category: 10, tag: 10, post: 10, comment: 10 }
      assert.deepEqual(json.data.created, created)
      assert.ok(Number.isInteger(json.data.seed), 'there is no seed')
    },
  },
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
    {
      sead: ["Field 'sead' does not exist; did you mean 'seed'?"],
      models: ["There is no model 'tagg'; did you mean 'tag'?"],
    },
  ),
  refused(
    'a model of the server’s own',
    { models: ['authsession', 'tag'] },
    {
      models: ["There is no model 'authsession' (known: user, group, permission, comment, post, category, tag)"],
    },
  ),
  refused(
    'no model',
    { models: [] },
    {
      models: ['models must be an array of names of models; leave it out for every one'],
    },
  ),
  refused('a list', [], { body: ['The request body must be an object'] }),
  {
    name: 'an unknown locale is refused, and the nearest named',
    request: FILL,
    body: { locale: '../de' },
    status: 400,
    check({ json }) {
      assert.match(json.details, /^There is no locale '\.\.\/de'/)
    },
  },
  { name: 'is not for everybody', request: FILL, body: {}, as: null, status: 401 },
  {
    name: 'is rejected for users with all add permissions',
    request: FILL,
    body: {},
    as: 'anna.lind',
    status: 403,
    expect: FORBIDDEN,
  },
])

test('concurrent calls run one after the other, so that unique values stay unique, and other requests are served', async () => {
  const app = await openTestApp()
  try {
    const fill = () => play(app, { request: FILL, body: { models: ['tag'], count: 300, seed: 9 }, status: 201 })
    let done = false
    const both = Promise.all([fill(), fill()]).then(() => {
      done = true
    })
    let served = 0
    for (; !done; served++) await play(app, { request: 'GET /api/v1/models/tag/1', status: 200 })
    await both
    assert.ok(served > 10, `${served} requests were served meanwhile`)
    assert.equal((await app.app.store.status()).records.get('tag'), 612)
  } finally {
    await app.close()
  }
})
