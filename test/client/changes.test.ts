import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AdminError } from '../../src/client/client.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { AUTHOR, type LiveApp, loggedIn, openLive } from './live.ts'

const isOfType = (type: AdminError['type']) => (error: unknown) => error instanceof AdminError && error.type === type

describe('a client of a server that records a history', () => {
  let app: LiveApp
  let client: Awaited<ReturnType<typeof loggedIn>>
  before(async () => {
    app = await openLive({ settings: { history: { days: 90 } } })
    client = await loggedIn(app)
  })
  after(() => app.close())

  test('returns the site', async () => {
    const { user, models, api_root, capabilities } = await client.site()
    assert.deepEqual([user.username, api_root, capabilities.history], ['admin', '/api/v1', true])
    const post = models.find(({ key }) => key === 'post')
    assert.deepEqual(post?.can, ['view', 'add', 'change', 'delete'])
    assert.equal(post.fields.find(({ name }) => name === 'author_id')?.relation?.model, 'user')
  })

  test('searches all models, or some of them', async () => {
    const { data, total } = await client.search('harbour', { limit: 3 })
    assert.ok(total > 3 && data.length === 3, `${total} hits`)
    const [hit] = (await client.search('harbour', { models: ['post', 'comment'] })).data
    assert.ok(hit !== undefined && ['post', 'comment'].includes(hit.model) && hit.label !== '', JSON.stringify(hit))
    await assert.rejects(client.search('harbour', { models: ['pots'] }), isOfType('not_found'))
  })

  test('searches a model, with fields of related records', async () => {
    const { data } = await client.model('post').search('harbour', { include: ['author__username'], page_size: 1 })
    assert.deepEqual(Object.keys(data[0]?.author ?? {}), ['id', 'username'])
  })

  test('returns generated views on request', async () => {
    assert.deepEqual(await client.viewsOf('permission'), [])
    const views = await client.viewsOf('permission', { generated: true })
    assert.deepEqual(valuesOf(views, 'view_type', 'generated'), [
      ['form', true],
      ['list', true],
    ])
    assert.deepEqual((await client.views({ generated: true })).permission, views)
    assert.equal((await client.views()).permission, undefined)
  })

  test('returns the findings of lint to superusers', async () => {
    assert.equal((await client.lint()).summary.errors, 0)
    const author = await loggedIn(app, {}, AUTHOR)
    await assert.rejects(author.lint(), isOfType('permission'))
  })

  test('rehearses changes without storing anything', async () => {
    const tags = client.model('tag')
    const { total } = await tags.list()
    const created = await tags.create({ name: 'Reef', slug: 'reef' }, { form_id: 'TagForm', dryRun: true })
    assert.deepEqual(Object.keys(created), ['data'])
    assert.equal(created.data.name, 'Reef')
    await assert.rejects(tags.create({ name: '' }, { dryRun: true }), isOfType('validation'))
    assert.equal((await tags.update(1, { name: 'Other' }, { dryRun: true })).data.name, 'Other')
    assert.equal((await tags.bulkCreate([{ name: 'A', slug: 'a' }], { dryRun: true })).total, 1)
    assert.equal((await tags.bulkUpdate([{ id: 1, data: { name: 'B' } }], { dryRun: true })).data[0]?.name, 'B')
    const forecast = await client.model('post').delete(1, { dryRun: true })
    assert.ok(forecast.consequences.some(({ model, action, count }) => model === 'comment' && action === 'cascade' && count > 0))
    assert.deepEqual(forecast.blocked_by, [])
    const many = await client.model('category').bulkDelete([1], { dryRun: true })
    assert.ok(many.total === 1 && Array.isArray(many.blocked_by), JSON.stringify(many))
    assert.equal((await tags.list()).total, total)
    assert.notEqual((await tags.read(1)).data.name, 'Other')
  })

  test('stores records of several models together', async () => {
    const { data, total, etags } = await client.batch(
      [
        { method: 'create', model: 'category', data: { name: 'Batched', slug: 'batched' }, ref: 'batched' },
        { method: 'update', model: 'post', id: 1, data: { category_id: { $ref: 'batched' } } },
      ],
      { etags: true },
    )
    const [category, post] = data
    assert.deepEqual([total, post.category_id], [2, category.id])
    assert.equal(
      (await client.batch([{ method: 'update', model: 'post', id: 1, data: {}, if_match: etags?.[1] ?? '' }])).total,
      1,
    )
    const history = await client.model('post').history(1, { page_size: 1 })
    const [ofPost, ofCategory] = [history.data[0], (await client.model('category').history(category.id)).data[0]]
    assert.ok(ofPost?.request_id != null && ofPost.request_id === ofCategory?.request_id, 'one request in the history')
    await assert.rejects(
      client.batch([
        { method: 'delete', model: 'post', id: 1 },
        { method: 'create', model: 'category', data: { name: 'x', slug: 'batched' } },
      ]),
      (error: AdminError) => error.type === 'validation' && 'slug' in error.errorsOf(1),
    )
  })

  test('changes and deletes all records that match', async () => {
    const tags = client.model('tag')
    await tags.bulkCreate([1, 2, 3].map((n) => ({ name: `Many | ${n}`, slug: `many-${n}` })))
    const filters = { slug__startswith: 'many-' }
    await assert.rejects(tags.bulkDelete({ filters, expectedTotal: 2 }), isOfType('conflict'))
    const some = { any: [{ name: 'Many | 1', slug: 'many-2' }], filters, expectedTotal: 2, data: { color: '#123456' } }
    assert.equal((await tags.bulkUpdate(some, { form_id: 'TagForm', dryRun: true })).total, 2)
    const updated = await tags.bulkUpdate(some, { form_id: 'TagForm' })
    assert.deepEqual(valuesOf(updated.data, 'color'), ['#123456', '#123456'])
    assert.equal(updated.etags, undefined)
    const { data, etags = [] } = await tags.bulkUpdate({ ...some, data: { color: '#654321' } }, { etags: true })
    const back = data.map(({ id }, index) => ({ id, data: { color: '#000000' }, if_match: etags[index] }))
    await tags.update(data[1]?.id ?? 0, { color: '#000001' })
    await assert.rejects(tags.bulkUpdate(back), (error: AdminError) => 'if_match' in error.errorsOf(1))
    assert.equal((await tags.bulkUpdate(back.slice(0, 1))).data[0]?.color, '#000000')
    const { total } = await client.model('comment').search('harbour')
    const words = { filters: [], search: 'harbour', expectedTotal: total }
    assert.equal((await client.model('comment').bulkDelete(words, { dryRun: true })).total, total)
    assert.equal((await tags.bulkDelete({ filters, expectedTotal: 3 })).total, 3)
  })

  test('deletes a snapshot', async () => {
    await client.request('/snapshots', { method: 'POST', body: { name: 'before' } })
    await client.deleteSnapshot('before')
    await assert.rejects(client.deleteSnapshot('before'), isOfType('not_found'))
    const author = await loggedIn(app, {}, AUTHOR)
    await assert.rejects(author.deleteSnapshot('before'), isOfType('permission'))
  })

  test('returns the history of a record, and to superusers that of all', async () => {
    const tags = client.model('tag')
    const { data } = await tags.create({ name: 'Knots', slug: 'knots' })
    await tags.update(data.id, { name: 'Hitches' })
    const [latest, first] = (await tags.history(data.id)).data
    assert.deepEqual([latest?.action, latest?.user?.username, latest?.via], ['update', 'admin', 'api'])
    assert.deepEqual(latest?.changes, { name: { before: 'Knots', after: 'Hitches' } })
    assert.equal(first?.action, 'create')
    const page = await client.history({ filters: { model: 'tag', record_id: data.id }, sort: ['id'], page_size: 1 })
    assert.deepEqual([page.total, page.data[0]?.id], [2, first?.id])
    const author = await loggedIn(app, {}, AUTHOR)
    await assert.rejects(author.history(), isOfType('permission'))
    await assert.rejects(tags.history(9999), isOfType('not_found'))
  })
})
