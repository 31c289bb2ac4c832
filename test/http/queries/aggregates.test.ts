import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

// biome-ignore lint/suspicious/noExplicitAny: records and groups of the answers
type Any = any

const allOf = async (app: TestApp, model: string): Promise<Any[]> =>
  (await play(app, { request: `GET /api/v1/models/${model}?page_size=100`, status: 200 })).json.data

/** Compares the groups of posts with those made of the whole list. */
const agrees = (
  name: string,
  query: string,
  groupOf: (post: Any) => Any,
  matches: (post: Any) => boolean,
  compute: (posts: Any[]) => Any,
): Scenario =>
  scenario(name, `GET /api/v1/models/post/aggregate?${query}`, 200, {
    async check({ json }, app) {
      const groups = new Map<string, Any[]>()
      for (const post of (await allOf(app, 'post')).filter(matches)) {
        const key = JSON.stringify(groupOf(post))
        groups.set(key, [...(groups.get(key) ?? []), post])
      }
      const expected = [...groups].map(([group, posts]) => ({ group: JSON.parse(group), ...compute(posts) }))
      assert.ok(expected.length > 0)
      const sorted = (list: Any[]) => list.map((each) => JSON.stringify(each)).sort()
      assert.deepEqual(sorted(json.data), sorted(expected))
      assert.equal(json.total, expected.length)
    },
  })

const total = (posts: Any[], field: string): number => posts.reduce((sum, post) => sum + (post[field] ?? 0), 0)
const present = (posts: Any[], field: string): Any[] => posts.map((post) => post[field]).filter((value) => value !== null)

const refused = (query: string, details: Any): Scenario =>
  scenario(`refuses ${query}`, `GET /api/v1/models/post/aggregate?${query}`, 400, {
    expect: { error: 'Invalid request data', status_code: 400, details },
  })

scenarios('aggregates', [
  agrees(
    'count all records where nothing is asked for',
    '',
    () => ({}),
    () => true,
    (posts) => ({ count: posts.length }),
  ),
  agrees(
    'count by a choice',
    'group_by=status&count',
    ({ status }) => ({ status }),
    () => true,
    (posts) => ({ count: posts.length }),
  ),
  agrees(
    'add up, average and find the least and the greatest, by two fields',
    'group_by=status,author_id&count=true&sum=views_count&avg=views_count&min=published_at&max=rating,title',
    ({ status, author_id }) => ({ status, author_id }),
    () => true,
    (posts) => ({
      count: posts.length,
      sum: { views_count: total(posts, 'views_count') },
      avg: { views_count: total(posts, 'views_count') / posts.length },
      min: { published_at: present(posts, 'published_at').sort()[0] ?? null },
      max: {
        rating: present(posts, 'rating').length === 0 ? null : Math.max(...present(posts, 'rating')),
        title: present(posts, 'title').sort().at(-1),
      },
    }),
  ),
  agrees(
    'take the filters of a list',
    `group_by=author_id&count&filters=rating__gte=4&any=${encodeURIComponent('status=draft|is_featured=true|category__slug=events')}`,
    ({ author_id }) => ({ author_id }),
    (post) => post.rating >= 4 && (post.status === 'draft' || post.is_featured || post.category?.slug === 'events'),
    (posts) => ({ count: posts.length }),
  ),
  scenario(
    'count a record with a list in the group of each item, and one without in that of null',
    'GET /api/v1/models/post/aggregate?group_by=languages',
    200,
    {
      async check({ json }, app) {
        const posts = await allOf(app, 'post')
        for (const { group, count } of json.data) {
          const has = ({ languages }: Any) =>
            group.languages === null ? languages.length === 0 : languages.includes(group.languages)
          assert.equal(count, posts.filter(has).length)
        }
        assert.ok(json.data.length > 2)
      },
    },
  ),
  refused('group_by=titel', { group_by: ["Unknown field 'titel'; did you mean 'title'?"] }),
  refused('group_by=metadata', { group_by: ["A json field such as 'metadata' cannot be grouped by"] }),
  refused('sum=title', { sum: ["A string field such as 'title' cannot be added up"] }),
  refused('min=tags', { min: ["A many_to_many field such as 'tags' cannot be ordered"] }),
  refused('count=maybe', { count: ["'count' must be true or false, not 'maybe'"] }),
  refused('group_by=id,title,slug,status,rating', { group_by: ["'group_by' names 5 fields; at most 4 are taken"] }),
  refused('page=1', { page: ["Unknown query parameter 'page' (known: group_by, count, sum, avg, min, max, filters, any)"] }),
  scenario('need a token', 'GET /api/v1/models/post/aggregate', 401, { as: null }),
  scenario('need the permission to view', 'GET /api/v1/models/user/aggregate', 403, { as: 'newcomer' }),
  scenario('do not reveal the password', 'GET /api/v1/models/user/aggregate?group_by=password', 400, {
    expectPart: { details: { group_by: ["Unknown field 'password'"] } },
  }),
])

