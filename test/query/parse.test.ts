import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseListQuery, parseReadQuery } from '../../src/query/parse.ts'
import { faultsOf, post, registry } from './queries.ts'

const list = (query: string) => parseListQuery(new URLSearchParams(query), post, registry)
const read = (query: string) => parseReadQuery(new URLSearchParams(query), post, registry)

describe('a list', () => {
  test('nothing asked: the first twenty by id', () => {
    const { page, plan, projection } = list('')
    assert.deepEqual(page, { page: 1, pageSize: 20 })
    assert.deepEqual(plan, { filters: [], sort: [], offset: 0, limit: 20 })
    assert.equal(projection[0]?.name, 'id')
  })

  test('everything asked', () => {
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
    assert.deepEqual(
      projection.map((column) => column.name),
      ['id', 'title', 'tags'],
    )
  })

  const accepted: readonly string[] = ['page=1', 'page=1000000', 'page_size=1', 'page_size=100']
  for (const query of accepted)
    test(`${query} is accepted`, () =>
      assert.deepEqual(
        faultsOf(() => list(query)),
        {},
      ))

  const pageRange = "'page' must be an integer 1 or more"
  const sizeRange = "'page_size' must be an integer from 1 to 100"
  const refused: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['page=0', { page: [`${pageRange}, not '0'`] }],
    ['page=-1', { page: [`${pageRange}, not '-1'`] }],
    ['page=one', { page: [`${pageRange}, not 'one'`] }],
    ['page=1.5', { page: [`${pageRange}, not '1.5'`] }],
    ['page=', { page: [`${pageRange}, not ''`] }],
    ['page_size=0', { page_size: [`${sizeRange}, not '0'`] }],
    ['page_size=101', { page_size: [`${sizeRange}, not '101'`] }],
    ['page=1&page=2', { page: ["'page' is given 2 times; give it once"] }],
    ['limit=5', { limit: ["Unknown query parameter 'limit'"] }],
    ['pagesize=5', { pagesize: ["Unknown query parameter 'pagesize'; did you mean 'page_size'?"] }],
    ['title=x', { title: ["Unknown query parameter 'title'"] }],
    [
      'page=0&page_size=x&sort_by=titel&fields=boddy&filters=vews%3D1&include=x__y&q=1',
      {
        q: ["Unknown query parameter 'q'"],
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

describe('a single record', () => {
  test('fields and include', () => {
    assert.deepEqual(
      read('fields=title,author&include=author__email').map((column) => column.name),
      ['id', 'title', 'author'],
    )
  })

  for (const name of ['page', 'page_size', 'filters', 'sort_by', 'sort_order', 'q']) {
    test(`${name} is refused`, () => {
      const faults = faultsOf(() => read(`${name}=1`))
      assert.deepEqual(Object.keys(faults), [name])
      assert.ok(faults[name]?.[0]?.startsWith(`Unknown query parameter '${name}'`))
    })
  }
})
