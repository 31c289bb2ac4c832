import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { type Scenario, send } from '../helpers/api/scenario.ts'

const INSIDE = 'EIO: cannot read /srv/shop/data/journal.7.log'

/** Makes everything that asks the store for tags fail, with an error as a disk makes it. */
function breakTags({ app: { store } }: TestApp): void {
  const fail = () => Object.assign(new Error(INSIDE, { cause: new TypeError('the cause within') }), { path: '/srv/shop/data' })
  const { get, find, transact } = store
  store.get = async (table, ids) => {
    if (table === 'tag') throw fail()
    return get.call(store, table, ids)
  }
  store.find = async (table, plan) => {
    if (table === 'tag') throw fail()
    return find.call(store, table, plan)
  }
  store.transact = async (operations, mode) => {
    if (operations.some(({ table }) => table === 'tag')) throw fail()
    return transact.call(store, operations, mode)
  }
}

const TAG = { name: 'Knots', slug: 'knots' }

const REQUESTS: readonly (readonly [Scenario['request'], unknown?])[] = [
  ['GET /api/v1/models/tag'],
  ['GET /api/v1/models/tag/1'],
  ['POST /api/v1/models/tag', { data: TAG }],
  ['PUT /api/v1/models/tag/1', { data: { name: 'Knots' } }],
  ['DELETE /api/v1/models/tag/1'],
  ['POST /api/v1/models/tag/bulk', { records: [TAG] }],
  ['DELETE /api/v1/models/tag/bulk', { ids: [1] }],
]

describe('a 500 forced inside', () => {
  for (const [request, body] of REQUESTS) {
    test(`${request}: the client learns nothing but an id, under which the log has all of it`, async () => {
      await using app = await openTestApp({ settings: { log: { level: 'error' } } })
      breakTags(app)
      const { status, json, text, headers } = await send(app, { request, ...(body === undefined ? {} : { body }) })
      assert.equal(status, 500)
      assert.deepEqual(json, {
        error: 'Internal server error',
        status_code: 500,
        details: `Request ${json.request_id} failed; the server's log says more`,
        request_id: json.request_id,
      })
      assert.equal(headers['x-request-id'], json.request_id)
      const answer = text + JSON.stringify(headers)
      for (const inside of ['EIO', '/srv', 'journal', 'cause', 'TypeError', '.ts', 'node_modules', '    at ']) {
        assert.ok(!answer.includes(inside), `${inside} in ${answer}`)
      }
      const [line, ...more] = app.logged
      assert.equal(more.length, 0)
      const entry = JSON.parse(line ?? '')
      assert.equal(entry.level, 'error')
      assert.equal(entry.request_id, json.request_id)
      assert.equal(entry.error.message, INSIDE)
      assert.match(entry.error.stack, /failures\.test\.ts/)
      assert.equal(entry.error.cause.message, 'the cause within')
      assert.match(entry.route, /^\/api\/v1\/models\/\{model\}/)
    })
  }

  test('and each has an id of its own', async () => {
    await using app = await openTestApp()
    breakTags(app)
    const ids = new Set<string>()
    for (let count = 0; count < 5; count++) ids.add((await send(app, { request: 'GET /api/v1/models/tag' })).json.request_id)
    assert.equal(ids.size, 5)
  })
})
