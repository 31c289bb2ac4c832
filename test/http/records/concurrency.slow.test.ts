import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { dataOf, fieldErrors, ids, recordNotFound, UNLIMITED } from './expected.ts'

/** Lets other requests run between each read and the use of its result, as a remote store would. */
function withDistance(app: TestApp): void {
  const { store } = app.app
  const get = store.get.bind(store)
  Object.assign(store, {
    async get(table: string, wanted: readonly number[]) {
      const found = await get(table, wanted)
      await new Promise((resolve) => setImmediate(resolve))
      return found
    },
  })
}

async function withApp(run: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ settings: UNLIMITED })
  await run(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

const withStatus = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status)

describe('at the same time', () => {
  appTest('200 creates of one unique value: one succeeds, 199 fail with a message', async (app) => {
    const replies = await Promise.all(
      times(200, (index) =>
        send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: `Tag ${index}`, slug: 'the-one' } } }),
      ),
    )
    assert.equal(withStatus(replies, 201).length, 1)
    const refused = withStatus(replies, 400)
    assert.equal(refused.length, 199)
    for (const { json } of refused) assert.deepEqual(json, fieldErrors({ slug: ['slug must be unique'] }))
    const { json } = await play(app, { request: 'GET /api/v1/models/tag?filters=slug=the-one', status: 200 })
    assert.equal(json.total, 1)
  })

  test('200 creates of different values: all are there, after a restart too', async () => {
    const app = await openTestApp({ settings: UNLIMITED })
    const replies = await Promise.all(
      times(200, (index) =>
        send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: `Tag ${index}`, slug: `tag-${index}` } } }),
      ),
    )
    assert.equal(withStatus(replies, 201).length, 200)
    assert.equal(new Set(replies.map(({ json }) => json.data.id)).size, 200)
    await using reopened = await app.reopen()
    for (const { json } of replies) assert.deepEqual(await dataOf(reopened, `GET /api/v1/models/tag/${json.data.id}`), json.data)
    const { json } = await play(reopened, { request: 'GET /api/v1/models/tag', status: 200 })
    assert.equal(json.total, 212)
  })

  appTest('overlapping bulk creates: each is complete or absent', async (app) => {
    const replies = await Promise.all(
      times(40, (index) => {
        const records = [
          { name: `Own ${index}`, slug: `own-${index}` },
          { name: `Shared ${index % 4}`, slug: `shared-${index % 4}` },
        ]
        return send(app, { request: 'POST /api/v1/models/tag/bulk', body: { records } })
      }),
    )
    assert.equal(withStatus(replies, 201).length, 4)
    assert.equal(withStatus(replies, 400).length, 36)
    const { json } = await play(app, { request: 'GET /api/v1/models/tag', status: 200 })
    assert.equal(json.total, 12 + 8)
  })

  appTest('updates of different fields of one record: none is lost', async (app) => {
    withDistance(app)
    const changes: Readonly<Record<string, unknown>> = {
      title: 'A new title',
      slug: 'a-new-slug',
      summary: 'A new summary',
      body: 'A new body',
      status: 'archived',
      rating: 1.5,
      views_count: 7,
      is_featured: true,
      event_date: '2026-02-01',
      publish_time: '10:00:00',
      languages: ['fr'],
      metadata: { new: true },
      author_id: 2,
      category_id: 3,
    }
    const replies = await Promise.all(
      Object.entries(changes).flatMap(([name, value]) =>
        times(5, () => send(app, { request: 'PUT /api/v1/models/post/1', body: { data: { [name]: value } } })),
      ),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map(() => 200),
    )
    const post = await dataOf(app, 'GET /api/v1/models/post/1')
    for (const [name, value] of Object.entries(changes)) assert.deepEqual(post[name], value, name)
    assert.deepEqual([post.author.username, post.category.name], ['m.keller', 'Fishing'])
  })

  appTest('updates that a rule forbids together: the rule holds afterwards', async (app) => {
    withDistance(app)
    const update = (data: unknown) => ({ request: 'PUT /api/v1/models/post/44' as const, body: { data, form_id: 'PostForm' } })
    await play(app, { ...update({ status: 'published' }), status: 200 })
    const replies = await Promise.all([send(app, update({ is_featured: true })), send(app, update({ status: 'draft' }))])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400])
    const post = await dataOf(app, 'GET /api/v1/models/post/44')
    assert.ok(!post.is_featured || post.status === 'published')
  })

  appTest('50 updates with the same If-Match: one succeeds', async (app) => {
    withDistance(app)
    const { headers } = await play(app, { request: 'GET /api/v1/models/tag/1', status: 200 })
    const replies = await Promise.all(
      times(50, (index) =>
        send(app, {
          request: 'PUT /api/v1/models/tag/1',
          headers: { 'if-match': String(headers.etag) },
          body: { data: { name: `Light ${index}` } },
        }),
      ),
    )
    const [made, ...others] = withStatus(replies, 200)
    assert.equal(others.length, 0)
    assert.equal(withStatus(replies, 412).length, 49)
    assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/1'), made?.json.data)
  })

  appTest('50 deletes of one record: one finds it', async (app) => {
    withDistance(app)
    const replies = await Promise.all(times(50, () => send(app, { request: 'DELETE /api/v1/models/tag/1' })))
    assert.equal(withStatus(replies, 200).length, 1)
    const others = withStatus(replies, 404)
    assert.equal(others.length, 49)
    for (const { json } of others) assert.deepEqual(json, recordNotFound('Tag', 1))
  })

  appTest('a delete and references to the deleted record: no dangling reference remains', async (app) => {
    withDistance(app)
    const replies = await Promise.all(
      times(21, (index) =>
        index === 10
          ? send(app, { request: 'DELETE /api/v1/models/tag/11' })
          : send(app, { request: `PUT /api/v1/models/post/${index + 1}`, body: { data: { tags: [11] } } }),
      ),
    )
    assert.equal(replies[10]?.status, 200)
    for (const reply of replies) {
      if (reply.status !== 200) assert.deepEqual(reply.json, fieldErrors({ tags: ['tags references a non-existent record'] }))
    }
    const { json } = await play(app, { request: 'GET /api/v1/models/post?page_size=100', status: 200 })
    assert.equal(JSON.stringify(json).includes('"Music"'), false)
    for (const post of await app.app.store.get('post', ids(json))) {
      assert.ok(Array.isArray(post?.tags) && !post.tags.includes(11))
    }
  })
})
