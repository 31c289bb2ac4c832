import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, quickHasher, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { play, scenario, scenarios, send } from '../helpers/api/scenario.ts'

const ADMIN = '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n'

async function withApp(options: TestAppOptions, work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp(options)
  await work(app)
}

describe('If-Match with several tags', () => {
  for (const { what, header, status } of [
    { what: 'a weak one before the right one', header: (tag: string) => `W/"x.y", ${tag}`, status: 200 },
    { what: 'others around the right one', header: (tag: string) => `"a.b", ${tag}, W/"c.d"`, status: 200 },
    { what: 'the right one, but weak', header: (tag: string) => `W/${tag}`, status: 200 },
  ]) {
    test(what, () =>
      withApp({}, async (app) => {
        const { headers } = await play(app, { request: 'GET /api/v1/models/tag/1', status: 200 })
        const match = { 'if-match': header(String(headers.etag)) }
        await play(app, { request: 'PUT /api/v1/models/tag/1', headers: match, body: { data: { name: 'Another' } }, status })
      }),
    )
  }
})

scenarios('order of checks', [
  scenario('an unknown model, with any id', 'GET /api/v1/models/nope/abc', 404),
  scenario('no permission, with any id', 'DELETE /api/v1/models/tag/abc', 403, { as: 'newcomer' }),
  scenario('no permission, with any body', 'POST /api/v1/models/tag', 403, { as: 'newcomer', body: [] }),
  scenario('an invalid id', 'GET /api/v1/models/tag/abc', 400),
])

scenarios('bodies that cannot be read', [
  scenario('an invalid content type', 'POST /api/v1/models/tag', 415, { rawBody: '{}', headers: { 'content-type': 'garbage' } }),
  scenario('an unsupported encoding', 'POST /api/v1/models/tag', 415, {
    rawBody: '{"data":{"name":"Sneaky","slug":"sneaky"}}',
    headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
  }),
  scenario('an unsupported encoding on a route without a body', 'GET /api/v1/models/tag', 415, {
    headers: { 'content-encoding': 'br' },
  }),
  scenario('another grant than the one that there is', 'POST /api/v1/auth/token', 400, {
    as: null,
    body: { grant_type: 'client_credentials', username: 'admin', password: 'harbour-admin-2024' },
    expect: { detail: { error: { grant_type: ['grant_type must be password'] } } },
  }),
])

describe('a form', () => {
  const project = (view: string) => ({
    'models/note.yaml':
      'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: n, type: integer }\n  - { name: meta, type: json }\n',
    'views/note.js': view,
    'seed/user.yaml': ADMIN,
    'seed/note.yaml': '- { title: first, meta: { k: 1 } }\n',
  })

  test('gets a copy of the record to look at, so that a refused update changes nothing', () => {
    const validate =
      "(record) => { record.meta.hacked = true; return record.title === 'bad' ? { title: 'bad title' } : undefined }"
    const view = `export default { name: 'F', view_type: 'form', model: 'Note', fields: [{ name: 'title' }], validate: ${validate} }\n`
    return withApp({ files: project(view) }, async (app) => {
      const body = { form_id: 'F', data: { title: 'bad' } }
      await play(app, { request: 'PUT /api/v1/models/note/1', body, status: 400 })
      await play(app, {
        request: 'GET /api/v1/models/note/1',
        status: 200,
        expectPart: { data: { meta: { k: 1 }, title: 'first' } },
      })
      const { json } = await play(app, { request: 'GET /api/v1/models/note/1', status: 200 })
      assert.deepEqual(json.data.meta, { k: 1 })
    })
  })

  test('may write gte as ge', () => {
    const view = "export default { name: 'F', view_type: 'form', model: 'Note', fields: [{ name: 'n', options: { ge: 5 } }] }\n"
    return withApp({ files: project(view) }, async (app) => {
      await play(app, {
        request: 'POST /api/v1/models/note',
        body: { form_id: 'F', data: { n: 1 } },
        status: 400,
        expect: { detail: { error: { n: ['n must be greater than or equal to 5'] } } },
      })
    })
  })
})

