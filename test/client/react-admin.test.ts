import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AdminError, createClient } from '../../src/client/client.ts'
import { authProvider, dataProvider, HttpError } from '../../src/client/react-admin.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { ADMIN, AUTHOR, type LiveApp, loggedIn, noting, openLive, type Sent } from './live.ts'

const USUAL = { pagination: { page: 1, perPage: 10 }, sort: { field: 'id', order: 'ASC' as const } }

const LOCAL = '2026-01-05T10:00'
/** The zone of these tests is India's, which is half an hour off. */
const OFFSET = '+05:30'
process.env.TZ = 'Asia/Kolkata'

describe('the data provider of react-admin', () => {
  let app: LiveApp
  let provider: ReturnType<typeof dataProvider>
  let sent: Sent[]
  beforeEach(async () => {
    app = await openLive()
    const noted = noting()
    provider = dataProvider(await loggedIn(app, { fetch: noted.fetch }), {
      forms: { tag: { create: 'TagForm', update: 'TagForm' } },
    })
    sent = noted.sent
  })
  afterEach(() => app.close())

  const makeTags = async (count: number, prefix = 'made') => {
    const client = await loggedIn(app)
    const ids: number[] = []
    for (let done = 0; done < count; done += 1000) {
      const size = Math.min(1000, count - done)
      const records = Array.from({ length: size }, (_, index) => ({
        name: `${prefix} ${done + index}`,
        slug: `${prefix}-${done + index}`,
      }))
      ids.push(...(await client.model('tag').bulkCreate(records)).data.map(({ id }) => id))
    }
    return ids
  }

  test('lists by filters, orders and pages, with exact totals', async () => {
    const filter = { status: ['published', 'archived'], 'author.username': 'anna.lind', category: { slug__ne: 'x' } }
    const { data, total } = await provider.getList('post', {
      pagination: { page: 2, perPage: 2 },
      sort: { field: 'title', order: 'DESC' },
      filter,
    })
    const all = await provider.getList('post', { ...USUAL, sort: { field: 'title', order: 'DESC' }, filter })
    assert.ok(all.total !== undefined && all.total > 2, `only ${all.total}`)
    assert.equal(total, all.total)
    assert.deepEqual(data, all.data.slice(2, 4))
    const { query } = sent.find(({ path }) => path === 'post') ?? assert.fail('nothing was asked')
    assert.deepEqual(query.getAll('filters'), [
      'status__in=published,archived',
      'author__username=anna.lind',
      'category__slug__ne=x',
    ])
  })

  test('searches for q, and finds words', async () => {
    const { data, total } = await provider.getList('post', { ...USUAL, filter: { q: ' lantern ', status: 'published' } })
    assert.ok(total !== undefined && total > 0 && data.length === Math.min(10, total), `found ${total}`)
    assert.ok(
      sent.some(({ path }) => path === 'post/search'),
      'no search',
    )
    const everything = await provider.getList('post', { ...USUAL, filter: { q: ' ' } })
    assert.ok(Number(everything.total) > Number(total), 'blanks are searched for')
    await provider.getList('post', { ...USUAL, filter: { q: 2024 } })
    assert.deepEqual([sent.at(-1)?.path, sent.at(-1)?.query.get('q')], ['post/search', '2024'])
    await assert.rejects(provider.getList('post', { ...USUAL, filter: { q: ['lantern'] } }), /'q' has a value of type object/)
  })

  test('orders a search by relevance, or by any order but that of ids', async () => {
    const asked = async (field: string, order: 'ASC' | 'DESC') => {
      await provider.getList('post', { ...USUAL, sort: { field, order }, filter: { q: 'lantern' } })
      const { query } = sent.filter(({ path }) => path === 'post/search').at(-1) ?? assert.fail('nothing was asked')
      return [query.get('sort_by'), query.get('sort_order')]
    }
    assert.deepEqual(await asked('id', 'ASC'), [null, null])
    assert.deepEqual(await asked('title', 'ASC'), ['title', 'asc'])
    assert.deepEqual(await asked('id', 'DESC'), ['id', 'desc'])
  })

  test('sends date-times and filters on them with the offset of the browser', async () => {
    const { data: previousData } = await provider.getOne('post', { id: 1 })
    const params = { id: 1, data: { published_at: LOCAL }, previousData }
    assert.equal((await provider.update('post', params)).data.published_at, new Date(LOCAL).toISOString())
    const unchanged = {
      id: 1,
      data: { published_at: LOCAL },
      previousData: { id: 1, published_at: new Date(LOCAL).toISOString() },
    }
    const count = sent.length
    await provider.update('post', unchanged)
    assert.equal(sent.length, count, 'the same moment was sent as a change')
    const filter = { published_at__gte: LOCAL, author: { created_at__gte: '2020-01-05' }, title__ne: '2020-01-05' }
    await provider.getList('post', { ...USUAL, filter })
    assert.deepEqual(
      sent
        .filter(({ path }) => path === 'post')
        .at(-1)
        ?.query.getAll('filters'),
      [`published_at__gte=${LOCAL}${OFFSET}`, `author__created_at__gte=2020-01-05T00:00${OFFSET}`, 'title__ne=2020-01-05'],
    )
  })

  test('refuses to overwrite a field that another client has changed, and only that', async () => {
    const { data: previousData } = await provider.getOne('post', { id: 1 })
    const client = await loggedIn(app)
    const other = (data: object) => client.model('post').update(1, data as never)
    await other({ title: 'Changed elsewhere', rating: 1 })
    const edit = (data: object) => provider.update('post', { id: 1, data: { ...previousData, ...data }, previousData })
    await assert.rejects(edit({ title: 'Mine' }), (error) => {
      assert.ok(error instanceof HttpError && error.status === 412, String(error))
      assert.match(error.message, /^post 1 has changed since it was read \(title\); load it again/)
      return true
    })
    const { data } = await edit({ summary: 'Mine' })
    assert.deepEqual([data.title, data.summary, data.rating], ['Changed elsewhere', 'Mine', 1])
    assert.equal((await edit({ title: 'Changed elsewhere' })).data.title, 'Changed elsewhere', 'the same change is no conflict')
  })

  test('makes pages that are larger than those of the server', async () => {
    const ids = await makeTags(260)
    const params = { sort: { field: 'id', order: 'ASC' as const }, filter: { slug__startswith: 'made-' } }
    const first = await provider.getList('tag', { ...params, pagination: { page: 1, perPage: 150 } })
    const second = await provider.getList('tag', { ...params, pagination: { page: 2, perPage: 150 } })
    assert.deepEqual(valuesOf([...first.data, ...second.data], 'id'), ids)
    assert.deepEqual([first.total, second.total], [260, 260])
  })

  test('gets many beyond a hundred, in order, those that are there', async () => {
    const ids = (await makeTags(250)).reverse()
    const { data } = await provider.getMany('tag', { ids: [...ids.slice(0, 130), 99_999, ...ids.slice(130)] })
    assert.deepEqual(valuesOf(data, 'id'), ids)
    const asked = sent.filter(({ path }) => path === 'tag')
    assert.equal(asked.length, 3)
    assert.deepEqual((await provider.getMany('tag', { ids: [] })).data, [])
  })

  test('gets references by a foreign key and by many-to-many', async () => {
    const byAuthor = await provider.getManyReference('post', { ...USUAL, target: 'author_id', id: 3, filter: {} })
    assert.ok(byAuthor.data.length > 0 && byAuthor.data.every(({ author_id }) => author_id === 3), 'posts of others')
    const tagged = await provider.getManyReference('post', { ...USUAL, target: 'tags', id: 12, filter: { status: 'published' } })
    assert.ok(tagged.data.length > 0 && tagged.data.every(({ tags }) => tags.includes(12)), 'posts without the tag')
    for (const id of [undefined, null]) {
      const none = await provider.getManyReference('post', { ...USUAL, target: 'author_id', id: id as never, filter: {} })
      assert.deepEqual(none, { data: [], total: 0 })
    }
  })

  test('shows many-to-many as ids, and JSON as it is', async () => {
    const client = await loggedIn(app)
    const metadata = [{ id: 1, note: 'no record' }]
    await client.model('post').update(1, { metadata, tags: [3, { id: 1 }] })
    const { data } = await provider.getOne('post', { id: 1 })
    assert.deepEqual([...data.tags].sort(), [1, 3])
    assert.deepEqual(data.metadata, metadata)
    assert.equal(data.author.username, 'admin')
  })

  test('sends only changed members, emptied fields as null', async () => {
    const { data: previousData } = await provider.getOne('post', { id: 2 })
    const data = {
      ...previousData,
      title: 'Inside the lantern room, again',
      tags: [...previousData.tags, 12],
      summary: undefined,
    }
    const updated = await provider.update('post', { id: 2, data, previousData })
    const { method, path, body } = sent.at(-1) ?? assert.fail('nothing was sent')
    assert.deepEqual([method, path], ['PUT', 'post/2'])
    assert.deepEqual(body, { data: { title: data.title, summary: null, tags: data.tags } })
    assert.ok(updated.data.tags.includes(12) && updated.data.summary === null, JSON.stringify(updated.data))
  })

  test('sends no request without changes, ignoring what the server sets', async () => {
    const { data: previousData } = await provider.getOne('post', { id: 2 })
    const before = sent.length
    const same = { ...previousData, updated_at: '2030-01-01T00:00:00Z', author: { id: 9 }, id: 7 }
    assert.deepEqual((await provider.update('post', { id: 2, data: same, previousData })).data, previousData)
    assert.equal(sent.length, before)
  })

  test('creates under its form, also from a copy of another record', async () => {
    const { data: original } = await provider.getOne('tag', { id: 1 })
    const { data } = await provider.create('tag', { data: { ...original, name: 'A copy', slug: 'a-copy' } })
    assert.notEqual(data.id, original.id)
    const { body } = sent.at(-1) ?? assert.fail('nothing was sent')
    assert.deepEqual(Object(body).form_id, 'TagForm')
    const { data: post } = await provider.getOne('post', { id: 2 })
    const copy = await provider.create('post', { data: { ...post, slug: 'another', published_at: null, status: 'draft' } })
    assert.deepEqual(copy.data.tags, post.tags)
  })

  test('changes and deletes more than a thousand, a thousand at a time', async () => {
    const ids = await makeTags(1100)
    const changed = await provider.updateMany('tag', { ids, data: { color: '#00ff00' } })
    assert.deepEqual(changed.data, ids)
    const deleted = await provider.deleteMany('tag', { ids: ids.map(String) })
    assert.equal(deleted.data?.length, 1100)
    assert.deepEqual(
      sent.filter(({ path }) => path === 'tag/bulk').map(({ method }) => method),
      ['PUT', 'PUT', 'DELETE', 'DELETE'],
    )
    assert.equal((await provider.getList('tag', { ...USUAL, filter: { slug__startswith: 'made-' } })).total, 0)
  })

  test('deletes one, with if_match if given', async () => {
    const [id = 0] = await makeTags(1)
    await assert.rejects(provider.delete('tag', { id, meta: { if_match: '"0.0"' } }), (error) => isHttp(error, 412))
    assert.equal((await provider.delete('tag', { id })).data.slug, 'made-0')
  })

  const isHttp = (error: unknown, status: number) => error instanceof HttpError && error.status === status

  test('assigns validation errors to inputs, and others to the notification', async () => {
    const error = await provider.create('tag', { data: { name: 'x', slug: 'no slug', color: 'red' } }).catch((each) => each)
    assert.ok(isHttp(error, 400) && error.cause instanceof AdminError, String(error))
    const { root, ...errors } = error.body.errors
    assert.deepEqual(errors, {
      name: 'Name must be at least 2 characters long',
      slug: 'Slug format is invalid',
      color: 'Write the colour as a # and six lower-case hex digits, such as #1f6f8b',
    })
    assert.equal(root.serverError, error.message)
    const query = await provider.getList('tag', { ...USUAL, filter: { nme: 'x' } }).catch((each) => each)
    assert.ok(isHttp(query, 400) && query.body.errors === undefined, JSON.stringify(query.body))
    assert.match(query.message, /Unknown field 'nme'; did you mean 'name'/)
    assert.ok(isHttp(await provider.getOne('tag', { id: 999 }).catch((each) => each), 404), 'found')
    assert.ok(isHttp(await provider.getOne('nothing', { id: 1 }).catch((each) => each), 404), 'found')
  })

  test('is aborted by a signal', async () => {
    const controller = new AbortController()
    const list = provider.getList('post', { ...USUAL, filter: {}, signal: controller.signal })
    controller.abort()
    await assert.rejects(list, { name: 'AbortError' })
  })
})

