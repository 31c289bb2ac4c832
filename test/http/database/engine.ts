import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestApp, type TestApp, type TestEngine } from '../../helpers/api/app.ts'
import { valuesOf } from '../../helpers/values-of.ts'

/** Tests of the whole API on an engine. Each continues on the state that those before it left. */
export function apiOn(engine: TestEngine, options: { readonly skip?: string | undefined } = {}): void {
  const { skip = false } = options
  describe(`the API with the records in ${engine}`, { skip }, () => {
    let app: TestApp
    let authorization: string
    before(async () => {
      app = await openTestApp({ engine, settings: { history: { days: 30 } } })
      authorization = `Bearer ${await app.tokenOf('admin')}`
    })
    after(() => app.close())

    const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, headers: object = {}) => {
      const {
        statusCode,
        payload: text,
        headers: sent,
      } = await app.server.inject({
        method,
        url: path.startsWith('/admin') ? path : `/api/v1${path}`,
        headers: { authorization, ...headers },
        ...(payload === undefined ? {} : { payload }),
      })
      return { status: statusCode, json: JSON.parse(text), etag: String(sent.etag) }
    }

    test('users log in', async () => {
      const login = await send('POST', '/auth/token', { username: 'admin', password: 'harbour-admin-2024' })
      assert.equal(login.status, 200)
      assert.equal((await send('GET', '/auth/me')).json.data.username, 'admin')
    })

    test('lists have exact totals, filters through relations, and orders', async () => {
      const { json } = await send(
        'GET',
        '/models/post?filters=status=draft&filters=author__username=anna.lind&sort_by=title&page_size=2',
      )
      const all = await send('GET', '/models/post?filters=status=draft&filters=author__username=anna.lind&page_size=100')
      assert.equal(json.total, all.json.data.length)
      const titles = all.json.data.map(({ title }: { title: string }) => title).sort()
      assert.deepEqual(valuesOf(json.data, 'title'), titles.slice(0, 2))
    })

    test('records are created, read, updated with If-Match, and deleted', async () => {
      const created = await send('POST', '/models/tag', { data: { name: 'Knots', slug: 'knots', color: '#112233' } })
      assert.deepEqual([created.status, created.json.data.id], [201, 13])
      const read = await send('GET', '/models/tag/13')
      assert.equal(read.etag, created.etag)
      const update = { data: { name: 'Bends' } }
      assert.equal((await send('PUT', '/models/tag/13', update, { 'if-match': read.etag })).status, 200)
      assert.equal((await send('PUT', '/models/tag/13', update, { 'if-match': read.etag })).status, 412)
      assert.equal((await send('POST', '/models/tag', { data: { name: 'Bends', slug: 'ferries' } })).status, 400)
      assert.equal((await send('DELETE', '/models/tag/13')).status, 200)
      assert.equal((await send('GET', '/models/tag/13')).status, 404)
    })

    test('the history has who changed what', async () => {
      const { json } = await send('GET', '/models/tag/13/history')
      assert.deepEqual(json.data.map(({ action }: { action: string }) => action).sort(), ['create', 'delete', 'update'])
    })

    test('aggregates, searches and the description of the site', async () => {
      const groups = await send('GET', '/models/post/aggregate?group_by=status&count=true')
      const counted = groups.json.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      assert.equal(counted, 46)
      const found = await send('GET', '/models/post/search?q=night ferr')
      assert.ok(found.json.total >= 1, JSON.stringify(found.json))
      const site = await send('GET', '/admin/api/v1/site')
      assert.ok(JSON.stringify(site.json).includes('"snapshots":false'))
    })

    test('a reset creates the seed records again', async () => {
      await send('POST', '/models/tag', { data: { name: 'Knots', slug: 'knots' } })
      await app.live.replace({ data: { kind: 'reset', seeds: true, accounts: false } })
      assert.equal((await send('GET', '/models/tag')).json.total, 12)
    })

    test('a closed application is opened again with its records', async () => {
      await send('POST', '/models/tag', { data: { name: 'Knots', slug: 'knots' } })
      app = await app.reopen()
      assert.equal((await send('GET', '/models/tag')).json.total, 13)
      assert.equal(app.app.seeded, 0)
    })

    test('no request was an internal error', () => assert.deepEqual(app.reported, []))
  })
}
