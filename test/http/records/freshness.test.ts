import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { dataOf } from './expected.ts'

const POST = 'GET /api/v1/models/post/1'
const POSTS = 'GET /api/v1/models/post?page_size=100'

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp()
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

/** A post as it is read by itself and as it is listed, which must be the same. */
async function postOf(app: TestApp) {
  const read = await play(app, { request: POST, status: 200 })
  const listed: readonly { id: number }[] = await dataOf(app, POSTS)
  assert.deepEqual(
    listed.find(({ id }) => id === 1),
    read.json.data,
  )
  return { etag: String(read.headers.etag), data: read.json.data }
}

/** Each of these is done to a record that has been read and listed before. */
const CHANGES: readonly {
  readonly name: string
  readonly request: `${'PUT' | 'DELETE'} /${string}`
  readonly data?: object
  readonly seen: (data: Reply['json']) => unknown
  readonly expected: unknown
}[] = [
  {
    name: 'the record itself is updated',
    request: 'PUT /api/v1/models/post/1',
    data: { title: 'Another title' },
    seen: ({ title }) => title,
    expected: 'Another title',
  },
  {
    name: 'its author is renamed',
    request: 'PUT /api/v1/models/user/1',
    data: { first_name: 'Inga' },
    seen: ({ author }) => author.first_name,
    expected: 'Inga',
  },
  {
    name: 'one of its tags is renamed',
    request: 'PUT /api/v1/models/tag/12',
    data: { name: 'Helpers' },
    seen: ({ tags }) => tags,
    expected: [{ id: 12, name: 'Helpers' }],
  },
  { name: 'one of its tags is deleted', request: 'DELETE /api/v1/models/tag/12', seen: ({ tags }) => tags, expected: [] },
  {
    name: 'it gets another author',
    request: 'PUT /api/v1/models/post/1',
    data: { author_id: 2 },
    seen: ({ author }) => author.username,
    expected: 'm.keller',
  },
]

describe('a record read once is fresh afterwards', () => {
  for (const { name, request, data, seen, expected } of CHANGES) {
    appTest(name, async (app) => {
      const before = await postOf(app)
      await play(app, { request, ...(data === undefined ? {} : { body: { data } }), status: 200 })
      const after = await postOf(app)
      assert.deepEqual(seen(after.data), expected)
      assert.notEqual(after.etag, before.etag)
      assert.equal((await postOf(app)).etag, after.etag)
    })
  }

  appTest('it is deleted', async (app) => {
    const tags = 'GET /api/v1/models/tag?page_size=100'
    const { length } = await dataOf(app, tags)
    await play(app, { request: 'DELETE /api/v1/models/tag/3', status: 200 })
    const left: readonly { id: number }[] = await dataOf(app, tags)
    assert.equal(left.length, length - 1)
    assert.ok(left.every(({ id }) => id !== 3))
    await play(app, { request: 'GET /api/v1/models/tag/3', status: 404 })
  })
})

describe('selected fields of a record read in full before', () => {
  appTest('are those, and in full it stays whole', async (app) => {
    const whole = await dataOf(app, POST)
    assert.deepEqual(await dataOf(app, `${POST}?fields=title`), { id: 1, title: whole.title })
    const narrow = await dataOf(app, `${POST}?fields=title&include=author__username`)
    assert.deepEqual(narrow, { id: 1, title: whole.title, author: { id: 1, username: 'admin' } })
    assert.deepEqual(await dataOf(app, POST), whole)
  })
})

describe('a token that has been used before', () => {
  const steps: readonly (readonly [string, `PUT /${string}`, object, number])[] = [
    ['its user leaves the group', 'PUT /api/v1/models/user/3', { groups: [] }, 403],
    ['the group loses the permission', 'PUT /api/v1/models/group/2', { permissions: [2] }, 403],
    ['the permission gets another codename', 'PUT /api/v1/models/permission/1', { codename: 'look_at_post' }, 403],
    ['its user is disabled', 'PUT /api/v1/models/user/3', { is_active: false }, 401],
  ]
  for (const [name, request, data, status] of steps) {
    appTest(`opens nothing any more once ${name}`, async (app) => {
      const authorization = `Bearer ${await app.tokenOf('anna.lind')}`
      const ask = async () => (await send(app, { request: POST, as: null, headers: { authorization } })).status
      assert.deepEqual([await ask(), await ask()], [200, 200])
      await play(app, { request, body: { data }, status: 200 })
      assert.equal(await ask(), status)
    })
  }
})

describe('a repeated list query', () => {
  appTest('is parsed separately for another model, and sees new records', async (app) => {
    const list = async (model: string) =>
      (await play(app, { request: `GET /api/v1/models/${model}?filters=name__icontains=a`, status: 200 })).json
    const [tags, categories] = [await list('tag'), await list('category')]
    assert.deepEqual(Object.keys(tags.data[0]), ['id', 'name', 'slug', 'color'])
    assert.deepEqual(Object.keys(categories.data[0]).slice(0, 4), ['id', 'name', 'slug', 'description'])
    const body = { data: { name: 'Another one', slug: 'another-one' } }
    await play(app, { request: 'POST /api/v1/models/tag', body, status: 201 })
    assert.equal((await list('tag')).total, tags.total + 1)
    assert.deepEqual(await list('category'), categories)
  })

  appTest('is wrong every time when it is wrong', async (app) => {
    for (let time = 0; time < 2; time++) {
      const { json } = await play(app, { request: 'GET /api/v1/models/tag?page=0', status: 400 })
      assert.deepEqual(json.details, { page: ["'page' must be an integer 1 or more, not '0'"] })
    }
  })
})
