import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupText } from '../../src/client/query.ts'
import { parseFilters } from '../../src/query/filters.ts'
import type { Filter } from '../../src/query/plan.ts'
import type { Json } from '../../src/util/json.ts'
import { faultsIn, filtersQuery, parametersOf, post, registry } from './queries.ts'

function parse(...filters: readonly string[]): { filters: Filter[]; faults: readonly string[] } {
  const parameters = parametersOf(filtersQuery(...filters), 'filters')
  return { filters: parseFilters(parameters, post, registry), faults: faultsIn(parameters).filters ?? [] }
}

describe('operators', () => {
  const rows: readonly (readonly [string, string, Json])[] = [
    ['title=Hello', 'eq', 'Hello'],
    ['title=', 'eq', ''],
    ['title=a=b', 'eq', 'a=b'],
    ['title= x ', 'eq', ' x '],
    ['title__ne=Hello', 'ne', 'Hello'],
    ['title__icontains=ELL', 'icontains', 'ELL'],
    ['title__startswith=He', 'startswith', 'He'],
    ['title__endswith=lo', 'endswith', 'lo'],
    ['title__gt=H', 'gt', 'H'],
    ['views__gt=3', 'gt', 3],
    ['views__gte=-3', 'gte', -3],
    ['views__lt=0', 'lt', 0],
    ['views__lte=9007199254740991', 'lte', 9007199254740991],
    ['rating=4.5', 'eq', 4.5],
    ['rating__lt=1e2', 'lt', 100],
    ['featured=true', 'eq', true],
    ['featured__ne=false', 'ne', false],
    ['day__gte=2024-02-29', 'gte', '2024-02-29'],
    ['hour=18:30', 'eq', '18:30:00'],
    ['published_at__lt=2024-05-01', 'lt', '2024-05-01T00:00:00.000Z'],
    ['published_at=2024-05-01T10:30:00+02:00', 'eq', '2024-05-01T08:30:00.000Z'],
    ['status=draft', 'eq', 'draft'],
    ['status__startswith=pub', 'startswith', 'pub'],
    ['status__ne=draft', 'ne', 'draft'],
    ['status__icontains=raf', 'icontains', 'raf'],
    ['status__endswith=ed', 'endswith', 'ed'],
    ['status__gt=e', 'gt', 'e'],
    ['languages__ne=de', 'ne', 'de'],
    ['languages=en', 'eq', 'en'],
    ['id=7', 'eq', 7],
    ['id__gte=7', 'gte', 7],
    ['author_id=3', 'eq', 3],
    ['tags=3', 'eq', 3],
    ['tags__ne=3', 'ne', 3],
    ['created_at__gt=2024-01-01T00:00:00Z', 'gt', '2024-01-01T00:00:00.000Z'],
    ['body__isnull=true', 'isnull', true],
    ['body__isnull=false', 'isnull', false],
    ['meta__isnull=true', 'isnull', true],
    ['tags__isnull=true', 'isnull', true],
  ]
  for (const [text, operator, value] of rows) {
    test(text, () => {
      const field = text.split(/=|__/)[0]
      assert.deepStrictEqual(parse(text), { filters: [{ field, operator, value }], faults: [] })
    })
  }
})

describe('lists of values', () => {
  const rows: readonly (readonly [string, string, Json[]])[] = [
    ['title__in=a', 'title', ['a']],
    ['title__in=a,b,c', 'title', ['a', 'b', 'c']],
    ['title__in="Hello, world",b', 'title', ['Hello, world', 'b']],
    ['title__in="say ""hi""",b', 'title', ['say "hi"', 'b']],
    ['title__in=', 'title', ['']],
    ['title__in=a,,b', 'title', ['a', '', 'b']],
    ['views__in=1,2,-3', 'views', [1, 2, -3]],
    ['id__in=1,2', 'id', [1, 2]],
    ['tags__in=1,2', 'tags', [1, 2]],
    ['author_id__in=3,4', 'author_id', [3, 4]],
    ['featured__in=true,false', 'featured', [true, false]],
    ['day__in=2024-01-01,2024-02-29', 'day', ['2024-01-01', '2024-02-29']],
    ['languages__in=en,de', 'languages', ['en', 'de']],
  ]
  for (const [text, field, values] of rows) {
    test(text, () => assert.deepStrictEqual(parse(text), { filters: [{ field, operator: 'in', values }], faults: [] }))
  }
})

