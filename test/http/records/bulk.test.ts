import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors, ids, modelNotFound } from './expected.ts'

const KNOTS = { name: 'Knots', slug: 'knots', color: '#112233' }
const BENDS = { name: 'Bends', slug: 'bends', color: null }
const PATH = '/api/v1/models/tag/bulk' as const

const unchanged: Scenario['check'] = async (_, app) => {
  const tags = await dataOf(app, 'GET /api/v1/models/tag?page_size=100')
  assert.equal(tags.length, 12)
  assert.deepEqual(tags[0], { id: 1, name: 'Lighthouse', slug: 'lighthouse', color: '#d9822b' })
}

scenarios('bulk create', [
  scenario('answers 201 with all records, in their order, and how many', `POST ${PATH}`, 201, {
    body: { records: [KNOTS, BENDS] },
    events: { 'create tag': 2, 'create historyentry': 2 },
    expect: {
      data: [
        { id: 13, ...KNOTS },
        { id: 14, ...BENDS },
      ],
      total: 2,
    },
    check: async (_, app) => assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/14'), { id: 14, ...BENDS }),
  }),
  scenario('creates all or nothing, and names each failing field by its place', `POST ${PATH}`, 400, {
    body: { records: [KNOTS, { name: 'Bends', color: 'red', weight: 1 }, { name: 'Ferries', slug: 'x' }] },
    events: {},
    expect: fieldErrors({
      '1.weight': ["Field 'weight' does not exist"],
      '1.slug': ['slug is mandatory'],
      '1.color': ['color format is invalid'],
      '2.name': ['name must be unique'],
    }),
    check: unchanged,
  }),
  scenario('names 10,000 fields that fail, and counts the others', `POST ${PATH}`, 400, {
    body: {
      records: Array.from({ length: 150 }, () => Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`f${index}`, 1]))),
    },
    check: async (reply, app) => {
      const error: Record<string, string[]> = reply.json.detail.error
      // 98 unknown fields and two mandatory ones of each record.
      assert.deepEqual([Object.keys(error).length, error.more], [10_001, ['5000 more errors are not shown']])
      await unchanged(reply, app)
    },
  }),
  scenario('creates nothing when the last record fails in storage', `POST ${PATH}`, 400, {
    body: { records: [KNOTS, BENDS, { name: 'Ferries', slug: 'more-ferries' }] },
    expect: fieldErrors({ '2.name': ['name must be unique'] }),
    check: unchanged,
  }),
  scenario('checks unique values within the batch', `POST ${PATH}`, 400, {
    body: { records: [KNOTS, { ...BENDS, slug: 'knots' }] },
    check: async (reply, app) => {
      const error: Record<string, string[]> = reply.json.detail.error
      assert.deepEqual(Object.values(error), [['slug must be unique']])
      assert.match(Object.keys(error).join(), /^[01]\.slug$/)
      await unchanged(reply, app)
    },
  }),
  scenario('validates every record with the form', `POST ${PATH}`, 400, {
    body: {
      records: [
        { name: 'x', slug: 'x' },
        { ...KNOTS, color: 'red' },
      ],
      form_id: 'TagForm',
    },
    expect: fieldErrors({
      '0.name': ['name must be at least 2 characters long'],
      '1.color': ['Write the colour as a # and six lower-case hex digits, such as #1f6f8b'],
    }),
    check: unchanged,
  }),
  scenario('checks every record against creation_fields', 'POST /api/v1/models/user/bulk', 400, {
    body: {
      records: [{ username: 'nora.berg', email: 'n@example.org', password: 'long-enough-here', is_active: false }],
      form_id: 'UserCreateForm',
    },
    expect: fieldErrors({ '0.is_active': ["Field 'is_active' is not allowed to be set at creation"] }),
  }),
  scenario('shows no password', 'POST /api/v1/models/user/bulk', 201, {
    body: { records: [{ username: 'nora.berg', email: 'n@example.org', password: 'long-enough-here' }] },
    expectPart: { total: 1 },
    check: ({ json, text }) => {
      assert.equal('password' in json.data[0], false)
      assert.equal(text.includes('long-enough-here') || text.includes('$quick$'), false)
    },
  }),
  scenario('accepts a thousand records', `POST ${PATH}`, 201, {
    body: { records: Array.from({ length: 1000 }, (_, index) => ({ name: `Tag ${index}`, slug: `tag-${index}` })) },
    expectPart: { total: 1000 },
    check: ({ json }) => assert.equal(new Set(ids(json)).size, 1000),
  }),
  scenario('rejects more than a thousand', `POST ${PATH}`, 400, {
    body: { records: Array.from({ length: 1001 }, (_, index) => ({ name: `Tag ${index}`, slug: `tag-${index}` })) },
    check: unchanged,
  }),
  scenario('wants records', `POST ${PATH}`, 400, {
    body: { form_id: 'TagForm' },
    expect: fieldErrors({ records: ['records is mandatory'] }),
  }),
  scenario('wants an array of records', `POST ${PATH}`, 400, {
    body: { records: KNOTS },
    expect: fieldErrors({ records: ['records must be an array'] }),
  }),
  scenario('wants objects', `POST ${PATH}`, 400, { body: { records: [KNOTS, null, 'x'] }, check: unchanged }),
  scenario('knows no form of another model', `POST ${PATH}`, 400, {
    body: { records: [KNOTS], form_id: 'PostForm' },
    check: ({ json }) => assert.equal(typeof json.detail.error, 'string'),
  }),
  scenario('knows no other model', 'POST /api/v1/models/spaceship/bulk', 404, {
    body: { records: [] },
    expect: modelNotFound('spaceship'),
  }),
])

