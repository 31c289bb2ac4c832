import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseListQuery, parseReadQuery, parseSearchRequest } from '../../src/query/parse.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { faultsOf, post, registry } from './queries.ts'

const list = (query: string) => parseListQuery(new URLSearchParams(query), post, registry)
const search = (query: string) => {
  const { projection: _, ...request } = parseSearchRequest(new URLSearchParams(query), post, registry)
  return request
}
const read = (query: string) => parseReadQuery(new URLSearchParams(query), post, registry)

const pageRange = "'page' must be an integer 1 or more"
const sizeRange = "'page_size' must be an integer from 1 to 100"

describe('a list', () => {
  test('without parameters: the first twenty by id', () => {
    const { page, plan, projection } = list('')
    assert.deepEqual(page, { page: 1, pageSize: 20 })
    assert.deepEqual(plan, { filters: [], sort: [], offset: 0, limit: 20 })
    assert.equal(projection[0]?.name, 'id')
  })

  test('with all parameters', () => {
    const { page, plan, projection } = list(
      'page=3&page_size=7&fields=title&include=tags__slug&sort_by=views&sort_order=desc&filters=views__gt%3D1&filters=featured%3Dtrue',
    )
    assert.deepEqual(page, { page: 3, pageSize: 7 })
    assert.deepEqual(plan, {
      filters: [
        { field: 'views', operator: 'gt', value: 1 },
        { field: 'featured', operator: 'eq', value: true },
      ],
      sort: [{ field: 'views', order: 'desc' }],
      offset: 14,
      limit: 7,
    })
    assert.deepEqual(valuesOf(projection, 'name'), ['id', 'title', 'tags'])
  })

  const accepted: readonly string[] = ['page=1', 'page=1000000', 'page_size=1', 'page_size=100']
  for (const query of accepted)
    test(`${query} is accepted`, () =>
      assert.deepEqual(
        faultsOf(() => list(query)),
        {},
      ))

  const refused: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['page=0', { page: [`${pageRange}, not '0'`] }],
    ['page=-1', { page: [`${pageRange}, not '-1'`] }],
    ['page=one', { page: [`${pageRange}, not 'one'`] }],
    ['page=1.5', { page: [`${pageRange}, not '1.5'`] }],
    ['page=', { page: [`${pageRange}, not ''`] }],
    ['page_size=0', { page_size: [`${sizeRange}, not '0'`] }],
    ['page_size=101', { page_size: [`${sizeRange}, not '101'`] }],
    ['page=1&page=2', { page: ["'page' is given 2 times; give it once"] }],
    [
      'limit=5',
      {
        limit: [
          "Unknown query parameter 'limit' (known: page, page_size, fields, filters, any, sort_by, sort_order, include, editing)",
        ],
      },
    ],
    ['pagesize=5', { pagesize: ["Unknown query parameter 'pagesize'; did you mean 'page_size'?"] }],
    ['title=x', { title: ["Unknown query parameter 'title'; to filter by it write 'filters=title=…'"] }],
    [
      'page=0&page_size=x&sort_by=titel&fields=boddy&filters=vews%3D1&include=x__y&q=1',
      {
        q: ["Unknown query parameter 'q' (known: page, page_size, fields, filters, any, sort_by, sort_order, include, editing)"],
        page: [`${pageRange}, not '0'`],
        page_size: [`${sizeRange}, not 'x'`],
        filters: ["Unknown field 'vews'; did you mean 'views'?"],
        sort_by: ["Unknown field 'titel'; did you mean 'title'?"],
        fields: ["Unknown field 'boddy'; did you mean 'body'?"],
        include: ["'x__y' must be written <relation>__<field> (relations: author, tags)"],
      },
    ],
  ]
  for (const [query, faults] of refused)
    test(`${query} is refused`, () =>
      assert.deepEqual(
        faultsOf(() => list(query)),
        faults,
      ))
})

describe('a search', () => {
  test('with words only: every field, the first twenty', () => {
    const page = { page: 1, pageSize: 20 }
    assert.deepEqual(search('q=ferry'), {
      q: 'ferry',
      fields: undefined,
      fuzzy: false,
      complete: false,
      page,
      filters: [],
      sort: [],
    })
  })

  test('with all parameters; words are plain text', () => {
    const sent =
      'q=%20%2Btitle:x~1%20*&fields=body,title&fuzzy=true&complete=true&page=2&page_size=5&filters=views__gt%3D1&sort_by=title'
    assert.deepEqual(search(sent), {
      q: ' +title:x~1 *',
      fields: ['body', 'title'],
      fuzzy: true,
      complete: true,
      page: { page: 2, pageSize: 5 },
      filters: [{ field: 'views', operator: 'gt', value: 1 }],
      sort: [{ field: 'title', order: 'asc' }],
    })
  })

  const known = `(known: ${post.searchableFields.map(({ name }) => name).join(', ')})`
  for (const [query, faults] of [
    ['', { q: ["'q' is missing; write what to search for"] }],
    ['q=', { q: ["'q' is empty; write what to search for"] }],
    ['q=%20%09%E3%80%80', { q: ["'q' is empty; write what to search for"] }],
    ['q=a&q=b', { q: ["'q' is given 2 times; give it once"] }],
    ['q=%00', { q: ["'q' holds a character that is no text; write UTF-8, percent-encoded, without NUL"] }],
    ['q=a&fields=titel', { fields: ["Unknown search field 'titel'; did you mean 'title'?"] }],
    ['q=a&fields=views', { fields: [`Unknown search field 'views' ${known}`] }],
    [
      'q=a&fields=id,__proto__,id',
      { fields: [`Unknown search field 'id' ${known}`, `Unknown search field '__proto__' ${known}`] },
    ],
    ['q=a&fields=', { fields: ["'fields' holds an empty name; write names with commas between them"] }],
    ['q=a&fuzzy=yes', { fuzzy: ["'fuzzy' must be true or false, not 'yes'"] }],
    ['q=a&page=0&page_size=101', { page: [`${pageRange}, not '0'`], page_size: [`${sizeRange}, not '101'`] }],
    ['q=a&filters=vews%3D1', { filters: ["Unknown field 'vews'; did you mean 'views'?"] }],
    [
      'query=a&q=a',
      {
        query: [
          "Unknown query parameter 'query' (known: q, fields, fuzzy, complete, page, page_size, filters, any, sort_by, sort_order, include)",
        ],
      },
    ],
  ] as const)
    test(`${query} is refused`, () =>
      assert.deepEqual(
        faultsOf(() => search(query)),
        faults,
      ))
})

describe('a single record', () => {
  test('fields and include', () =>
    assert.deepEqual(valuesOf(read('fields=title,author&include=author__email'), 'name'), ['id', 'title', 'author']))

  for (const name of ['page', 'page_size', 'filters', 'sort_by', 'sort_order', 'q']) {
    test(`${name} is refused`, () => {
      const faults = faultsOf(() => read(`${name}=1`))
      assert.deepEqual(Object.keys(faults), [name])
      assert.ok(faults[name]?.[0]?.startsWith(`Unknown query parameter '${name}'`))
    })
  }
})