describe('through a relation', () => {
  const rows: readonly (readonly [string, Filter])[] = [
    ['author__username=ann', { field: 'author_id', target: 'user', filter: { field: 'username', operator: 'eq', value: 'ann' } }],
    [
      'author__username__icontains=ann',
      { field: 'author_id', target: 'user', filter: { field: 'username', operator: 'icontains', value: 'ann' } },
    ],
    ['author__id__in=1,2', { field: 'author_id', target: 'user', filter: { field: 'id', operator: 'in', values: [1, 2] } }],
    [
      'author__is_active=true',
      { field: 'author_id', target: 'user', filter: { field: 'is_active', operator: 'eq', value: true } },
    ],
    [
      'author__last_login__isnull=true',
      { field: 'author_id', target: 'user', filter: { field: 'last_login', operator: 'isnull', value: true } },
    ],
    ['author__groups=2', { field: 'author_id', target: 'user', filter: { field: 'groups', operator: 'eq', value: 2 } }],
    ['tags__name=news', { field: 'tags', target: 'tag', filter: { field: 'name', operator: 'eq', value: 'news' } }],
    ['tags__name__in="a,b",c', { field: 'tags', target: 'tag', filter: { field: 'name', operator: 'in', values: ['a,b', 'c'] } }],
    [
      'author__groups__name__ne=staff',
      {
        field: 'author_id',
        target: 'user',
        filter: { field: 'groups', target: 'group', filter: { field: 'name', operator: 'ne', value: 'staff' } },
      },
    ],
    ['tags__parent_id=4', { field: 'tags', target: 'tag', filter: { field: 'parent_id', operator: 'eq', value: 4 } }],
  ]
  for (const [text, filter] of rows) test(text, () => assert.deepStrictEqual(parse(text), { filters: [filter], faults: [] }))
})

test('several filters keep their order', () => {
  const { filters, faults } = parse('title=a', 'views__gt=1', 'views__lt=9', 'author__username=ann')
  assert.deepEqual(faults, [])
  assert.deepEqual(
    filters.map((filter) => 'field' in filter && filter.field),
    ['title', 'views', 'views', 'author_id'],
  )
})

test('no filters', () => assert.deepEqual(parse(), { filters: [], faults: [] }))

describe('groups', () => {
  function parseAny(...groups: readonly string[]): { filters: Filter[]; faults: readonly string[] } {
    const parameters = parametersOf(
      new URLSearchParams(groups.map((group): [string, string] => ['any', group])).toString(),
      'any',
    )
    return { filters: parseFilters(parameters, post, registry), faults: faultsIn(parameters).any ?? [] }
  }
  const title = (value: string) => ({ field: 'title', operator: 'eq', value })

  test('of filters with bars between them', () =>
    assert.deepStrictEqual(parseAny('title=a|title=b', 'title=c'), {
      filters: [{ any: [title('a'), title('b')] }, { any: [title('c')] }],
      faults: [],
    }))

  test('with a literal bar', () =>
    assert.deepStrictEqual(parseAny(String.raw`title=a\|b|title=\c`).filters, [{ any: [title('a|b'), title(String.raw`\c`)] }]))

  test('with backslashes', () => {
    const groups = [String.raw`title=C:\\|title=IT`, String.raw`title=\\\|`, 'title=\\d\\\\|title=a|title=b\\']
    assert.deepStrictEqual(parseAny(...groups).filters, [
      { any: [title('C:\\'), title('IT')] },
      { any: [title('\\|')] },
      { any: [title('\\d\\'), title('a'), title('b\\')] },
    ])
  })

  test('as the client writes them', () => {
    const values = ['C:\\', '\\|', '|', 'a\\|b\\\\', '\\\\|\\d', '']
    assert.deepStrictEqual(parseAny(groupText(values.map((value) => `title=${value}`))).filters, [{ any: values.map(title) }])
  })

  test('an empty filter', () =>
    assert.deepEqual(parseAny('title=a|').faults, ["Filter '' must be written <field>=<value> or <field>__<operator>=<value>"]))

  test('each error of a group', () =>
    assert.deepEqual(parseAny('titel=a|status=lost').faults, [
      "Unknown field 'titel'; did you mean 'title'?",
      "'status' must be one of: draft, published, not 'lost'",
    ]))

  test('too many filters', () =>
    assert.deepEqual(parseAny(...Array(16).fill('title=a|title=b')).faults, [
      "'filters' and 'any' hold 32 filters; at most 30 are taken",
    ]))
})

