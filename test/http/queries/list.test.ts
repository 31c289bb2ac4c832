import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { ids, modelNotFound } from '../records/expected.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A bad query parameter: shape B, and the details name it. */
const refused = (query: string, parameter: string, details: RegExp = new RegExp(parameter)): Scenario =>
  scenario(`refuses ${query}`, `GET /api/v1/models/post?${query}`, 400, {
    expectPart: { error: 'Invalid request data', status_code: 400 },
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
      assert.match(JSON.stringify(json.details), details)
    },
  })

scenarios('list', [
  scenario('puts the records of a page into the envelope', 'GET /api/v1/models/tag?page=2&page_size=2', 200, {
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
  }),
  scenario('returns the first 20 in id order by default', 'GET /api/v1/models/post', 200, {
    expectPart: { total: 46, page: 1, page_size: 20, total_pages: 3, has_next: true, has_prev: false },
    check: ({ json }) => assert.deepEqual(ids(json), range(1, 20)),
  }),
  scenario('has no next page on the last one, which may be short', 'GET /api/v1/models/post?page=3', 200, {
    expectPart: { total: 46, page: 3, page_size: 20, total_pages: 3, has_next: false, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), range(41, 46)),
  }),
  scenario('rounds the number of pages up, and only where something is over', 'GET /api/v1/models/post?page_size=23', 200, {
    expectPart: { total_pages: 2, has_next: true },
  }),
  scenario('returns up to 100', 'GET /api/v1/models/comment?page_size=100', 200, {
    expectPart: { total: 100, page_size: 100, total_pages: 1, has_next: false, has_prev: false },
    check: ({ json }) => assert.deepEqual(ids(json), range(1, 100)),
  }),
  scenario('returns a single record', 'GET /api/v1/models/comment?page_size=1&page=100', 200, {
    expectPart: { total: 100, page: 100, page_size: 1, total_pages: 100, has_next: false, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), [100]),
  }),
  scenario('returns an empty page past the end', 'GET /api/v1/models/post?page=4', 200, {
    expectPart: { data: [], total: 46, page: 4, page_size: 20, total_pages: 3, has_next: false },
  }),
  scenario('has no page of an empty result', 'GET /api/v1/models/post?filters=title=nothing%20of%20the%20kind', 200, {
    expect: { data: [], total: 0, page: 1, page_size: 20, total_pages: 0, has_next: false, has_prev: false },
  }),
  scenario('counts only matching records', 'GET /api/v1/models/post?filters=status=draft&page_size=2&page=2', 200, {
    expectPart: { total: 5, page: 2, page_size: 2, total_pages: 3, has_next: true, has_prev: true },
    check: ({ json }) => assert.deepEqual(ids(json), [44, 45]),
  }),
  scenario('returns each record as a read does', 'GET /api/v1/models/category?page_size=2', 200, {
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
  }),
  scenario('shows no password', 'GET /api/v1/models/user', 200, {
    expectPart: { total: 9 },
    check: ({ json, text }) => {
      for (const user of json.data) assert.equal('password' in user, false)
      assert.equal(text.includes('$quick$'), false)
    },
  }),
  scenario('has no model that is not there', 'GET /api/v1/models/spaceship', 404, { expect: modelNotFound('spaceship') }),
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
  scenario('names every parameter that is wrong', 'GET /api/v1/models/post?page=0&page_size=500&sort_by=tilte', 400, {
    check: ({ json }) => assert.deepEqual(Object.keys(json.details).sort(), ['page', 'page_size', 'sort_by']),
  }),
])
