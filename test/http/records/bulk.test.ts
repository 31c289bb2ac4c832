import assert from 'node:assert/strict'
import { type Scenario, scenarios } from '../../helpers/api/scenario.ts'
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
  {
    name: 'answers 201 with all records, in their order, and how many',
    request: `POST ${PATH}`,
    body: { records: [KNOTS, BENDS] },
    status: 201,
    events: { 'create tag': 2, 'create historyentry': 2 },
    expect: {
      data: [
        { id: 13, ...KNOTS },
        { id: 14, ...BENDS },
      ],
      total: 2,
    },
    check: async (_, app) => assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/14'), { id: 14, ...BENDS }),
  },
  {
    name: 'creates all or nothing, and names each failing field by its place',
    request: `POST ${PATH}`,
    body: { records: [KNOTS, { name: 'Bends', color: 'red', weight: 1 }, { name: 'Ferries', slug: 'x' }] },
    status: 400,
    events: {},
    expect: fieldErrors({
      '1.weight': ["Field 'weight' does not exist"],
      '1.slug': ['slug is mandatory'],
      '1.color': ['color format is invalid'],
      '2.name': ['name must be unique'],
    }),
    check: unchanged,
  },
  {
    name: 'names 10,000 fields that fail, and counts the others',
    request: `POST ${PATH}`,
    body: {
      records: Array.from({ length: 150 }, () => Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`f${index}`, 1]))),
    },
    status: 400,
    check: async (reply, app) => {
      const error: Record<string, string[]> = reply.json.detail.error
      // 98 unknown fields and two mandatory ones of each record.
      assert.deepEqual([Object.keys(error).length, error.more], [10_001, ['5000 more errors are not shown']])
      await unchanged(reply, app)
    },
  },
  {
    name: 'creates nothing when the last record fails in storage',
    request: `POST ${PATH}`,
    body: { records: [KNOTS, BENDS, { name: 'Ferries', slug: 'more-ferries' }] },
    status: 400,
    expect: fieldErrors({ '2.name': ['name must be unique'] }),
    check: unchanged,
  },
  {
    name: 'checks unique values within the batch',
    request: `POST ${PATH}`,
    body: { records: [KNOTS, { ...BENDS, slug: 'knots' }] },
    status: 400,
    check: async (reply, app) => {
      const error: Record<string, string[]> = reply.json.detail.error
      assert.deepEqual(Object.values(error), [['slug must be unique']])
      assert.match(Object.keys(error).join(), /^[01]\.slug$/)
      await unchanged(reply, app)
    },
  },
  {
    name: 'validates every record with the form',
    request: `POST ${PATH}`,
    body: {
      records: [
        { name: 'x', slug: 'x' },
        { ...KNOTS, color: 'red' },
      ],
      form_id: 'TagForm',
    },
    status: 400,
    expect: fieldErrors({
      '0.name': ['name must be at least 2 characters long'],
      '1.color': ['Write the colour as a # and six lower-case hex digits, such as #1f6f8b'],
    }),
    check: unchanged,
  },
  {
    name: 'checks every record against creation_fields',
    request: 'POST /api/v1/models/user/bulk',
    body: {
      records: [{ username: 'nora.berg', email: 'n@example.org', password: 'long-enough-here', is_active: false }],
      form_id: 'UserCreateForm',
    },
    status: 400,
    expect: fieldErrors({ '0.is_active': ["Field 'is_active' is not allowed to be set at creation"] }),
  },
  {
    name: 'shows no password',
    request: 'POST /api/v1/models/user/bulk',
    body: { records: [{ username: 'nora.berg', email: 'n@example.org', password: 'long-enough-here' }] },
    status: 201,
    expectPart: { total: 1 },
    check: ({ json, text }) => {
      assert.equal('password' in json.data[0], false)
      assert.equal(text.includes('long-enough-here') || text.includes('$quick$'), false)
    },
  },
  {
    name: 'accepts a thousand records',
    request: `POST ${PATH}`,
    body: { records: Array.from({ length: 1000 }, (_, index) => ({ name: `Tag ${index}`, slug: `tag-${index}` })) },
    status: 201,
    expectPart: { total: 1000 },
    check: ({ json }) => assert.equal(new Set(ids(json)).size, 1000),
  },
  {
    name: 'rejects more than a thousand',
    request: `POST ${PATH}`,
    body: { records: Array.from({ length: 1001 }, (_, index) => ({ name: `Tag ${index}`, slug: `tag-${index}` })) },
    status: 400,
    check: unchanged,
  },
  {
    name: 'wants records',
    request: `POST ${PATH}`,
    body: { form_id: 'TagForm' },
    status: 400,
    expect: fieldErrors({ records: ['records is mandatory'] }),
  },
  {
    name: 'wants an array of records',
    request: `POST ${PATH}`,
    body: { records: KNOTS },
    status: 400,
    expect: fieldErrors({ records: ['records must be an array'] }),
  },
  { name: 'wants objects', request: `POST ${PATH}`, body: { records: [KNOTS, null, 'x'] }, status: 400, check: unchanged },
  {
    name: 'knows no form of another model',
    request: `POST ${PATH}`,
    body: { records: [KNOTS], form_id: 'PostForm' },
    status: 400,
    check: ({ json }) => assert.equal(typeof json.detail.error, 'string'),
  },
  {
    name: 'knows no other model',
    request: 'POST /api/v1/models/spaceship/bulk',
    body: { records: [] },
    status: 404,
    expect: modelNotFound('spaceship'),
  },
])