scenarios('bulk update', [
  scenario('answers with all records, in the order of the updates, and how many', `PUT ${PATH}`, 200, {
    body: {
      updates: [
        { id: 3, data: { color: '#000003' } },
        { id: 1, data: { name: 'Lights', color: '#000001' } },
      ],
    },
    events: { 'update tag': 2, 'create historyentry': 2 },
    expect: {
      data: [
        { id: 3, name: 'Sailing', slug: 'sailing', color: '#000003' },
        { id: 1, name: 'Lights', slug: 'lighthouse', color: '#000001' },
      ],
      total: 2,
    },
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag/1')).name, 'Lights'),
  }),
  scenario('changes all or nothing, and names each failing field by its place', `PUT ${PATH}`, 400, {
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 2, data: { color: 'red', name: null } },
        { id: 3, data: { slug: 'storms' } },
      ],
    },
    events: {},
    expect: fieldErrors({
      '1.color': ['color format is invalid'],
      '1.name': ['name is mandatory'],
      '2.slug': ['slug must be unique'],
    }),
    check: unchanged,
  }),
  scenario('checks every update against allowed_update_fields', `PUT ${PATH}`, 400, {
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 2, data: { slug: 'boats' } },
      ],
      form_id: 'TagForm',
    },
    expect: fieldErrors({ '1.slug': ["Field 'slug' is not allowed to be updated"] }),
    check: unchanged,
  }),
  scenario('evaluates the rules on each merged record', 'PUT /api/v1/models/post/bulk', 400, {
    body: {
      updates: [
        { id: 1, data: { status: 'draft' } },
        { id: 42, data: { summary: 'Fine' } },
        { id: 43, data: { is_featured: true } },
      ],
      form_id: 'PostForm',
    },
    expect: fieldErrors({
      '0.published_at': ['Only a published or archived post has a publication date'],
      '2.is_featured': ['Only a published post can be featured on the front page'],
    }),
  }),
  scenario('changes nothing when one record is not there', `PUT ${PATH}`, 400, {
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 999, data: { name: 'Nothing' } },
      ],
    },
    check: async (reply, app) => {
      assert.match(JSON.stringify(reply.json.detail.error), /999/)
      await unchanged(reply, app)
    },
  }),
  scenario('answers with the entity tags of the records on request', `PUT ${PATH}`, 200, {
    body: { filters: ['id__in=1,3'], expected_total: 2, data: { color: '#000003' }, etags: true },
    check: async ({ json }, app) => {
      const versions = await Promise.all([1, 3].map((id) => send(app, { request: `GET /api/v1/models/tag/${id}`, as: 'admin' })))
      assert.deepEqual(
        json.etags,
        versions.map(({ headers }) => String(headers.etag).replace(/\.[^"]*/, '')),
      )
    },
  }),
  scenario('names each record that has another version than its if_match', `PUT ${PATH}`, 400, {
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' }, if_match: '*' },
        { id: 2, data: { name: 'Boats' }, if_match: '"another"' },
        { id: 3, data: { name: 'Sails' } },
      ],
    },
    expect: fieldErrors({ '1.if_match': ['Tag with ID 2 has changed since it was read; read it again and retry'] }),
    check: unchanged,
  }),
  scenario('wants entity tags in their quotes', `PUT ${PATH}`, 400, {
    body: { updates: [3, '12.1', ''].map((if_match, index) => ({ id: index + 1, data: { name: 'Lights' }, if_match })) },
    expect: fieldErrors(
      Object.fromEntries(
        [0, 1, 2].map((index) => [`${index}.if_match`, ['if_match must be an entity tag in its quotes, as ETag gives it, or *']]),
      ),
    ),
    check: unchanged,
  }),
  scenario('wants an id and data of each', `PUT ${PATH}`, 400, {
    body: { updates: [{ data: { name: 'Lights' } }, { id: 2 }, { id: 'three', data: {} }] },
    expect: fieldErrors({ '0.id': ['id is mandatory'], '1.data': ['data is mandatory'], '2.id': ['id must be an integer'] }),
    check: unchanged,
  }),
  scenario('wants updates', `PUT ${PATH}`, 400, { body: {}, expect: fieldErrors({ updates: ['updates is mandatory'] }) }),
  scenario('rejects more than a thousand', `PUT ${PATH}`, 400, {
    body: { updates: Array.from({ length: 1001 }, (_, index) => ({ id: index + 1, data: {} })) },
  }),
  scenario('wants a registered model, as a single update does', 'PUT /api/v1/models/spaceship/bulk', 400, {
    body: { updates: [] },
    check: ({ json }) => assert.match(json.detail.error, /spaceship.*does not exist/),
  }),
])

