import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { ids } from '../records/expected.ts'
import { refusedQuery as refused } from './refused-query.ts'

const sorted = (name: string, query: string, expected: readonly number[], pageSize = 8): Scenario =>
  scenario(name, `GET /api/v1/models/post?page_size=${pageSize}&${query}`, 200, {
    check: ({ json }) => assert.deepEqual(ids(json), expected),
  })

const UNRATED = [7, 22, 38, 41, 42, 43, 44, 45, 46]
const BY_RATING_DOWN = [
  ...[5, 12, 17, 26, 34, 2, 18, 25, 32, 8, 20, 30, 37, 3, 21, 28, 40, 1, 14, 23, 33, 9, 16, 35, 15, 24, 36],
  ...[10, 31, 4, 29, 11, 27, 6, 13, 19, 39],
]
const BY_RATING_UP = [
  ...[39, 19, 13, 6, 11, 27, 4, 29, 10, 31, 15, 24, 36, 9, 16, 35, 1, 14, 23, 33, 3, 21, 28, 40, 8, 20, 30, 37],
  ...[2, 18, 25, 32, 5, 12, 17, 26, 34],
]

scenarios('sorting', [
  sorted('ascends unless told otherwise', 'sort_by=views_count', [42, 43, 44, 45, 46, 41, 27, 13]),
  sorted('ascends', 'sort_by=views_count&sort_order=asc', [42, 43, 44, 45, 46, 41, 27, 13]),
  sorted('descends', 'sort_by=views_count&sort_order=desc', [18, 33, 25, 8, 34, 5, 12, 32]),
  sorted('puts nulls last ascending, and ties in the order of ids', 'sort_by=rating', [...BY_RATING_UP, ...UNRATED], 100),
  sorted('puts nulls first descending', 'sort_by=rating&sort_order=desc', [...UNRATED, ...BY_RATING_DOWN], 100),
  sorted('sorts by id descending', 'sort_by=id&sort_order=desc', [46, 45, 44, 43, 42, 41, 40, 39]),
  sorted('sorts moments', 'sort_by=published_at&sort_order=asc', [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10, 12], 12),
  sorted('sorts numbers as numbers', 'sort_by=views_count&filters=views_count__gte=900', [39, 4, 38, 6, 10, 24, 40, 16]),
  sorted('sorts days', 'sort_by=event_date&filters=event_date__gte=2024-08-01', [35, 41, 43]),
  sorted('sorts text', 'sort_by=title&filters=title__startswith=The%20', [9, 34, 21, 39, 29, 23]),
  sorted('sorts false before true', 'sort_by=is_featured&sort_order=desc', [5, 18, 25, 26, 34, 1, 2, 3]),
  sorted(
    'sorts by several fields, each in its own order',
    'sort_by=status,rating&sort_order=asc,desc',
    [7, 22, 17, 15, 11, 6, 42, 43, 44, 45, 46, 38],
    12,
  ),
  sorted(
    'sorts by several fields in the order in which they are named',
    'sort_by=is_featured,views_count&sort_order=desc,asc',
    [26, 5, 34, 25, 18, 42, 43, 44],
  ),
  sorted(
    'takes repeated names as names with commas',
    'sort_by=is_featured&sort_by=views_count&sort_order=desc&sort_order=asc',
    [26, 5, 34, 25, 18, 42, 43, 44],
  ),
  sorted('sorts by a foreign key', 'sort_by=author_id&sort_order=desc', [6, 15, 17, 4, 8, 9, 13, 18]),
])

scenarios('sorting by unsortable fields', [
  refused('sort_by=usernme', 'sort_by', /'username'/),
  refused('sort_by=username,frist_name', 'sort_by', /'first_name'/),
  refused('sort_by=password', 'sort_by', /password/),
  refused('sort_by=username&sort_order=down', 'sort_order', /asc.*desc/),
  refused('sort_by=', 'sort_by', /sort_by/),
])

describe('pages of a sorted list', () => {
  test('hold every record once although most tie', async () => {
    await using app = await openTestApp()
    const seen: number[] = []
    for (let page = 1; page <= 7; page++) {
      const { json } = await play(app, {
        request: `GET /api/v1/models/post?sort_by=status&sort_order=desc&page_size=7&page=${page}`,
        status: 200,
      })
      seen.push(...ids(json))
    }
    assert.equal(seen.length, 46)
    assert.equal(new Set(seen).size, 46)
    assert.deepEqual(seen.slice(-6), [6, 7, 11, 15, 17, 22])
  })
})
