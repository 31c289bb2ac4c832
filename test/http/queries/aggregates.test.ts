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

/** `at` in the order of time, beside the day, week, month and year that it belongs to. */
const MOMENTS = [
  ['0001-01-01T00:00:00.000Z', '0001-01-01', '0001-W01', '0001-01', '0001'],
  ['1969-12-28T23:59:59.999Z', '1969-12-28', '1969-W52', '1969-12', '1969'],
  ['1969-12-29T00:00:00.000Z', '1969-12-29', '1970-W01', '1969-12', '1969'],
  ['2020-02-29T12:00:00.000Z', '2020-02-29', '2020-W09', '2020-02', '2020'],
  ['2020-12-31T00:00:00.000Z', '2020-12-31', '2020-W53', '2020-12', '2020'],
  ['2021-01-01T00:30:00+02:00', '2020-12-31', '2020-W53', '2020-12', '2020'],
  ['2021-01-01T00:00:00.000Z', '2021-01-01', '2020-W53', '2021-01', '2021'],
  ['2021-01-03T23:59:59.999Z', '2021-01-03', '2020-W53', '2021-01', '2021'],
  ['2021-01-04T00:00:00.000Z', '2021-01-04', '2021-W01', '2021-01', '2021'],
  ['2024-12-30T00:00:00.000Z', '2024-12-30', '2025-W01', '2024-12', '2024'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31', '9999-W52', '9999-12', '9999'],
  [null, null, null, null, null],
  [null, null, null, null, null],
] as const

const VISITS = {
  files: {
    'models/visit.yaml':
      'name: Visit\nfields:\n  - { name: at, type: datetime }\n  - { name: day, type: date }\n  - { name: time, type: time }\n  - { name: notes, type: json }\n  - { name: cost, type: decimal }\n  - { name: minutes, type: number }\n',
    ...ADMIN_SEED,
    'seed/visit.json': JSON.stringify(MOMENTS.map(([at, day], index) => ({ at, day, cost: `${index}.5`, minutes: index / 4 }))),
  },
}

/** The groups of a period, with what they have of each measure. */
const inPeriods = (field: string, period: string, at: number): Scenario =>
  scenario(
    `name the ${period} of a ${field === 'at' ? 'datetime' : 'date'} in UTC`,
    `GET /api/v1/models/visit/aggregate?group_by=${field}:${period}&count&sum=cost,minutes&max=at`,
    200,
    {
      check({ json }) {
        const names = [...new Set(MOMENTS.map((moment) => moment[at] as string | null))]
        const expected = names.map((name) => {
          const within = [...MOMENTS.entries()].filter(([, moment]) => moment[at] === name).map(([index]) => index)
          const sum = within.reduce((total, index) => total + index, 0)
          return [name, within.length, String(sum + within.length / 2), sum / 4]
        })
        assert.deepEqual(
          json.data.map(({ group, count, sum }: Any) => [group[`${field}:${period}`], count, sum.cost, sum.minutes]),
          expected,
        )
      },
    },
  )

const refusedOfVisits = (query: string, message: string): Scenario =>
  scenario(`refuse group_by=${query}`, `GET /api/v1/models/visit/aggregate?group_by=${query}`, 400, {
    expectPart: { details: { group_by: [message] } },
  })

scenarios('aggregates by period', VISITS, [
  ...['day', 'week', 'month', 'year'].flatMap((period, place) => [
    inPeriods('at', period, place + 1),
    inPeriods('day', period, place + 1),
  ]),
  scenario(
    'combine periods and values, each by its name',
    'GET /api/v1/models/visit/aggregate?group_by=at:year,at:month,minutes&filters=at__gte=2024-01-01&filters=at__lt=2025-01-01',
    200,
    { expect: { data: [{ group: { 'at:year': '2024', 'at:month': '2024-12', minutes: 2.25 }, count: 1 }], total: 1 } },
  ),
  scenario('of no records have no group', 'GET /api/v1/models/visit/aggregate?group_by=at:day&filters=id=999', 200, {
    expect: { data: [], total: 0 },
  }),
  scenario(
    'count in the group of null what has no date',
    'GET /api/v1/models/visit/aggregate?group_by=day:week&filters=at__isnull=true',
    200,
    {
      expect: { data: [{ group: { 'day:week': null }, count: 2 }], total: 1 },
    },
  ),
  refusedOfVisits('at:weak', "Unknown period 'weak' of 'at'; did you mean 'week'?"),
  refusedOfVisits('at:', "Unknown period '' of 'at' (known: day, week, month, year)"),
  refusedOfVisits('at:week:day', "Unknown period 'week:day' of 'at' (known: day, week, month, year)"),
  refusedOfVisits('dag:week', "Unknown field 'dag'; did you mean 'day'?"),
  refusedOfVisits(
    'time:day',
    "A time field such as 'time' has no periods; group by 'time' alone, or by a period of a date (known: at, day)",
  ),
  refusedOfVisits('notes:day', "A json field such as 'notes' has no periods; group by a date (known: at, day)"),
])

const OWN_VISITS = {
  files: {
    'models/visit.yaml':
      'name: Visit\naccess: { view: self.open == true }\nfields:\n  - { name: at, type: datetime }\n  - { name: open, type: boolean }\n',
    'roles/desk.yaml': 'name: Desk\npermissions: [view_visit]\n',
    'seed/user.yaml':
      '- { username: admin, email: a@example.com, password: harbour-admin-2024, is_superuser: true }\n' +
      '- { username: desk, email: d@example.com, password: harbour-admin-2024, groups: [{ name: Desk }] }\n',
    'seed/visit.yaml': '- { at: "2026-11-27", open: true }\n- { at: "2026-11-28", open: false }\n',
  },
}

scenarios('aggregates by period under access rules', OWN_VISITS, [
  scenario('count what the user may view', 'GET /api/v1/models/visit/aggregate?group_by=at:week', 200, {
    as: 'desk',
    expect: { data: [{ group: { 'at:week': '2026-W48' }, count: 1 }], total: 1 },
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
