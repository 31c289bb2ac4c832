import assert from 'node:assert/strict'
import { scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors, modelNotFound } from './expected.ts'

const TAG = { name: 'Knots', slug: 'knots', color: '#112233' }
const POST = { title: 'A new post', slug: 'a-new-post', body: 'Text', author_id: 3 }
const PASSWORD = 'a-long-enough-password'
const USER = { username: 'new.user', email: 'new.user@example.org', password: PASSWORD }
const MANDATORY = fieldErrors({ data: ['data is mandatory'] })

scenarios('create', [
  scenario('answers 201 with the record and where it is', 'POST /api/v1/models/tag', 201, {
    body: { data: TAG },
    events: { 'create tag': 1, 'create historyentry': 1 },
    expect: { data: { id: 13, ...TAG } },
    expectHeaders: { location: /\/api\/v1\/models\/tag\/13$/, etag: /^"[^"]+"$/ },
  }),
  scenario('stores the record', 'POST /api/v1/models/tag', 201, {
    body: { data: TAG },
    check: async (_, app) => {
      assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/13'), { id: 13, ...TAG })
      const reopened = await app.reopen()
      assert.deepEqual(await dataOf(reopened, 'GET /api/v1/models/tag/13'), { id: 13, ...TAG })
      await reopened.app.close()
    },
  }),
  scenario('fills in defaults, nulls, timestamps and related records', 'POST /api/v1/models/post', 201, {
    body: { data: { ...POST, tags: [2, 7] } },
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
  }),
  scenario('accepts a many-to-many as objects with an id', 'POST /api/v1/models/post', 201, {
    body: { data: { ...POST, tags: [{ id: 7 }, { id: 2 }] } },
    check: ({ json }) => assert.deepEqual(new Set(json.data.tags.map(({ id }: { id: number }) => id)), new Set([2, 7])),
  }),
  scenario('prefers a value to its default', 'POST /api/v1/models/post', 201, {
    body: { data: { ...POST, status: 'archived', views_count: 5 } },
    expectPart: { data: { status: 'archived', views_count: 5 } },
  }),
  scenario('accepts a password and does not show it', 'POST /api/v1/models/user', 201, {
    body: { data: USER },
    expectPart: { data: { id: 10, username: 'new.user' } },
    check: ({ json, text }) => {
      assert.equal('password' in json.data, false)
      assert.equal(text.includes(PASSWORD) || text.includes('$quick$'), false)
    },
  }),
  scenario('accepts null for an optional field', 'POST /api/v1/models/tag', 201, {
    body: { data: { ...TAG, color: null } },
    expectPart: { data: { color: null } },
  }),
  scenario('wants data', 'POST /api/v1/models/tag', 400, { body: {}, expect: MANDATORY }),
  scenario('wants data that is not null', 'POST /api/v1/models/tag', 400, { body: { data: null }, expect: MANDATORY }),
  scenario('rejects bare fields', 'POST /api/v1/models/tag', 400, { body: TAG, expect: MANDATORY }),
  scenario('rejects an array', 'POST /api/v1/models/tag', 400, { body: [TAG], expect: MANDATORY }),
  scenario('rejects a string', 'POST /api/v1/models/tag', 400, { body: 'data', expect: MANDATORY }),
  scenario('wants a body', 'POST /api/v1/models/tag', 400, { expect: MANDATORY }),
  scenario('wants data to be an object', 'POST /api/v1/models/tag', 400, {
    body: { data: ['name', 'Knots'] },
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error), ['data']),
  }),
  scenario('reports an unknown field as such', 'POST /api/v1/models/tag', 400, {
    body: { data: { ...TAG, colour: '#112233', weight: 3 } },
    expect: fieldErrors({ colour: ["Field 'colour' does not exist"], weight: ["Field 'weight' does not exist"] }),
  }),
  scenario('rejects id and timestamps', 'POST /api/v1/models/post', 400, {
    body: { data: { ...POST, id: 99, created_at: '2020-01-01T00:00:00Z', updated_at: '2020-01-01T00:00:00Z' } },
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error).sort(), ['created_at', 'id', 'updated_at']),
  }),
  scenario('rejects the nested record of a foreign key', 'POST /api/v1/models/post', 400, {
    body: { data: { ...POST, author: { id: 3 } } },
    expect: fieldErrors({ author: ["Field 'author' does not exist"] }),
  }),
  scenario('creates nothing when something is wrong', 'POST /api/v1/models/tag', 400, {
    body: { data: { ...TAG, color: 'blue' } },
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag?page_size=100')).length, 12),
  }),
  scenario('has no model of another name', 'POST /api/v1/models/spaceship', 404, {
    body: { data: {} },
    expect: modelNotFound('spaceship'),
  }),
  scenario('knows a model by its lower-case name alone', 'POST /api/v1/models/Tag', 404, {
    body: { data: TAG },
    expect: modelNotFound('Tag'),
  }),
])