const INVOICES = {
  files: {
    'models/invoice.yaml':
      'name: Invoice\nfields:\n  - { name: amount, type: decimal, decimal_places: 2, gte: -100 }\n  - { name: code, type: decimal, unique: true }\n',
    'seed/invoice.yaml':
      '- { amount: "100000000000000000000.1" }\n- { amount: 10.0 }\n- { amount: ".25" }\n- { amount: -100 }\n- { amount: null }\n',
    ...ADMIN_SEED,
  },
}

scenarios('aggregates of decimals', INVOICES, [
  scenario('are exact', 'GET /api/v1/models/invoice/aggregate?sum=amount&avg=amount&min=amount&max=amount&count', 200, {
    expect: {
      data: [
        {
          group: {},
          count: 5,
          sum: { amount: '99999999999999999910.35' },
          avg: { amount: '24999999999999999977.5875' },
          min: { amount: '-100' },
          max: { amount: '100000000000000000000.1' },
        },
      ],
      total: 1,
    },
  }),
  scenario('are ordered as numbers', 'GET /api/v1/models/invoice?sort_by=amount&fields=amount', 200, {
    check: ({ json }) => assert.deepEqual(valuesOf(json.data, 'amount'), ['-100', '0.25', '10', '100000000000000000000.1', null]),
  }),
  scenario(
    'are compared as numbers',
    'GET /api/v1/models/invoice?filters=amount__gt=9.99&filters=amount__lte=1e2&fields=amount',
    200,
    { check: ({ json }) => assert.deepEqual(json.data, [{ id: 2, amount: '10' }]) },
  ),
  scenario('are equal in any notation', 'GET /api/v1/models/invoice?filters=amount__in=10.000,.250&fields=amount', 200, {
    check: ({ json }) => assert.equal(json.total, 2),
  }),
  scenario('keep to the limits of the field', 'POST /api/v1/models/invoice', 400, {
    body: { data: { amount: '1.234' } },
    expect: { detail: { error: { amount: ['amount must have at most 2 decimal places'] } } },
  }),
])

const MASSES = {
  files: {
    'models/mass.yaml': 'name: Mass\nfields:\n  - { name: kilograms, type: number }\n  - { name: kind, type: string }\n',
    ...ADMIN_SEED,
    'seed/mass.json': JSON.stringify([
      ...[1e308, 1e308, -1e308].map((kilograms) => ({ kind: 'opposite', kilograms })),
      ...[1e308, 1e308].map((kilograms) => ({ kind: 'huge', kilograms })),
      ...[-1e308, -1e308, 1e308, 5e-324, 1e308].map((kilograms) => ({ kind: 'tiny', kilograms })),
    ]),
  },
}

scenarios('aggregates of doubles', MASSES, [
  scenario(
    'are exact where partial sums exceed every double',
    'GET /api/v1/models/mass/aggregate?sum=kilograms&avg=kilograms&group_by=kind',
    200,
    {
      check: ({ json }) =>
        assert.deepEqual(
          json.data.map(({ group, sum }: Any) => [group.kind, sum.kilograms]),
          [
            ['huge', null],
            ['opposite', 1e308],
            ['tiny', 5e-324],
          ],
        ),
    },
  ),
])