test('a password is hashed once a request, however often its update is overtaken', async () => {
  let hashed = 0
  const hasher = {
    ...quickHasher,
    hash: (password: string) => {
      hashed++
      return quickHasher.hash(password)
    },
  }
  await withApp({ hasher }, async (app) => {
    hashed = 0
    const change = (index: number) =>
      send(app, { request: 'PUT /api/v1/models/user/2', body: { data: { password: `a-new-password-${index}` } } })
    const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => change(index)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map(() => 200),
    )
    assert.equal(hashed, 8)
  })
})

test('logging in drops the sessions that have expired', () =>
  withApp({ settings: { jwt: { access_token_minutes: 10, refresh_token_minutes: 10 } } }, async (app) => {
    const login = () =>
      play(app, {
        request: 'POST /api/v1/auth/token',
        as: null,
        body: { username: 'admin', password: 'harbour-admin-2024' },
        status: 200,
      })
    const sessions = async () => {
      const { records } = await app.app.store.find('authsession', { filters: [], sort: [], offset: 0, limit: 10 })
      return records.map(({ id }) => id)
    }
    await login()
    await login()
    assert.deepEqual(await sessions(), [1, 2])
    app.advance(11 * 60_000)
    await login()
    assert.deepEqual(await sessions(), [3])
  }))

test('a browser may read every header that the API speaks of', () =>
  withApp({ settings: { cors: ['http://localhost:5173'] } }, async (app) => {
    const { headers } = await send(app, { request: 'GET /api/v1/models/tag', headers: { origin: 'http://localhost:5173' } })
    const exposed = String(headers['access-control-expose-headers']).split(',')
    for (const name of ['ETag', 'Location', 'Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
      assert.ok(exposed.includes(name), `${name} is not exposed`)
    }
  }))

test('an extended user keeps the fields that logins need', async () => {
  const fields = ['username: string', 'email: email', 'password: password', 'first_name: string', 'last_name: string']
  const more = ['is_active: boolean', 'is_superuser: boolean', 'last_login: datetime']
  const lines = [...fields, ...more].map((field) => `  - { name: ${field.replace(': ', ', type: ')} }`)
  const links = [
    '  - { name: groups, type: many_to_many, model: group }',
    '  - { name: permissions, type: many_to_many, model: permission }',
  ]
  const model = ['name: User', 'timestamps: true', 'fields:', ...lines, ...links].join('\n')
  await assert.rejects(openTestApp({ files: { 'models/user.yaml': model } }), (error: Error) => {
    for (const [name, wanted] of [
      ['username', 'it is required and unique'],
      ['email', 'it is required and unique'],
      ['is_active', 'its default is true'],
      ['is_superuser', 'its default is false'],
    ]) {
      assert.ok(error.message.includes(`must keep its field '${name}': ${wanted}`), `${name}: ${error.message}`)
    }
    return true
  })
})

test('every key of a request is checked against the allow-list', () => {
  const names = Array.from({ length: 1001 }, (_, index) => `f${index}`)
  const fields = names.map((name) => ({ name, type: 'string' }))
  const view = {
    name: 'F',
    view_type: 'form',
    model: 'Wide',
    fields: names.map((name) => ({ name })),
    creation_fields: names.slice(0, -1),
  }
  const files = {
    'models/wide.json': JSON.stringify({ name: 'Wide', fields }),
    'views/wide.json': JSON.stringify(view),
    'seed/user.yaml': ADMIN,
  }
  return withApp({ files }, async (app) => {
    await play(app, {
      request: 'POST /api/v1/models/wide',
      body: { form_id: 'F', data: Object.fromEntries(names.map((name) => [name, 'x'])) },
      status: 400,
      expect: { detail: { error: { f1000: ["Field 'f1000' is not allowed to be set at creation"] } } },
    })
  })
})
