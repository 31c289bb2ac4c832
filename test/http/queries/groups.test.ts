import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'

// biome-ignore lint/suspicious/noExplicitAny: a record of the answer
type Post = any

/** A page of a list with all its records. */
const allOf = async (app: TestApp, model: string, query = ''): Promise<Post[]> =>
  (await play(app, { request: `GET /api/v1/models/${model}?page_size=100${query}`, status: 200 })).json.data

const idsOf = (records: Post[]): number[] => records.map(({ id }) => id)

/** Compares a list with the posts that a predicate selects, in an order; by id if none is given. */
const agrees = (
  name: string,
  query: Record<string, string | string[]>,
  matches: (post: Post) => boolean,
  compare: (a: Post, b: Post) => number = () => 0,
): Scenario => {
  const sent = new URLSearchParams(
    Object.entries(query).flatMap(([key, all]) => [all].flat().map((each): [string, string] => [key, each])),
  )
  return scenario(name, `GET /api/v1/models/post?page_size=100&${sent}`, 200, {
    async check({ json }, app) {
      const posts = await allOf(app, 'post')
      const expected = posts.filter(matches).sort((a, b) => compare(a, b) || a.id - b.id)
      assert.ok(expected.length > 1 && expected.length <= posts.length, `${expected.length} posts tell nothing`)
      assert.deepEqual(idsOf(json.data), idsOf(expected))
      assert.equal(json.total, expected.length)
    },
  })
}

const byText = (value: (post: Post) => string | undefined, direction: 1 | -1) => (a: Post, b: Post) => {
  const [one, other] = [value(a), value(b)]
  if (one === other) return 0
  if (one === undefined || other === undefined) return direction * (one === undefined ? 1 : -1)
  return direction * (one < other ? -1 : 1)
}

scenarios('groups of filters', [
  agrees(
    'one of which must match',
    { any: 'status=draft|author_id=3' },
    (post) => post.status === 'draft' || post.author_id === 3,
  ),
  agrees(
    'beside filters that must match',
    { any: 'status=draft|is_featured=true', filters: 'id__gte=20' },
    (post) => post.id >= 20 && (post.status === 'draft' || post.is_featured),
  ),
  agrees(
    'each of which must match',
    { any: ['status=draft|author_id=3', 'rating__gte=4.5|tags__slug=music|rating__isnull=true'] },
    (post) =>
      (post.status === 'draft' || post.author_id === 3) &&
      (post.rating === null || post.rating >= 4.5 || post.tags.some(({ name }: Post) => name === 'Music')),
  ),
  scenario(
    'in which a bar is written with a backslash',
    `GET /api/v1/models/post?any=${encodeURIComponent(String.raw`title=a\|b|id=1`)}`,
    200,
    { check: ({ json }) => assert.equal(json.total, 1) },
  ),
  scenario(
    'in which a backslash is written twice',
    `GET /api/v1/models/post?any=${encodeURIComponent(String.raw`title=C:\\|id=1`)}`,
    200,
    { check: ({ json }) => assert.equal(json.total, 1) },
  ),
  scenario(
    'in which a backslash stands for itself',
    `GET /api/v1/models/post?any=${encodeURIComponent(String.raw`title=\d|id=1`)}`,
    200,
    { check: ({ json }) => assert.equal(json.total, 1) },
  ),
  scenario('with an error in one filter', `GET /api/v1/models/post?any=${encodeURIComponent('status=draft|ratng=1')}`, 400, {
    expectPart: { details: { any: ["Unknown field 'ratng'; did you mean 'rating'?"] } },
  }),
  scenario(
    'through a relation to a model that the user may not view',
    `GET /api/v1/models/post?any=${encodeURIComponent('status=draft|author__username=admin')}`,
    401,
    { as: null },
  ),
])

scenarios('filters through two relations', [
  scenario(
    'match the records of a list',
    'GET /api/v1/models/comment?page_size=100&filters=post__author__username=admin&fields=post_id',
    200,
    {
      async check({ json }, app) {
        const posts = await allOf(app, 'post')
        const written = new Set(idsOf(posts.filter((post) => post.author.username === 'admin')))
        const comments = await allOf(app, 'comment')
        const expected = comments.filter(({ post_id: post }) => written.has(post))
        assert.ok(expected.length > 0)
        assert.deepEqual(idsOf(json.data).slice(0, expected.length), idsOf(expected))
      },
    },
  ),
])

scenarios('sorting through a relation', [
  agrees(
    'ascends',
    { sort_by: 'author.username' },
    () => true,
    byText((post) => post.author?.username, 1),
  ),
  agrees(
    'descends, records without the relation first',
    { sort_by: 'category.name', sort_order: 'desc' },
    () => true,
    byText((post) => post.category?.name, -1),
  ),
  agrees(
    'breaks ties by further fields',
    { sort_by: 'author.username,category.name', sort_order: 'desc,asc', filters: 'id__lt=30' },
    (post) => post.id < 30,
    (a, b) => byText((post) => post.author?.username, -1)(a, b) || byText((post) => post.category?.name, 1)(a, b),
  ),
  scenario(
    'orders an export',
    'GET /api/v1/models/post/export?format=json&fields=id&sort_by=author.username&sort_order=desc',
    200,
    {
      async check({ json }, app) {
        assert.deepEqual(idsOf(json), idsOf(await allOf(app, 'post', '&sort_by=author.username&sort_order=desc')))
      },
    },
  ),
  scenario('of a secret', 'GET /api/v1/models/post?sort_by=author.password', 400, {
    expectPart: { details: { sort_by: ["Unknown field 'password'"] } },
  }),
])