describe('the auth provider of react-admin', () => {
  let app: LiveApp
  beforeEach(async () => {
    app = await openLive()
  })
  afterEach(() => app.close())

  test('logs in and out, and returns identity and permissions', async () => {
    const client = createClient({ url: app.url })
    const auth = authProvider(client)
    await assert.rejects(auth.checkAuth({}), /auth_check_error/)
    await assert.rejects(Promise.resolve(auth.getIdentity?.()), { status: 401 })
    assert.deepEqual([await auth.getPermissions?.({}), await auth.canAccess?.({ action: 'list', resource: 'post' })], [[], false])
    assert.equal(app.asked.length, 0, 'requests without a token')
    await assert.rejects(auth.login({ ...ADMIN, password: 'wrong' }), /password is wrong/)
    await auth.login(AUTHOR)
    await auth.checkAuth({})
    const identity = await auth.getIdentity?.()
    assert.deepEqual([identity?.id, identity?.fullName], [3, 'Anna Lindqvist'])
    const permissions = await auth.getPermissions?.({})
    assert.ok(permissions.includes('view_post') && !permissions.includes('delete_user'), permissions.join(' '))
    const can = (action: string, resource: string) => auth.canAccess?.({ action, resource })
    assert.deepEqual([await can('list', 'post'), await can('delete', 'user'), await can('approve', 'post')], [true, false, true])
    assert.equal(app.asked.filter((request) => request.endsWith('/auth/me')).length, 1)
    await auth.logout({})
    await assert.rejects(auth.checkAuth({}), /auth_check_error/)
    await auth.login(ADMIN)
    assert.equal((await auth.getIdentity?.())?.fullName, 'Ingrid Solheim')
  })

  test('returns the right identity after a request during a login or logout', async () => {
    const auth = authProvider(await loggedIn(app))
    const asked = async (changed: Promise<unknown>) => {
      const earlier = auth.getIdentity?.().catch(() => {})
      await changed
      await earlier
    }
    await asked(auth.login(AUTHOR))
    assert.equal((await auth.getIdentity?.())?.username, AUTHOR.username)
    await asked(auth.logout({}))
    await assert.rejects(Promise.resolve(auth.getIdentity?.()), { status: 401 })
    await auth.login(ADMIN)
    assert.equal((await auth.getIdentity?.())?.username, ADMIN.username)
  })

  test('logs out on 401 and not on 403', async () => {
    const client = await loggedIn(app, {}, AUTHOR)
    const [auth, provider] = [authProvider(client), dataProvider(client)]
    const forbidden = await provider.delete('user', { id: 1 }).catch((each) => each)
    assert.equal(forbidden.status, 403)
    await auth.checkError(forbidden)
    app.advance(31 * 60_000)
    await provider.getOne('tag', { id: 1 })
    app.advance(8 * 24 * 60 * 60_000)
    const over = await provider.getOne('tag', { id: 1 }).catch((each) => each)
    assert.equal(over.status, 401)
    await assert.rejects(auth.checkError(over))
    await assert.rejects(auth.checkAuth({}), /auth_check_error/)
  })
})