scenarios('bulk delete', [
  scenario('answers with a message, the records that were, and how many', `DELETE ${PATH}`, 200, {
    body: { ids: [2, 1] },
    expect: {
      message: '2 records deleted successfully',
      data: [
        { id: 2, name: 'Ferries', slug: 'ferries', color: '#1f6f8b' },
        { id: 1, name: 'Lighthouse', slug: 'lighthouse', color: '#d9822b' },
      ],
      total: 2,
    },
    check: async (_, app) => {
      assert.equal((await dataOf(app, 'GET /api/v1/models/tag')).length, 10)
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/post/4')).tags, [{ id: 9, name: 'Photography' }])
    },
  }),
  scenario('names every missing record by index, and deletes none', `DELETE ${PATH}`, 400, {
    body: { ids: [1, 99, 2, 100] },
    expect: fieldErrors({ '1.id': ['Record with ID 99 does not exist'], '3.id': ['Record with ID 100 does not exist'] }),
    check: unchanged,
  }),
  scenario('deletes none if one is referenced', 'DELETE /api/v1/models/user/bulk', 409, {
    body: { ids: [9, 3] },
    events: {},
    check: async ({ json }, app) => {
      assert.match(json.details, /\bpost\b/i)
      assert.match(json.details, /\b10\b/)
      assert.equal((await dataOf(app, 'GET /api/v1/models/user')).length, 9)
    },
  }),
  scenario('deletes a record together with those that refer to it', 'DELETE /api/v1/models/post/bulk', 200, {
    body: { ids: [1, 37] },
    expectPart: { message: '2 records deleted successfully', total: 2 },
    check: async (_, app) => void (await dataOf(app, 'DELETE /api/v1/models/category/1')),
  }),
  scenario('wants ids', `DELETE ${PATH}`, 400, {
    body: {},
    expect: fieldErrors({ ids: ['ids is mandatory'] }),
    check: unchanged,
  }),
  scenario('wants an array of ids', `DELETE ${PATH}`, 400, {
    body: { ids: 1 },
    expect: fieldErrors({ ids: ['ids must be an array'] }),
    check: unchanged,
  }),
  scenario('wants integers', `DELETE ${PATH}`, 400, {
    body: { ids: [1, '2'] },
    expect: fieldErrors({ '1.id': ['id must be an integer'] }),
    check: unchanged,
  }),
  scenario('rejects more than a thousand', `DELETE ${PATH}`, 400, {
    body: { ids: Array.from({ length: 1001 }, (_, index) => index + 1) },
    check: unchanged,
  }),
  scenario('knows no other model', 'DELETE /api/v1/models/spaceship/bulk', 404, {
    body: { ids: [1] },
    expect: modelNotFound('spaceship'),
  }),
])
