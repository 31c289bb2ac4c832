import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AdminError, type ClientOptions, createClient, memoryStorage } from '../../src/client/client.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { ADMIN, type LiveApp, loggedIn, openLive } from './live.ts'

describe('a client of a live server', () => {
  let app: LiveApp
  let client: Awaited<ReturnType<typeof loggedIn>>
  before(async () => {
    app = await openLive()
    client = await loggedIn(app)
  })
  after(() => app.close())

  test('returns the logged-in user', async () => {
    const { data, permissions } = await client.me()
    assert.equal(data.username, ADMIN.username)
    assert.ok(permissions.includes('delete_post'), permissions.join(' '))
  })

  test('lists by filters, orders, pages, fields and related fields', async () => {
    const page = await client.model('post').list({
      filters: { status: 'published', author__username__in: ['admin', 'anna.lind'], rating__gte: 4, event_date: null },
      sort: ['-rating', 'title'],
      page: 1,
      page_size: 2,
      fields: ['title', 'rating'],
      include: ['author__username'],
    })
    assert.ok(page.total > 2 && page.has_next && page.data.length === 2, JSON.stringify(page))
    const [first, second] = page.data
    assert.deepEqual(Object.keys(first ?? {}).sort(), ['author', 'id', 'rating', 'title'])
    assert.ok(Number(first?.rating) >= Number(second?.rating), 'not the best first')
  })

  test('accepts filters as strings, too', async () => {
    const texts = await client.model('tag').list({ filters: ['id__gt=2', 'id__lt=5'] })
    assert.deepEqual(valuesOf(texts.data, 'id'), [3, 4])
  })

  test('iterates over all records, each once, while others are created and deleted', async () => {
    const tags = client.model('tag')
    const records = Array.from({ length: 230 }, (_, index) => ({ name: `All ${index}`, slug: `all-${index}` }))
    const made = await tags.bulkCreate(records)
    const seen: number[] = []
    for await (const { id } of tags.all({ filters: { slug__startswith: 'all-' }, fields: ['slug'] })) {
      // What was seen already goes, so that pages by number would leave some out.
      if (seen.length < 50) await tags.delete(id)
      seen.push(id)
    }
    assert.deepEqual(seen, valuesOf(made.data, 'id'))
    const left = await tags.bulkDelete(seen.slice(50))
    assert.equal(left.total, 180)
  })

  test('creates, reads, changes and deletes, under forms and guarded by etags', async () => {
    const tags = client.model('tag')
    const created = await tags.create({ name: 'Knots', slug: 'knots' }, { form_id: 'TagForm' })
    const { id } = created.data
    const read = await tags.read(id)
    assert.deepEqual(read, created)
    const changed = await tags.update(id, { color: '#123456' }, { form_id: 'TagForm', if_match: read.etag })
    assert.equal(changed.data.color, '#123456')
    const isStale = (error: unknown) => error instanceof AdminError && error.type === 'precondition' && error.status === 412
    await assert.rejects(tags.update(id, { color: '#654321' }, { if_match: read.etag }), isStale)
    await assert.rejects(tags.delete(id, { if_match: read.etag }), isStale)
    assert.deepEqual((await tags.delete(id, { if_match: changed.etag })).data, changed.data)
    await assert.rejects(tags.read(id), (error) => error instanceof AdminError && error.type === 'not_found')
  })

  test('changes many at once', async () => {
    const tags = client.model('tag')
    const updates = [1, 2].map((id) => ({ id, data: { color: '#abcdef' } }))
    const { data, total } = await tags.bulkUpdate(updates, { form_id: 'TagForm' })
    assert.equal(total, 2)
    assert.ok(
      data.every(({ color }) => color === '#abcdef'),
      JSON.stringify(data),
    )
  })

  test('searches', async () => {
    const { data, hits, total } = await client.model('post').search('lantrn', { fuzzy: true, fields: ['title'], page_size: 1 })
    assert.ok(total >= 1 && data.length === 1, `found ${total}`)
    assert.match(String(data[0]?.title), /lantern/)
    assert.deepEqual(Object.keys(hits[0]?.matches ?? {}), ['title'])
  })

  test('exports and imports a file', async () => {
    const tags = client.model('tag')
    const file = await tags.export({ format: 'ndjson', fields: ['name', 'slug'], filters: { id__lte: 2 }, sort: ['-id'] })
    assert.equal(file.headers.get('content-type'), 'application/x-ndjson')
    const lines = (await file.text()).trim().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      [2, 1],
    )
    const csv = 'name,slug\r\nRopes,ropes\r\nSails,sails\r\n'
    const dry = await tags.import(csv, { format: 'csv', dry_run: true })
    assert.deepEqual([dry.dry_run, dry.created, dry.total], [true, 2, 2])
    const done = await tags.import(new Blob([csv]), { format: 'csv', upsert_by: 'slug' })
    assert.deepEqual([done.dry_run, done.created], [false, 2])
    await assert.rejects(tags.import(csv, { format: 'csv' }), (error) => {
      assert.ok(error instanceof AdminError, String(error))
      assert.deepEqual(error.errorsOf(2), { name: ['name must be unique'], slug: ['slug must be unique'] })
      return true
    })
  })

  test('returns mock records', async () => {
    const [one, two] = [
      await client.model('user').mock({ count: 3, seed: 7 }),
      await client.model('user').mock({ count: 3, seed: 7 }),
    ]
    assert.equal(one.data.length, 3)
    assert.deepEqual(one, two)
  })

  test('returns views, and calls routes without a method of their own', async () => {
    const views = await client.views()
    assert.ok(views.tag?.some(({ name, creation_fields }) => name === 'TagForm' && creation_fields?.includes('slug')))
    assert.equal((await client.viewsOf('post')).length, 3)
    const made = await client.request('/webhooks', {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/hook', events: ['create'] },
    })
    assert.match(JSON.stringify(made), /whsec_/)
    const listed = (await client.request('/webhooks', { query: [['page_size', 1]] })) as { total: number }
    assert.equal(listed.total, 1)
  })

  test('sends JSON with the given content type', async () => {
    for (const name of ['Content-Type', 'content-type', 'CONTENT-TYPE']) {
      const body = { data: { name: `By ${name}`, slug: `by-${name.charCodeAt(0)}-${name.charCodeAt(1)}` } }
      const made = await client.request('/models/tag', { method: 'POST', headers: { [name]: 'application/json' }, body })
      assert.equal((made as { data: { slug: string } }).data.slug, body.data.slug)
    }
  })

  test('accepts a token instead of a login, but not with a storage', async () => {
    const visitor = createClient({ url: `${app.url}/`, token: await app.tokenOf('anna.lind') })
    assert.equal((await visitor.me()).data.username, 'anna.lind')
    const both = { url: app.url, token: 't', storage: memoryStorage() } as unknown as ClientOptions
    assert.throws(() => createClient(both), { name: 'TypeError', message: /either 'token' or 'storage'/ })
  })
})

test('uses another base path, version and admin path', async () => {
  await using app = await openLive({ settings: { base_path: '/shop', admin_path: '/back', api_version: 'v2' } })
  const client = createClient({ url: `${app.url}/shop`, admin_path: '/back', api_version: 'v2' })
  await client.login(ADMIN.username, ADMIN.password)
  assert.equal((await client.model('tag').read(1)).data.id, 1)
  assert.ok((await client.viewsOf('tag')).length > 0, 'no views')
  assert.equal(client.apiUrl, `${app.url}/shop/api/v2`)
})
