import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of the answers
type Any = any

const allOf = async (app: TestApp, model: string): Promise<Any[]> => {
  const pages = [1, 2].map(async (page) => {
    return (await play(app, { request: `GET /api/v1/models/${model}?page_size=100&page=${page}`, status: 200 })).json.data
  })
  return (await Promise.all(pages)).flat()
}

const refused = (query: string, details: Any): Scenario =>
  scenario(`refuses ${query}`, `GET /api/v1/models/post?${query}`, 400, {
    expect: { error: 'Invalid request data', status_code: 400, details },
  })

scenarios('records that refer to a record', [
  scenario('are counted', 'GET /api/v1/models/post?page_size=100&fields=title,comments__count', 200, {
    async check({ json }, app) {
      const comments = await allOf(app, 'comment')
      for (const { id, comments__count: count, ...rest } of json.data) {
        assert.equal(count, comments.filter(({ post_id: post }) => post === id).length)
        assert.deepEqual(Object.keys(rest), ['title'])
      }
      assert.ok(json.data.some(({ comments__count: count }: Any) => count > 2))
    },
  }),
  scenario(
    'are included beside everything else, the first twenty with their total',
    'GET /api/v1/models/user?include=posts&page_size=100',
    200,
    {
      async check({ json }, app) {
        const posts = await allOf(app, 'post')
        for (const { id, username, posts: included } of json.data) {
          const own = posts.filter(({ author_id: author }) => author === id)
          assert.equal(included.total, own.length)
          assert.deepEqual(valuesOf(included.data, 'id'), valuesOf(own.slice(0, 20), 'id'))
          for (const post of included.data) assert.equal(post.author_id, id)
          assert.ok(username)
        }
        assert.ok(json.data.some(({ posts: included }: Any) => included.total > 0))
      },
    },
  ),
  scenario(
    'are included by many-to-many, with some fields and their number, of one record',
    'GET /api/v1/models/tag/11?fields=name&include=posts__title,posts__status,posts__count',
    200,
    {
      async check({ json }, app) {
        const posts = (await allOf(app, 'post')).filter(({ tags }) => tags.some(({ id }: Any) => id === 11))
        assert.deepEqual(json.data.posts, {
          data: posts.map(({ id, title, status }) => ({ id, title, status })),
          total: posts.length,
        })
        assert.equal(json.data.posts__count, posts.length)
        assert.deepEqual(Object.keys(json.data), ['id', 'name', 'posts', 'posts__count'])
      },
    },
  ),
  refused('include=coments', {
    include: ["'coments' must be written <relation>__<field>; did you mean 'comments'? (relations: author, category, tags)"],
  }),
  refused('include=comments__bdy', { include: ["Unknown field 'bdy'; did you mean 'body'?"] }),
  refused('fields=coments__count', { fields: ["Unknown field 'coments__count'; did you mean 'comments__count'?"] }),
  scenario('cannot be exported', 'GET /api/v1/models/post/export?fields=title,comments__count', 400, {
    expectPart: { details: { fields: ["'comments__count' cannot be exported"] } },
  }),
])
