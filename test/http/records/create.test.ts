import assert from 'node:assert/strict'
import { scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors, modelNotFound } from './expected.ts'

const TAG = { name: 'Knots', slug: 'knots', color: '#112233' }
const POST = { title: 'A new post', slug: 'a-new-post', body: 'Text', author_id: 3 }
const PASSWORD = 'a-long-enough-password'
const USER = { username: 'new.user', email: 'new.user@example.org', password: PASSWORD }
const MANDATORY = fieldErrors({ data: ['data is mandatory'] })

scenarios('create', [
  {
    name: 'answers 201 with the record and where it is',
    request: 'POST /api/v1/models/tag',
    body: { data: TAG },
    status: 201,
    events: { 'create tag': 1, 'create historyentry': 1 },
    expect: { data: { id: 13, ...TAG } },
    expectHeaders: { location: /\/api\/v1\/models\/tag\/13$/, etag: /^"[^"]+"$/ },
  },
  {
    name: 'stores the record',
    request: 'POST /api/v1/models/tag',
    body: { data: TAG },
    status: 201,
    check: async (_, app) => {
      assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/13'), { id: 13, ...TAG })
      const reopened = await app.reopen()
      assert.deepEqual(await dataOf(reopened, 'GET /api/v1/models/tag/13'), { id: 13, ...TAG })
      await reopened.app.close()
    },
  },
  {
    name: 'fills in defaults, nulls, timestamps and related records',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, tags: [2, 7] } },
    status: 201,
    expectPart: {
      data: {
        ...POST,
        id: 47,
        summary: null,
        status: 'draft',
        rating: null,
        views_count: 0,
        is_featured: false,
        published_at: null,
        category_id: null,
        category: null,
        author: { id: 3, username: 'anna.lind' },
        tags: [
          { id: 2, name: 'Ferries' },
          { id: 7, name: 'Storms' },
        ],
        created_at: '2026-01-15T12:00:00.000Z',
        updated_at: '2026-01-15T12:00:00.000Z',
      },
    },
  },
  {
    name: 'accepts a many-to-many as objects with an id',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, tags: [{ id: 7 }, { id: 2 }] } },
    status: 201,
    check: ({ json }) => assert.deepEqual(new Set(json.data.tags.map(({ id }: { id: number }) => id)), new Set([2, 7])),
  },
  {
    name: 'prefers a value to its default',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, status: 'archived', views_count: 5 } },
    status: 201,
    expectPart: { data: { status: 'archived', views_count: 5 } },
  },
  {
    name: 'accepts a password and does not show it',
    request: 'POST /api/v1/models/user',
    body: { data: USER },
    status: 201,
    expectPart: { data: { id: 10, username: 'new.user' } },
    check: ({ json, text }) => {
      assert.equal('password' in json.data, false)
      assert.equal(text.includes(PASSWORD) || text.includes('$quick$'), false)
    },
  },
  {
    name: 'accepts null for an optional field',
    request: 'POST /api/v1/models/tag',
    body: { data: { ...TAG, color: null } },
    status: 201,
    expectPart: { data: { color: null } },
  },
  { name: 'wants data', request: 'POST /api/v1/models/tag', body: {}, status: 400, expect: MANDATORY },
  {
    name: 'wants data that is not null',
    request: 'POST /api/v1/models/tag',
    body: { data: null },
    status: 400,
    expect: MANDATORY,
  },
  { name: 'rejects bare fields', request: 'POST /api/v1/models/tag', body: TAG, status: 400, expect: MANDATORY },
  { name: 'rejects an array', request: 'POST /api/v1/models/tag', body: [TAG], status: 400, expect: MANDATORY },
  { name: 'rejects a string', request: 'POST /api/v1/models/tag', body: 'data', status: 400, expect: MANDATORY },
  { name: 'wants a body', request: 'POST /api/v1/models/tag', status: 400, expect: MANDATORY },
  {
    name: 'wants data to be an object',
    request: 'POST /api/v1/models/tag',
    body: { data: ['name', 'Knots'] },
    status: 400,
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error), ['data']),
  },
  {
    name: 'reports an unknown field as such',
    request: 'POST /api/v1/models/tag',
    body: { data: { ...TAG, colour: '#112233', weight: 3 } },
    status: 400,
    expect: fieldErrors({ colour: ["Field 'colour' does not exist"], weight: ["Field 'weight' does not exist"] }),
  },
  {
    name: 'rejects id and timestamps',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, id: 99, created_at: '2020-01-01T00:00:00Z', updated_at: '2020-01-01T00:00:00Z' } },
    status: 400,
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error).sort(), ['created_at', 'id', 'updated_at']),
  },
  {
    name: 'rejects the nested record of a foreign key',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, author: { id: 3 } } },
    status: 400,
    expect: fieldErrors({ author: ["Field 'author' does not exist"] }),
  },
  {
    name: 'creates nothing when something is wrong',
    request: 'POST /api/v1/models/tag',
    body: { data: { ...TAG, color: 'blue' } },
    status: 400,
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag?page_size=100')).length, 12),
  },
  {
    name: 'has no model of another name',
    request: 'POST /api/v1/models/spaceship',
    body: { data: {} },
    status: 404,
    expect: modelNotFound('spaceship'),
  },
  {
    name: 'knows a model by its lower-case name alone',
    request: 'POST /api/v1/models/Tag',
    body: { data: TAG },
    status: 404,
    expect: modelNotFound('Tag'),
  },
])
