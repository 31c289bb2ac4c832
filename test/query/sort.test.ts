import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSort } from '../../src/query/sort.ts'
import { faultsIn, parametersOf, post, registry } from './queries.ts'

describe('orders', () => {
  const rows: readonly (readonly [string, string[]])[] = [
    ['', []],
    ['sort_by=title', ['title asc']],
    ['sort_by=title&sort_order=asc', ['title asc']],
    ['sort_by=title&sort_order=desc', ['title desc']],
    ['sort_by=views,title', ['views asc', 'title asc']],
    ['sort_by=views,title&sort_order=desc', ['views desc', 'title desc']],
    ['sort_by=views,title&sort_order=desc,asc', ['views desc', 'title asc']],
    ['sort_by=views,title,id&sort_order=asc,desc,desc', ['views asc', 'title desc', 'id desc']],
    ['sort_by= views , title ', ['views asc', 'title asc']],
    ['sort_by=author_id', ['author_id asc']],
    ['sort_by=created_at&sort_order=desc', ['created_at desc']],
    ...['id', 'status', 'rating', 'featured', 'day', 'hour', 'published_at', 'body'].map(
      (name) => [`sort_by=${name}`, [`${name} asc`]] as const,
    ),
  ].map(([query, keys]) => [String(query), [...(keys ?? [])]] as const)
  for (const [query, keys] of rows) {
    test(query || '(nothing)', () => {
      const parameters = parametersOf(query, 'sort_by', 'sort_order')
      assert.deepEqual(
        parseSort(parameters, post, registry).map(({ field, order }) => `${field} ${order}`),
        keys,
      )
      assert.deepEqual(faultsIn(parameters), {})
    })
  }
})

test('a field of the related record', () => {
  const parameters = parametersOf('sort_by=author.username,id&sort_order=desc', 'sort_by', 'sort_order')
  assert.deepEqual(parseSort(parameters, post, registry), [
    { field: 'username', order: 'desc', through: { field: 'author_id', target: 'user' } },
    { field: 'id', order: 'desc' },
  ])
  assert.deepEqual(faultsIn(parameters), {})
})

describe('error messages', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['sort_by=titel', { sort_by: ["Unknown field 'titel'; did you mean 'title'?"] }],
    ['sort_by=secret', { sort_by: ["Unknown field 'secret'"] }],
    ['sort_by=__proto__', { sort_by: ["Unknown field '__proto__'"] }],
    ['sort_by=author', { sort_by: ["Unknown field 'author'; did you mean 'author_id'?"] }],
    ['sort_by=author__', { sort_by: ["Unknown field 'author__'; did you mean 'author_id'?"] }],
    ['sort_by=author__username', { sort_by: ["Unknown field 'author__username'; did you mean 'author.username'?"] }],
    ['sort_by=auther.username', { sort_by: ["Unknown relation 'auther' in 'auther.username'; did you mean 'author'?"] }],
    ['sort_by=author.usernme', { sort_by: ["Unknown field 'usernme'; did you mean 'username'?"] }],
    ['sort_by=author.password', { sort_by: ["Unknown field 'password'"] }],
    ['sort_by=author.groups.name', { sort_by: ["'author.groups.name' goes further than one relation"] }],
    ['sort_by=tags.name', { sort_by: ["'tags.name' refers to many records and cannot be sorted by"] }],
    ['sort_by=tags__name', { sort_by: ["'tags.name' refers to many records and cannot be sorted by"] }],
    ['sort_by=tags', { sort_by: ["A many_to_many field such as 'tags' cannot be sorted by"] }],
    ['sort_by=languages', { sort_by: ["A multichoice field such as 'languages' cannot be sorted by"] }],
    ['sort_by=meta', { sort_by: ["A json field such as 'meta' cannot be sorted by"] }],
    [
      'sort_by=titel,boddy',
      { sort_by: ["Unknown field 'titel'; did you mean 'title'?", "Unknown field 'boddy'; did you mean 'body'?"] },
    ],
    ['sort_by=', { sort_by: ["'sort_by' holds an empty name; write names with commas between them"] }],
    ['sort_by=title,', { sort_by: ["'sort_by' holds an empty name; write names with commas between them"] }],
    ['sort_by=title&sort_by=title', { sort_by: ["'title' is named more than once in sort_by"] }],
    ['sort_by=title,views,title', { sort_by: ["'title' is named more than once in sort_by"] }],
    ['sort_by=title&sort_order=down', { sort_order: ["'sort_order' must be asc or desc, not 'down'"] }],
    ['sort_by=title&sort_order=ASC', { sort_order: ["'sort_order' must be asc or desc, not 'ASC'"] }],
    ['sort_by=title&sort_order=asc,desc', { sort_order: ["'sort_order' names 2 orders for 1 fields in sort_by"] }],
    [
      'sort_by=a,title,views&sort_order=asc,desc',
      { sort_by: ["Unknown field 'a'"], sort_order: ["'sort_order' names 2 orders for 3 fields in sort_by"] },
    ],
    ['sort_order=desc', { sort_order: ["'sort_order' needs 'sort_by'"] }],
  ]
  for (const [query, faults] of rows) {
    test(query, () => {
      const parameters = parametersOf(query, 'sort_by', 'sort_order')
      parseSort(parameters, post, registry)
      assert.deepEqual(faultsIn(parameters), faults)
    })
  }
})
