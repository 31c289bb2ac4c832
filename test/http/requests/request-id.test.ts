import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/app.ts'
import { type Scenario, scenarios, send } from '../../helpers/scenario.ts'

const SENT = 'trace-4.7_11'
const headers = { 'x-request-id': SENT }

const answered = (request: Scenario['request'], status: number, more: Partial<Scenario> = {}): Scenario => ({
  name: 'answers with the id that was sent',
  request,
  headers,
  status,
  expectHeaders: { 'x-request-id': SENT },
  ...more,
})

scenarios('a request with an id', [
  answered('GET /api/v1/models/tag', 200),
  answered('GET /api/v1/models/tag/999', 404),
  answered('GET /api/v1/models/tag', 401, { as: null }),
  answered('POST /api/v1/models/tag', 400, { body: { data: {} } }),
  answered('POST /api/v1/models/tag', 415, { rawBody: 'x', headers: { ...headers, 'content-encoding': 'zip' } }),
  answered('GET /admin/api/v1/views/', 200, { as: null }),
  answered('GET /healthz', 200, { as: null }),
  answered('GET /nowhere', 404),
  answered('POST /api/v1/auth/token', 401, { as: null, body: { username: 'x', password: 'y' } }),
])

const refused = (name: string, id: string): Scenario => ({
  name: `ignores ${name}`,
  request: 'GET /api/v1/models/tag',
  headers: { 'x-request-id': id },
  status: 200,
  check: ({ headers: answer }, { logged }) => {
    assert.equal(answer['x-request-id'], undefined)
    const line = logged.find((each) => each.includes('"status":200'))
    assert.match(line ?? '', /"request_id":"[\w-]{22}"/)
  },
})

scenarios('a request with an id that could do harm', [
  refused('an empty one', ''),
  refused('one that is too long', 'a'.repeat(65)),
  refused('one with a space', 'a b'),
  refused('one with a line break', 'a\r\nSet-Cookie: b=c'),
  refused('one with quotes', 'a","level":"error'),
  refused('one with markup', '<script>'),
  refused('one that is not ASCII', 'é'),
  refused('two of them', 'a, b'),
])

describe('the id of a request', () => {
  test('may be 64 characters long', async () => {
    const app = await openTestApp()
    try {
      const id = 'a'.repeat(64)
      const reply = await send(app, { request: 'GET /healthz', headers: { 'x-request-id': id } })
      assert.equal(reply.headers['x-request-id'], id)
    } finally {
      await app.close()
    }
  })

  test('is not returned without X-Request-Id and without a failure', async () => {
    const app = await openTestApp({ settings: { log: { level: 'info' } } })
    try {
      for (const request of ['GET /api/v1/models/tag', 'GET /api/v1/models/tag/999', 'GET /healthz'] as const) {
        assert.equal((await send(app, { request })).headers['x-request-id'], undefined, request)
      }
    } finally {
      await app.close()
    }
  })

  for (const sent of [undefined, SENT]) {
    test(`is the same in the body, the header and the log of a failure, ${sent ?? 'made by us'}`, async () => {
      const app = await openTestApp()
      try {
        await failing(app)
        const reply = await send(app, { request: 'GET /api/v1/models/tag', ...(sent === undefined ? {} : { headers }) })
        assert.equal(reply.status, 500)
        const id = reply.json.request_id
        if (sent === undefined) assert.match(id, /^[\w-]{22}$/)
        else assert.equal(id, sent)
        assert.equal(reply.headers['x-request-id'], id)
        const lines = app.logged.map((line) => JSON.parse(line)).filter((line) => line.request_id === id)
        assert.deepEqual(
          lines.map(({ level }) => level),
          ['error', 'debug'],
        )
        assert.equal(lines[0].error.message, 'the disk is on fire')
      } finally {
        await app.close()
      }
    })
  }
})

async function failing({ app }: TestApp): Promise<void> {
  const { store } = app
  const find = store.find.bind(store)
  store.find = async (table, plan) => {
    if (table === 'tag') throw new Error('the disk is on fire')
    return find(table, plan)
  }
}
