import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { generalError, UNAUTHENTICATED } from '../records/expected.ts'

const TAG = { name: 'Knots', slug: 'knots' }

/** Shape B of this status and error, the details being words. */
const shapeB =
  (status: number, error?: string) =>
  ({ json }: Reply): void => {
    assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
    assert.equal(json.status_code, status)
    assert.ok(typeof json.error === 'string' && json.error !== '')
    assert.ok(typeof json.details === 'string' && json.details !== '')
    if (error !== undefined) assert.equal(json.error, error)
  }

const malformed = (rawBody: string, request: Scenario['request'] = 'POST /api/v1/models/tag'): Scenario =>
  scenario(`is ${JSON.stringify(rawBody)}`, request, 400, {
    rawBody,
    headers: { 'content-type': 'application/json' },
    check: shapeB(400),
  })

scenarios('a body that is malformed JSON', [
  malformed('{"data": '),
  malformed("{'data': {}}"),
  malformed('{"data": {}} trailing'),
  malformed('{"data": {}', 'PUT /api/v1/models/tag/1'),
  malformed('[1,]', 'DELETE /api/v1/models/tag/bulk'),
  malformed('{', 'POST /api/v1/models/tag/bulk'),
  { ...malformed('{"username": ', 'POST /api/v1/auth/token'), as: null },
])

const notJson = (type: string, rawBody: string, request: Scenario['request'] = 'POST /api/v1/models/tag'): Scenario =>
  scenario(`is ${type}`, request, 415, { rawBody, headers: { 'content-type': type }, check: shapeB(415) })

scenarios('a body that is not JSON', [
  notJson('text/plain', JSON.stringify({ data: TAG })),
  notJson('application/xml', '<data/>'),
  notJson('application/x-www-form-urlencoded', 'data=1'),
  notJson('text/csv', 'name,slug', 'PUT /api/v1/models/tag/1'),
  notJson('text/plain', '{"ids": [1]}', 'DELETE /api/v1/models/tag/bulk'),
  { ...notJson('text/plain', 'username=admin', 'POST /api/v1/auth/token'), as: null },
])

scenarios('a body over the limit', { settings: { max_upload_bytes: 1024 } }, [
  scenario('is refused', 'POST /api/v1/models/tag', 413, {
    body: { data: { ...TAG, name: 'x'.repeat(1100) } },
    check: shapeB(413),
  }),
  scenario('is refused on update', 'PUT /api/v1/models/tag/1', 413, {
    body: { data: { name: 'x'.repeat(1100) } },
    check: shapeB(413),
  }),
  scenario('is no body below it', 'POST /api/v1/models/tag', 201, { body: { data: TAG } }),
  scenario('is as unwelcome without a token as any other', 'POST /api/v1/models/tag', 401, {
    as: null,
    body: { data: { ...TAG, name: 'x'.repeat(1100) } },
    expect: UNAUTHENTICATED,
  }),
])

const nothingAt = (request: Scenario['request']): Scenario => scenario('is not found', request, 404, { check: shapeB(404) })

scenarios('a path where nothing is', [
  nothingAt('GET /index.html'),
  nothingAt('GET /api/v1/models'),
  nothingAt('GET /api/v2/models/tag'),
  nothingAt('GET /api/v1/models/tag/1/name'),
  nothingAt('GET /admin'),
  nothingAt('GET /admin/api/v1/views/tag/TagForm'),
])

/** Failed validation in shape B, with the time. */
const unprocessable = (details: Readonly<Record<string, readonly string[]>>) => ({
  error: 'Validation failed',
  status_code: 422,
  details,
  timestamp: '2026-01-15T12:00:00.000Z',
})

scenarios('validation_status 422', { settings: { validation_status: 422 } }, [
  scenario('is for failed validation', 'POST /api/v1/models/tag', 422, {
    body: { data: { name: 'Knots', color: 'red' } },
    expect: unprocessable({ slug: ['slug is mandatory'], color: ['color format is invalid'] }),
  }),
  scenario('is for a storage constraint', 'POST /api/v1/models/tag', 422, {
    body: { data: { name: 'Ferries', slug: 'knots' } },
    expect: unprocessable({ name: ['name must be unique'] }),
  }),
  scenario('is for creation_fields', 'POST /api/v1/models/comment', 422, {
    body: { data: { post_id: 1, body: 'x', is_approved: true }, form_id: 'CommentForm' },
    expect: unprocessable({ is_approved: ["Field 'is_approved' is not allowed to be set at creation"] }),
  }),
  scenario('is for allowed_update_fields', 'PUT /api/v1/models/tag/1', 422, {
    body: { data: { slug: 'knots' }, form_id: 'TagForm' },
    expect: unprocessable({ slug: ["Field 'slug' is not allowed to be updated"] }),
  }),
  scenario('is for a rule', 'PUT /api/v1/models/category/2', 422, {
    body: { data: { parent_id: 2 }, form_id: 'CategoryForm' },
    expect: unprocessable({ parent_id: ['A category cannot be its own parent'] }),
  }),
  scenario('is for bulk operations', 'POST /api/v1/models/tag/bulk', 422, {
    body: { records: [TAG, { name: 'Bends' }] },
    expect: unprocessable({ '1.slug': ['slug is mandatory'] }),
  }),
  scenario('is not for a record that is not there', 'PUT /api/v1/models/user/999', 400, {
    body: { data: { first_name: 'x' } },
    expect: generalError('User with ID 999 does not exist'),
  }),
  scenario('is not for a query', 'GET /api/v1/models/tag?page=0', 400, {
    expectPart: { error: 'Invalid request data', status_code: 400 },
  }),
  malformed('{"data": '),
])

