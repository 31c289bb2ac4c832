import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filterTexts, queryText, sortEntries, withQuery } from '../../src/client/query.ts'
import { splitValues } from '../../src/query/filters.ts'

describe('filters of an object', () => {
  const CASES: readonly (readonly [object, readonly string[]])[] = [
    [{ status: 'draft', views_count__gte: 3, is_featured: false }, ['status=draft', 'views_count__gte=3', 'is_featured=false']],
    [{ author__username__icontains: 'ann' }, ['author__username__icontains=ann']],
    [{ rating: null, title__ne: null }, ['rating__isnull=true', 'title__isnull=false']],
    [{ rating__isnull: false }, ['rating__isnull=false']],
    [{ id__in: [1, 2] }, ['id__in=1,2']],
    [{ name__in: ['a,b', 'say "x"', 'plain'] }, ['name__in="a,b","say ""x""",plain']],
    [{ name__in: 'a,b' }, ['name__in="a,b"']],
    [{ title: undefined }, []],
    [{ title: '' }, ['title=']],
    [{ published_at__lt: new Date(0) }, ['published_at__lt=1970-01-01T00:00:00.000Z']],
  ]
  for (const [filters, texts] of CASES) {
    test(JSON.stringify(filters), () => assert.deepEqual(filterTexts(filters as Record<string, unknown>), texts))
  }

  test('are parsed back to the same values', () => {
    const items = ['', ',', '"', '""', 'a"b,c', ' x ', 'ü\n']
    const [text = ''] = filterTexts({ name__in: items })
    assert.deepEqual(splitValues(text.slice('name__in='.length)), items)
  })

  const FAULTS: readonly (readonly [object, RegExp])[] = [
    [{ id__in: [] }, /'id__in' is an empty list/],
    [{ id: [1, 2] }, /write 'id__in'/],
    [{ rating__gte: null }, /'rating__gte' is null; write '<field>__isnull'/],
    [{ metadata: { a: 1 } }, /'metadata' has a value of type object/],
    [{ id__in: [1, null] }, /'id__in' has the value null/],
  ]
  for (const [filters, message] of FAULTS) {
    test(`${JSON.stringify(filters)} is refused`, () =>
      assert.throws(() => filterTexts(filters as Record<string, unknown>), message))
  }
})

test('orders name fields and directions', () => {
  assert.deepEqual(sortEntries(['-rating', 'title']), [
    ['sort_by', 'rating,title'],
    ['sort_order', 'desc,asc'],
  ])
  assert.deepEqual(sortEntries([]), [])
})

test('a query is encoded, and nothing at all when it is empty', () => {
  assert.equal(queryText([['q', 'a&b=c ü'] as const, ['page', undefined]]), '?q=a%26b%3Dc+%C3%BC')
  assert.equal(queryText([['page', undefined]]), '')
})

test('a path may have a query already', () => {
  assert.equal(withQuery('/search', [['q', 'x']]), '/search?q=x')
  assert.equal(withQuery('/search?q=x', [['page', 2]]), '/search?q=x&page=2')
  assert.equal(withQuery('/search?q=x', []), '/search?q=x')
})