scenarios('bulk update', [
  {
    name: 'answers with all records, in the order of the updates, and how many',
    request: `PUT ${PATH}`,
    body: {
      updates: [
        { id: 3, data: { color: '#000003' } },
        { id: 1, data: { name: 'Lights', color: '#000001' } },
      ],
    },
    status: 200,
    events: { 'update tag': 2, 'create historyentry': 2 },
    expect: {
      data: [
        { id: 3, name: 'Sailing', slug: 'sailing', color: '#000003' },
        { id: 1, name: 'Lights', slug: 'lighthouse', color: '#000001' },
      ],
      total: 2,
    },
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag/1')).name, 'Lights'),
  },
  {
    name: 'changes all or nothing, and names each failing field by its place',
    request: `PUT ${PATH}`,
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 2, data: { color: 'red', name: null } },
        { id: 3, data: { slug: 'storms' } },
      ],
    },
    status: 400,
    events: {},
    expect: fieldErrors({
      '1.color': ['color format is invalid'],
      '1.name': ['name is mandatory'],
      '2.slug': ['slug must be unique'],
    }),
    check: unchanged,
  },
  {
    name: 'checks every update against allowed_update_fields',
    request: `PUT ${PATH}`,
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 2, data: { slug: 'boats' } },
      ],
      form_id: 'TagForm',
    },
    status: 400,
    expect: fieldErrors({ '1.slug': ["Field 'slug' is not allowed to be updated"] }),
    check: unchanged,
  },
  {
    name: 'evaluates the rules on each merged record',
    request: 'PUT /api/v1/models/post/bulk',
    body: {
      updates: [
        { id: 1, data: { status: 'draft' } },
        { id: 42, data: { summary: 'Fine' } },
        { id: 43, data: { is_featured: true } },
      ],
      form_id: 'PostForm',
    },
    status: 400,
    expect: fieldErrors({
      '0.published_at': ['Only a published or archived post has a publication date'],
      '2.is_featured': ['Only a published post can be featured on the front page'],
    }),
  },
  {
    name: 'changes nothing when one record is not there',
    request: `PUT ${PATH}`,
    body: {
      updates: [
        { id: 1, data: { name: 'Lights' } },
        { id: 999, data: { name: 'Nothing' } },
      ],
    },
    status: 400,
    check: async (reply, app) => {
      assert.match(JSON.stringify(reply.json.detail.error), /999/)
      await unchanged(reply, app)
    },
  },
  {
    name: 'wants an id and data of each',
    request: `PUT ${PATH}`,
    body: { updates: [{ data: { name: 'Lights' } }, { id: 2 }, { id: 'three', data: {} }] },
    status: 400,
    expect: fieldErrors({
      '0.id': ['id is mandatory'],
      '1.data': ['data is mandatory'],
      '2.id': ['id must be an integer'],
    }),
    check: unchanged,
  },
  {
    name: 'wants updates',
    request: `PUT ${PATH}`,
    body: {},
    status: 400,
    expect: fieldErrors({ updates: ['updates is mandatory'] }),
  },
  {
    name: 'rejects more than a thousand',
    request: `PUT ${PATH}`,
    body: { updates: Array.from({ length: 1001 }, (_, index) => ({ id: index + 1, data: {} })) },
    status: 400,
  },
  {
    name: 'wants a registered model, as a single update does',
    request: 'PUT /api/v1/models/spaceship/bulk',
    body: { updates: [] },
    status: 400,
    check: ({ json }) => assert.match(json.detail.error, /spaceship.*does not exist/),
  },
])

scenarios('bulk delete', [
  {
    name: 'answers with a message, the records that were, and how many',
    request: `DELETE ${PATH}`,
    body: { ids: [2, 1] },
    status: 200,
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
  },
  {
    name: 'names every missing record by index, and deletes none',
    request: `DELETE ${PATH}`,
    body: { ids: [1, 99, 2, 100] },
    status: 400,
    expect: fieldErrors({
      '1.id': ['Record with ID 99 does not exist'],
      '3.id': ['Record with ID 100 does not exist'],
    }),
    check: unchanged,
  },
  {
    name: 'deletes none if one is referenced',
    request: 'DELETE /api/v1/models/user/bulk',
    body: { ids: [9, 3] },
    status: 409,
    events: {},
    check: async ({ json }, app) => {
      assert.match(json.details, /\bpost\b/i)
      assert.match(json.details, /\b10\b/)
      assert.equal((await dataOf(app, 'GET /api/v1/models/user')).length, 9)
    },
  },
  {
    name: 'deletes a record together with those that refer to it',
    request: 'DELETE /api/v1/models/post/bulk',
    body: { ids: [1, 37] },
    status: 200,
    expectPart: { message: '2 records deleted successfully', total: 2 },
    check: async (_, app) => void (await dataOf(app, 'DELETE /api/v1/models/category/1')),
  },
  {
    name: 'wants ids',
    request: `DELETE ${PATH}`,
    body: {},
    status: 400,
    expect: fieldErrors({ ids: ['ids is mandatory'] }),
    check: unchanged,
  },
  {
    name: 'wants an array of ids',
    request: `DELETE ${PATH}`,
    body: { ids: 1 },
    status: 400,
    expect: fieldErrors({ ids: ['ids must be an array'] }),
    check: unchanged,
  },
  {
    name: 'wants integers',
    request: `DELETE ${PATH}`,
    body: { ids: [1, '2'] },
    status: 400,
    expect: fieldErrors({ '1.id': ['id must be an integer'] }),
    check: unchanged,
  },
  {
    name: 'rejects more than a thousand',
    request: `DELETE ${PATH}`,
    body: { ids: Array.from({ length: 1001 }, (_, index) => index + 1) },
    status: 400,
    check: unchanged,
  },
  {
    name: 'knows no other model',
    request: 'DELETE /api/v1/models/spaceship/bulk',
    body: { ids: [1] },
    status: 404,
    expect: modelNotFound('spaceship'),
  },
])