describe('error messages', () => {
  const rows: readonly (readonly [string, string | RegExp])[] = [
    ['titel=x', "Unknown field 'titel'; did you mean 'title'?"],
    ['weather=x', "Unknown field 'weather'"],
    ['__proto__=x', /^Unknown field '__proto__'/],
    ['constructor=x', "Unknown field 'constructor'"],
    ['constructor__name=x', "Unknown field 'constructor'"],
    ['__icontains=x', /^Unknown field/],
    ['secret=x', /^Unknown field 'secret'(?!.*'secret'.*'secret')/],
    ['author__password=x', /^Unknown field 'password'/],
    ['author__password__startswith=$', /^Unknown field 'password'/],
    ['author__usernme=x', "Unknown field 'usernme'; did you mean 'username'?"],
    ['authr__username=x', "Unknown field 'authr'; did you mean 'author'?"],
    ['title__icontain=x', "Unknown operator '__icontain' for 'title'; did you mean 'icontains'?"],
    ['title__like=x', /^Unknown operator '__like' for 'title'/],
    ['title__=x', "Unknown operator '__' for 'title' (known: icontains, startswith, endswith, gt, gte, lt, lte, in, ne, isnull)"],
    [
      'title__between=x',
      "Unknown operator '__between' for 'title' (known: icontains, startswith, endswith, gt, gte, lt, lte, in, ne, isnull)",
    ],
    ['author=3', "Unknown field 'author'; did you mean 'author_id'?"],
    ['author__isnull=true', "Unknown field 'author'; did you mean 'author_id'?"],
    ['author__in=1,2', "Unknown field 'author'; did you mean 'author_id'?"],
    ['tags__parent=1', "Unknown field 'parent'; did you mean 'parent_id'?"],
    ['status=lost', "'status' must be one of: draft, published, not 'lost'"],
    ['status=', "'status' must be one of: draft, published, not ''"],
    ['status=Draft', "'status' must be one of: draft, published, not 'Draft'"],
    ['status__ne=lost', "'status' must be one of: draft, published, not 'lost'"],
    ['status__in=draft,lost', "'status' must be one of: draft, published, not 'lost'"],
    ['status__in=', "'status' must be one of: draft, published, not ''"],
    ['languages=xx', "'languages' must be one of: en, de, fr, not 'xx'"],
    ['languages__ne=xx', "'languages' must be one of: en, de, fr, not 'xx'"],
    ['languages__in=en,xx', "'languages' must be one of: en, de, fr, not 'xx'"],
    ['title__eq=x', /^Unknown operator '__eq' for 'title'/],
    ['author__username__icontain=x', "Unknown operator '__icontain' for 'username'; did you mean 'icontains'?"],
    ['title__gt__lt=x', "'title__gt__lt' goes further than two relations and one operator"],
    ['author__groups__permissions__name=x', "'permissions__name' goes further than two relations and one operator"],
    ['author__groups__nam=x', "Unknown field 'nam'; did you mean 'name'?"],
    ['author__username__gt__lt=x', "'username__gt__lt' goes further than two relations and one operator"],
    [
      'views__icontains=1',
      "A integer field such as 'views' cannot be filtered with __icontains (known: = __ne __in __isnull __gt __gte __lt __lte)",
    ],
    ['featured__gt=true', /^A boolean field such as 'featured' cannot be filtered with __gt/],
    ['meta=1', "A json field such as 'meta' cannot be filtered with = (known: __isnull)"],
    ['tags__gt=1', /^A many_to_many field such as 'tags' cannot be filtered with __gt/],
    ['day__icontains=2024', /^A date field such as 'day' cannot be filtered with __icontains/],
    ['views=many', "'views' must be an integer, not 'many'"],
    ['views=', "'views' must be an integer, not ''"],
    ['views=1.5', "'views' must be an integer, not '1.5'"],
    ['rating=high', "'rating' must be a number, not 'high'"],
    ['featured=yes', "'featured' must be true or false, not 'yes'"],
    ['day=2024-02-30', "'day' must be a valid date, not '2024-02-30'"],
    ['hour=25:00', "'hour' must be a valid time, not '25:00'"],
    ['published_at=now', "'published_at' must be a valid datetime, not 'now'"],
    ['tags=x', "'tags' must be an integer, not 'x'"],
    ['author_id=ann', "'author_id' must be an integer, not 'ann'"],
    ['views__in=1,x', "'views' must be an integer, not 'x'"],
    ['views__in=', "'views' must be an integer, not ''"],
    ['title__in="a', `'title__in' has a quote that is not closed: "a`],
    ['title__in=a"b', `'title__in' has a quote that is not closed: a"b`],
    ['body__isnull=1', "'body__isnull' must be true or false, not '1'"],
    ['body__isnull=', "'body__isnull' must be true or false, not ''"],
    ['title', "Filter 'title' must be written <field>=<value> or <field>__<operator>=<value>"],
    ['=x', "Filter '=x' must be written <field>=<value> or <field>__<operator>=<value>"],
    ['', "Filter '' must be written <field>=<value> or <field>__<operator>=<value>"],
  ]
  for (const [text, message] of rows) {
    test(text || '(nothing)', () => {
      const { filters, faults } = parse(text)
      assert.deepEqual(filters, [])
      assert.equal(faults.length, 1)
      if (typeof message === 'string') assert.equal(faults[0], message)
      else assert.match(faults[0] ?? '', message)
    })
  }

  test('a secret is not suggested', () => {
    const [message = ''] = parse('secrt=x').faults
    assert.equal(message, "Unknown field 'secrt'")
  })

  test('every invalid filter is reported, and valid ones are returned', () => {
    const { filters, faults } = parse('titel=x', 'title=x', 'views=y')
    assert.equal(filters.length, 1)
    assert.deepEqual(faults, ["Unknown field 'titel'; did you mean 'title'?", "'views' must be an integer, not 'y'"])
  })

  test('more than 30 filters are rejected', () => {
    const many = Array.from({ length: 31 }, (_, index) => `views__gt=${index}`)
    assert.deepEqual(parse(...many), { filters: [], faults: ["'filters' is given 31 times; at most 30 are taken"] })
    assert.equal(parse(...many.slice(1)).filters.length, 30)
  })
})