scenarios('validation_status by default', [
  scenario('is 400, in shape A, without a time', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Knots' } },
    expect: { detail: { error: { slug: ['slug is mandatory'] } } },
  }),
])

const SECRET = 'ENOENT: /home/somebody/journal/data/db.json'

/** Makes every access to a table of the store fail with an unexpected error. */
const breakTable = (name: string) => async (app: TestApp) => {
  const { store } = app.app
  const fail = async (): Promise<never> => {
    throw new Error(SECRET)
  }
  const { find, get, transact } = { find: store.find, get: store.get, transact: store.transact }
  Object.assign(store, {
    find: (table: string, plan: Parameters<typeof find>[1]) => (table === name ? fail() : find.call(store, table, plan)),
    get: (table: string, wanted: readonly number[]) => (table === name ? fail() : get.call(store, table, wanted)),
    transact: (operations: Parameters<typeof transact>[0], mode?: Parameters<typeof transact>[1]) =>
      operations.some(({ table }) => table === name) ? fail() : transact.call(store, operations, mode),
  })
}

/** A fault of our own: a fixed sentence and a request id, and nothing from inside. */
const checkInternal = ({ json, text }: Reply): void => {
  assert.equal(json.error, 'Internal server error')
  assert.equal(json.status_code, 500)
  assert.equal(typeof json.details, 'string')
  assert.deepEqual(
    Object.keys(json).filter((name) => !['error', 'status_code', 'details', 'request_id', 'timestamp'].includes(name)),
    [],
  )
  assert.ok(typeof json.request_id === 'string' && json.request_id.length > 8)
  for (const inside of ['ENOENT', 'home', 'journal', 'db.json', 'Error:', '.ts', '.js', 'node_modules', '    at ']) {
    assert.equal(text.includes(inside), false, inside)
  }
}

const broken = (request: Scenario['request'], body?: unknown): Scenario =>
  scenario('reveals nothing internal', request, 500, {
    given: breakTable('tag'),
    ...(body === undefined ? {} : { body }),
    check: (reply, app) => {
      checkInternal(reply)
      assert.equal(app.reported.length, 1)
      assert.match(String(app.reported[0]), /ENOENT/)
    },
  })

scenarios('a fault of our own', [
  broken('GET /api/v1/models/tag'),
  broken('GET /api/v1/models/tag/1'),
  broken('POST /api/v1/models/tag', { data: TAG }),
  broken('PUT /api/v1/models/tag/1', { data: { name: 'Knots' } }),
  broken('DELETE /api/v1/models/tag/1'),
  broken('POST /api/v1/models/tag/bulk', { records: [TAG] }),
  broken('PUT /api/v1/models/tag/bulk', { updates: [{ id: 1, data: { name: 'Knots' } }] }),
  broken('DELETE /api/v1/models/tag/bulk', { ids: [1] }),
  ...(['GET /admin/api/v1/views/', 'GET /admin/api/v1/views/tag/'] as const).map(
    (request): Scenario =>
      scenario('in the Views API reveals nothing internal', request, 500, {
        given: async (app) => {
          const fail = () => {
            throw new Error(SECRET)
          }
          Object.assign(app.app.views, { all: fail, of: fail })
        },
        as: null,
        check: checkInternal,
      }),
  ),
])

describe('a change that cannot be stored', () => {
  test('is rejected without internal details, and not applied', async () => {
    await using app = await openTestApp()
    const { store } = app.app
    const { transact } = store
    store.transact = async () => {
      const cause = new Error('ENOSPC: no space left on device')
      throw new AppError('STORE_UNAVAILABLE', 'The change could not be written to disk; nothing was changed', { cause })
    }
    await play(app, {
      request: 'POST /api/v1/models/tag',
      body: { data: TAG },
      status: 503,
      expectPart: {
        error: 'Storage unavailable',
        status_code: 503,
        details: 'The change could not be written to disk; nothing was changed',
      },
      check: ({ json, headers }) => {
        assert.deepEqual(Object.keys(json), ['error', 'status_code', 'details', 'request_id'])
        assert.equal(headers['x-request-id'], json.request_id)
      },
    })
    assert.equal(app.reported.length, 1)
    await play(app, { request: 'GET /api/v1/models/tag', status: 200, expectPart: { total: 12 } })
    store.transact = transact
    await play(app, { request: 'POST /api/v1/models/tag', body: { data: TAG }, status: 201 })
  })
})
