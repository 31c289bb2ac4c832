import assert from 'node:assert/strict'
import { type Scenario, scenarios } from '../../helpers/api/scenario.ts'
import { ids, modelNotFound } from '../records/expected.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A bad query parameter: shape B, and the details name it. */
const refused = (query: string, parameter: string, details: RegExp = new RegExp(parameter)): Scenario => ({
  name: `refuses ${query}`,
  request: `GET /api/v1/models/post?${query}`,
  status: 400,
  expectPart: { error: 'Invalid request data', status_code: 400 },
  check: ({ json }) => {
    assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
    assert.match(JSON.stringify(json.details), details)
  },
})

scenarios('list', [
  {
    name: 'puts the records of a page into the envelope',
    request: 'GET /api/v1/models/tag?page=2&page_size=2',
    status: 200,
    expect: {
      data: [
        { id: 3, name: 'Sailing', slug: 'sailing', color: '#2b7de9' },
        { id: 4, name: 'Recipes', slug: 'recipes', color: '#c0392b' },
      ],
      total: 12,
      page: 2,
      page_size: 2,
      total_pages: 6,
      has_next: true,
      has_prev: true,
    },
  },
  {
    name: 'returns the first 20 in id order by default',
    request: 'GET /api/v1/models/post',
    status: 200,
    expectPart: { total: 46, page: 1, page_size: 20, total_pages: 3, has_next: true, has_prev: false },
    check: ({ json }) => assert.deepEqual(ids(json), range(1, 20)),
  },
  {
    name: 'has no next page on the last one, which may be short',
    request: 'GET /api/v1/models/post?page=3',
    status: 200,
    expectPart: { total: 46, page: 3, page_size: 20, total_pages: 3, has_next: false, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), range(41, 46)),
  },
  {
    name: 'rounds the number of pages up, and only where something is over',
    request: 'GET /api/v1/models/post?page_size=23',
    status: 200,
    expectPart: { total_pages: 2, has_next: true },
  },
  {
    name: 'returns up to 100',
    request: 'GET /api/v1/models/comment?page_size=100',
    status: 200,
    expectPart: { total: 100, page_size: 100, total_pages: 1, has_next: false, has_prev: false },
    check: ({ json }) => assert.deepEqual(ids(json), range(1, 100)),
  },
  {
    name: 'returns a single record',
    request: 'GET /api/v1/models/comment?page_size=1&page=100',
    status: 200,
    expectPart: { total: 100, page: 100, page_size: 1, total_pages: 100, has_next: false, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), [100]),
  },
  {
    name: 'returns an empty page past the end',
    request: 'GET /api/v1/models/post?page=4',
    status: 200,
    expectPart: { data: [], total: 46, page: 4, page_size: 20, total_pages: 3, has_next: false },
  },
  {
    name: 'has no page of an empty result',
    request: 'GET /api/v1/models/post?filters=title=nothing%20of%20the%20kind',
    status: 200,
    expect: { data: [], total: 0, page: 1, page_size: 20, total_pages: 0, has_next: false, has_prev: false },
  },
  {
    name: 'counts only matching records',
    request: 'GET /api/v1/models/post?filters=status=draft&page_size=2&page=2',
    status: 200,
    expectPart: { total: 5, page: 2, page_size: 2, total_pages: 3, has_next: true, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), [44, 45]),
  },
  {
    name: 'returns each record as a read does',
    request: 'GET /api/v1/models/category?page_size=2',
    status: 200,
    check: ({ json }) =>
      assert.deepEqual(json.data[1], {
        id: 2,
        name: 'Boats & Shipping',
        slug: 'boats-and-shipping',
        description: 'Ferries, freighters, dinghies and everything else that floats',
        parent_id: 1,
        parent: {
          id: 1,
          name: 'Harbour Life',
          slug: 'harbour-life',
          description: 'The quays, the people on them and what they are up to',
          parent_id: null,
          position: 0,
        },
        position: 1,
      }),
  },
  {
    name: 'shows no password',
    request: 'GET /api/v1/models/user',
    status: 200,
    expectPart: { total: 9 },
    check: ({ json, text }) => {
      for (const user of json.data) assert.equal('password' in user, false)
      assert.equal(text.includes('$quick$'), false)
    },
  },
  {
    name: 'has no model that is not there',
    request: 'GET /api/v1/models/spaceship',
    status: 404,
    expect: modelNotFound('spaceship'),
  },
])

scenarios('list with a bad query', [
  refused('page=0', 'page'),
  refused('page=-1', 'page'),
  refused('page=1.5', 'page'),
  refused('page=two', 'page'),
  refused('page=', 'page'),
  refused('page=1e1', 'page'),
  refused('page_size=0', 'page_size'),
  refused('page_size=-5', 'page_size'),
  refused('page_size=101', 'page_size'),
  refused('page_size=2.5', 'page_size'),
  refused('page_size=all', 'page_size'),
  refused('page=1&page=2', 'page'),
  refused('page_size=10&page_size=20', 'page_size'),
  refused('sort_by=id&sort_order=asc&sort_order=desc', 'sort_order'),
  refused('pgae=2', 'pgae', /'page'/),
  refused('filter=status=draft', 'filter', /'filters'/),
  refused('limit=5', 'limit'),
  {
    name: 'names every parameter that is wrong',
    request: 'GET /api/v1/models/post?page=0&page_size=500&sort_by=tilte',
    status: 400,
    check: ({ json }) => assert.deepEqual(Object.keys(json.details).sort(), ['page', 'page_size', 'sort_by']),
  },
])
