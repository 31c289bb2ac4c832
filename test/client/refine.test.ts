import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { CrudFilter } from '@refinedev/core'
import { createClient } from '../../src/client/client.ts'
import { authProvider, dataProvider, HttpError } from '../../src/client/refine.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { ADMIN, AUTHOR, type LiveApp, loggedIn, noting, openLive, type Sent } from './live.ts'

/** What a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<HttpError> {
  const error = await call.catch((reason: unknown) => reason)
  assert.ok(error instanceof HttpError, `failed with ${error}`)
  return error
}

const LOCAL = '2026-01-05T10:00'
/** The zone of these tests is India's, which is half an hour off. */
const OFFSET = '+05:30'
process.env.TZ = 'Asia/Kolkata'

describe('the data provider of refine', () => {
  let app: LiveApp
  let provider: ReturnType<typeof dataProvider>
  let sent: Sent[]
  beforeEach(async () => {
    app = await openLive()
    const noted = noting()
    const forms = { tag: { create: 'TagForm', update: 'TagForm' } }
    provider = dataProvider(await loggedIn(app, { fetch: noted.fetch }), { forms })
    sent = noted.sent
  })
  afterEach(() => app.close())

  const tags = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Made ${index}`, slug: `made-${index}` }))
  const MADE = { field: 'slug', operator: 'startswiths' as const, value: 'made-' }

  test('lists by filters, by several orders, and by pages', async () => {
    const { data, total } = await provider.getList({
      resource: 'post',
      pagination: { currentPage: 1, pageSize: 3 },
      sorters: [
        { field: 'status', order: 'desc' },
        { field: 'title', order: 'asc' },
      ],
      filters: [
        { field: 'author.username', operator: 'eq', value: 'anna.lind' },
        { field: 'rating', operator: 'between', value: [1, 5] },
      ],
      meta: { fields: ['title', 'status', 'tags'] },
    })
    assert.ok(total > 3 && data.length === 3, `${data.length} of ${total}`)
    assert.deepEqual(Object.keys(data[0] ?? {}).sort(), ['id', 'status', 'tags', 'title'])
    const { query } = sent.find(({ path }) => path === 'post') ?? assert.fail('nothing was asked')
    assert.deepEqual([query.get('sort_by'), query.get('sort_order')], ['status,title', 'desc,asc'])
  })

  test('searches for q, ordered by relevance or by the sorters', async () => {
    const q = [{ field: 'q', operator: 'contains' as const, value: 'lantern' }]
    const { data, total } = await provider.getList({ resource: 'post', filters: q, sorters: [{ field: 'title', order: 'desc' }] })
    assert.ok(total > 1, `found ${total}`)
    const titles = data.map(({ title }) => String(title))
    assert.deepEqual(titles, titles.toSorted().reverse())
    const asked = () =>
      sent
        .filter(({ path }) => path === 'post/search')
        .at(-1)
        ?.query.get('sort_by')
    assert.equal(asked(), 'title')
    assert.equal((await provider.getList({ resource: 'post', filters: q })).total, total)
    assert.equal(asked(), null)
  })

  test('sends date-times and filters on them with the offset of the browser', async () => {
    const { data } = await provider.update({ resource: 'post', id: 1, variables: { published_at: LOCAL } })
    assert.equal(data.published_at, new Date(LOCAL).toISOString())
    const filters = [
      { field: 'published_at', operator: 'between' as const, value: [LOCAL, LOCAL] },
      { field: 'author.created_at', operator: 'gte' as const, value: '2020-01-05' },
      { field: 'title', operator: 'ne' as const, value: '2020-01-05' },
    ]
    assert.deepEqual(valuesOf((await provider.getList({ resource: 'post', filters })).data, 'id'), [1])
    assert.deepEqual(
      sent
        .filter(({ path }) => path === 'post')
        .at(-1)
        ?.query.getAll('filters'),
      [
        `published_at__gte=${LOCAL}${OFFSET}`,
        `published_at__lte=${LOCAL}${OFFSET}`,
        `author__created_at__gte=2020-01-05T00:00${OFFSET}`,
        'title__ne=2020-01-05',
      ],
    )
  })

  test('"null" and "nnull" find texts by whether they are empty, as the grid of MUI means them', async () => {
    const described = [null, '', 'Boats'].map((description, index) => ({
      name: `Made ${index}`,
      slug: `made-${index}`,
      description,
    }))
    const { data } = await provider.createMany({ resource: 'category', variables: described })
    const [none, empty, filled] = data.map(({ id }) => id)
    const found = async (field: string, operator: 'null' | 'nnull') => {
      const filters: CrudFilter[] = [MADE, { field, operator, value: true }]
      return (await provider.getList({ resource: 'category', filters })).data.map(({ id }) => id)
    }
    assert.deepEqual(await found('description', 'null'), [none, empty])
    assert.deepEqual(await found('description', 'nnull'), [filled])
    assert.deepEqual(await found('parent_id', 'null'), [none, empty, filled])
    await provider.createMany({
      resource: 'category',
      variables: [none, empty, filled].map((parent_id) => ({
        name: `Below ${parent_id}`,
        slug: `made-below-${parent_id}`,
        parent_id,
      })),
    })
    const below = { field: 'parent_id', operator: 'nnull' as const, value: true }
    const { data: children } = await provider.getList({
      resource: 'category',
      filters: [MADE, below, { field: 'parent.description', operator: 'null', value: true }],
    })
    assert.deepEqual(valuesOf(children, 'parent_id'), [none, empty])
  })

  test('creates, gets, changes and deletes more records than one request takes', async () => {
    const { data } = (await provider.createMany({ resource: 'tag', variables: tags(1001) })) as { data: { id: number }[] }
    const ids = data.map(({ id }) => id)
    assert.equal(new Set(ids).size, 1001)
    const all = await provider.getList({ resource: 'tag', pagination: { mode: 'off' }, filters: [MADE] })
    assert.deepEqual([all.data.length, all.total], [1001, 1001])
    const some = ids.slice(0, 201).reverse()
    const many = await provider.getMany({ resource: 'tag', ids: some })
    assert.deepEqual(valuesOf(many.data, 'id'), some)
    const changed = await provider.updateMany({ resource: 'tag', ids, variables: { color: '#00ff00' } })
    assert.equal(changed.data.length, 1001)
    const deleted = await provider.deleteMany({ resource: 'tag', ids: ids.map(String) })
    assert.equal(deleted.data.length, 1001)
  })

  test('sends only changed members, and none that the server sets', async () => {
    const { data } = await provider.getOne({ resource: 'post', id: '2' })
    assert.ok(Array.isArray(data.tags) && data.tags.every((id: unknown) => typeof id === 'number'), 'tags are no ids')
    const variables = { ...data, title: 'Another headline', tags: [...data.tags, 12] }
    await provider.update({ resource: 'post', id: 2, variables })
    assert.deepEqual(sent.at(-1)?.body, { data: { title: variables.title, tags: variables.tags } })
    const writes = () => sent.filter(({ method }) => method === 'PUT').length
    const before = writes()
    assert.equal((await provider.update({ resource: 'post', id: 2, variables })).data.title, variables.title)
    assert.equal(writes(), before)
    const stale = await failureOf(
      provider.update({ resource: 'post', id: 2, variables: { title: 'Late' }, meta: { if_match: '"0.0"' } }),
    )
    assert.equal(stale.statusCode, 412)
  })

  test('refuses to overwrite a field that another client has changed since getOne, and only that', async () => {
    const { data: read } = await provider.getOne({ resource: 'post', id: 1 })
    const client = await loggedIn(app)
    await client.model('post').update(1, { title: 'Changed elsewhere', rating: 1 } as never)
    const edit = (variables: object) => provider.update({ resource: 'post', id: 1, variables: { ...read, ...variables } })
    const failure = await failureOf(edit({ title: 'Mine' }))
    assert.equal(failure.statusCode, 412)
    assert.match(failure.message, /^post 1 has changed since it was read \(title\); load it again/)
    const { data } = await edit({ summary: 'Mine' })
    assert.deepEqual([data.title, data.summary, data.rating], ['Changed elsewhere', 'Mine', 1])
  })

  test('creates and deletes one', async () => {
    const { data } = await provider.create({ resource: 'tag', variables: { id: 7, name: 'Nets', slug: 'nets' } })
    assert.equal(data.slug, 'nets')
    assert.equal((await provider.deleteOne({ resource: 'tag', id: Number(data.id) })).data.slug, 'nets')
    assert.equal((await failureOf(provider.getOne({ resource: 'tag', id: Number(data.id) }))).statusCode, 404)
  })

  test('assigns validation errors to fields, but not errors of queries', async () => {
    const error = await failureOf(provider.create({ resource: 'tag', variables: { name: 'x', slug: 'no slug' } }))
    assert.equal(error.statusCode, 400)
    assert.deepEqual(error.errors, { name: ['Name must be at least 2 characters long'], slug: ['Slug format is invalid'] })
    const query = await failureOf(provider.getList({ resource: 'tag', filters: [{ field: 'nme', operator: 'eq', value: 'x' }] }))
    assert.equal(query.errors, undefined)
    assert.match(query.message, /did you mean 'name'/)
    const nested: CrudFilter = { operator: 'or', value: [{ operator: 'and', value: [] }] }
    const refused = await failureOf(provider.getList({ resource: 'tag', filters: [nested] }))
    assert.match(refused.message, /not support 'and' within 'or'/)
  })

  test('calls other routes of the API, and no other server', async () => {
    const url = `${provider.getApiUrl()}/webhooks`
    const payload = { url: 'http://127.0.0.1:9/hook', events: ['create'] }
    await provider.custom({ url, method: 'post', payload })
    const { data } = await provider.custom({ url: '/webhooks', method: 'get', query: { page_size: 1 } })
    assert.equal(data.total, 1)
    const headers = { 'content-type': 'application/json' }
    const tag = await provider.custom({
      url: '/models/tag',
      method: 'post',
      headers,
      payload: { data: { name: 'Oars', slug: 'oars' } },
    })
    assert.equal(tag.data.data.slug, 'oars')
    const drafts = [{ field: 'status', operator: 'eq' as const, value: 'draft' }]
    const both = await provider.custom({ url: '/models/post?page_size=1', method: 'get', filters: drafts })
    assert.ok(both.data.data.length === 1 && both.data.data[0].status === 'draft', JSON.stringify(both.data))
    const elsewhere = await failureOf(provider.custom({ url: 'http://127.0.0.1:9/api/v1/webhooks', method: 'get' }))
    assert.match(elsewhere.message, /is not a URL of this API/)
    assert.match((await failureOf(provider.custom({ url, method: 'patch' }))).message, /does not support the method PATCH/)
  })

  test('is aborted by a signal', async () => {
    const controller = new AbortController()
    const queryContext = { signal: controller.signal } as never
    const list = provider.getList({ resource: 'post', meta: { queryContext } })
    controller.abort()
    await assert.rejects(list, { name: 'AbortError' })
  })

  test('updates a record without permission to read it', async () => {
    const client = await loggedIn(app)
    const { data: permission } = await client.model('permission').list({ filters: { codename: 'change_tag' } })
    const user = {
      username: 'writer',
      email: 'w@example.org',
      password: 'correct horse',
      permissions: permission.map(({ id }) => id),
    }
    await client.model('user').create(user)
    const writer = dataProvider(await loggedIn(app, {}, user))
    assert.equal((await writer.update({ resource: 'tag', id: 1, variables: { color: '#ff0000' } })).data.color, '#ff0000')
  })
})

describe('the auth provider of refine', () => {
  let app: LiveApp
  beforeEach(async () => {
    app = await openLive()
  })
  afterEach(() => app.close())

  test('logs in and out, and returns the identity', async () => {
    const auth = authProvider(createClient({ url: app.url }), { home: '/posts', login: '/enter' })
    assert.deepEqual(await auth.check(), { authenticated: false, redirectTo: '/enter' })
    assert.deepEqual([await auth.getIdentity(), await auth.getPermissions()], [null, null])
    assert.equal(app.asked.length, 0, 'requests without a token')
    const wrong = await auth.login({ ...ADMIN, password: 'wrong' })
    assert.ok(!wrong.success && /password is wrong/.test(String(wrong.error?.message)), JSON.stringify(wrong))
    assert.deepEqual(await auth.login(AUTHOR), { success: true, redirectTo: '/posts' })
    assert.deepEqual(await auth.check(), { authenticated: true })
    assert.equal(((await auth.getIdentity()) as { name: string }).name, 'Anna Lindqvist')
    assert.ok(((await auth.getPermissions()) as string[]).includes('view_post'), 'no permissions')
    assert.deepEqual(await auth.logout({}), { success: true, redirectTo: '/enter' })
    assert.deepEqual(await auth.check(), { authenticated: false, redirectTo: '/enter' })
  })

  test('returns the right identity after a request during the login', async () => {
    const auth = authProvider(await loggedIn(app))
    const login = auth.login(AUTHOR)
    const earlier = auth.getPermissions()
    await Promise.all([login, earlier])
    assert.ok(!((await auth.getPermissions()) as string[]).includes('delete_user'), 'permissions of the former user')
  })

  test('logs out on 401 and not on 403', async () => {
    const client = await loggedIn(app, {}, AUTHOR)
    const [auth, provider] = [authProvider(client), dataProvider(client)]
    const forbidden = await failureOf(provider.deleteOne({ resource: 'user', id: 1 }))
    assert.equal(forbidden.statusCode, 403)
    assert.deepEqual(await auth.onError(forbidden), {})
    app.advance(8 * 24 * 60 * 60_000)
    const over = await failureOf(provider.getOne({ resource: 'tag', id: 1 }))
    assert.deepEqual(await auth.onError(over), { logout: true, redirectTo: '/login', error: over })
  })
})
