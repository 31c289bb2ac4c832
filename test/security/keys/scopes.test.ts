import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROUTES } from '../../../src/http/api.ts'
import { routeSource } from '../../../src/http/api-route.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { EventReader } from '../../http/events/event-reader.ts'
import { beginFollowing, CLASSIFIED, call, keyOf, openKeyed } from './keyed-project.ts'

const API = '/api/v1'

/** What a request needs beside its path, so that it is refused or answered for the sake of its rights only. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /models/{model}/search': 'q=harbour',
  'GET /models/{model}/export': 'format=csv&labels=true',
  'GET /models/{model}/aggregate': 'count&sum=points',
  'GET /search': 'q=harbour',
}

const BODIES: Readonly<Record<string, unknown>> = {
  'POST /models/{model}/mock': { count: 1 },
  'POST /batch': { operations: [{ method: 'update', model: 'article', id: 1, data: { title: 'x' } }] },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_models', arguments: {} } },
  'POST /files/links': { files: [`${API}/files/article/1/attachment/none`] },
}

/**
 * What a key for `view_article` gets of the routes that are not of models, and that are neither open nor for superusers: those of the account are
 * refused without being listed.
 */
const OTHERS: Readonly<Record<string, number>> = {
  'GET /auth/me': 200,
  'POST /batch': 403,
  'POST /files/{model}/{field}': 403,
  'GET /files/uploads/{id}': 404,
  'DELETE /files/uploads/{id}': 404,
  // A link is good for what the key may read when it is used.
  'POST /files/links': 200,
  'GET /files/{model}/{record_id}/{field}/{id}': 404,
  'GET /history': 403,
  'GET /site': 200,
  'GET /search': 200,
  'GET /events': 204,
  'GET /views': 403,
  'GET /views/{model}': 403,
  'GET /openapi.json': 403,
  'GET /metrics': 403,
  'POST /mcp': 200,
  'GET /ext/report': 403,
  'POST /ext/pay': 403,
  'GET /ext/desk': 403,
  'POST /ext/desk': 403,
  'GET /ext/reading': 200,
  'POST /ext/removing': 403,
}

/** Routes of models that ask for the right to view, and answer something else than 200 for the records of this project. */
const OF_ARTICLES: Readonly<Record<string, number>> = {}

for (const owner of ['super', 'editor']) {
  describe(`a key of ${owner} for view_article`, () => {
    let app: TestApp
    let key: string
    before(async () => {
      app = await openKeyed({ settings: { views_auth: 'required', metrics: 'local', mcp: true } })
      key = (await keyOf(app, owner, ['view_article'])).key
      await beginFollowing(app)
    })
    after(() => app.close())

    test('gets of every route of the API what the scope names, and nothing else', async () => {
      const { project } = app.app
      const source = routeSource(project)
      const routes = ROUTES.flatMap((declare) => declare(source))
      let asked = 0
      const faults: string[] = []
      const unlisted = new Set(Object.keys(OTHERS))
      for (const route of routes) {
        const relative = route.path.replace('/admin', '').replace(API, '')
        const name = `${route.method} ${relative}`
        unlisted.delete(name)
        if (route.access === 'open' || name.startsWith('POST /auth/password')) continue
        const models = relative.startsWith('/models/')
          ? ['article', 'person', 'tag', 'memo', 'open', 'user', 'group']
          : ['article']
        for (const model of models) {
          const values = { model, record_id: '1', id: '1', name: 'tidy', field: 'attachment', action: 'publish', topic: 'x' }
          const path = route.path.replace(/\{(\w+)\*?\}/g, (_, part: string) => Reflect.get(values, part) ?? '1')
          const query = QUERIES[name] === undefined ? '' : `?${QUERIES[name]}`
          const reply =
            route.isStream === true
              ? { status: await statusOfStream(app, path, key), text: '' }
              : await call(
                  app,
                  key,
                  `${route.method} ${path}${query}`,
                  BODIES[name] ?? (route.method === 'GET' ? undefined : {}),
                  {
                    'x-forwarded-for': '203.0.113.9',
                    ...(name === 'POST /mcp' ? { accept: 'application/json, text/event-stream' } : {}),
                  },
                )
          asked++
          const isOfAccount = relative.startsWith('/auth/')
          const isOfModels = relative.startsWith('/models/')
          const expected: number | undefined =
            route.access === 'superuser' || (isOfModels && model !== 'article')
              ? // A model without actions has none, whoever asks.
                route.access === 'action'
                ? 404
                : 403
              : (OTHERS[name] ??
                (isOfAccount
                  ? 403
                  : isOfModels
                    ? route.access === 'view' || name.endsWith('/mock')
                      ? (OF_ARTICLES[name] ?? 200)
                      : 403
                    : undefined))
          if (reply.status !== expected)
            faults.push(`${name} (${path}) answered ${reply.status}, not ${expected}: ${reply.text.slice(0, 300)}`)
          if (name === 'POST /mcp' && !reply.text.includes('article')) faults.push(`${name} shows nothing: ${reply.text}`)
          if (reply.text.includes(CLASSIFIED))
            faults.push(`${name} (${path}) tells of what the scope does not name: ${reply.text}`)
        }
      }
      assert.deepEqual(faults, [])
      assert.deepEqual([...unlisted], [], 'these routes exist no more')
      assert.ok(asked >= 40, `${asked} requests`)
    })

    const refused = [
      'GET /models/article?include=author',
      'GET /models/article?fields=title,author.name',
      'GET /models/article?filters=author__name__startswith=c',
      'GET /models/article?filters=tags__name=x',
      'GET /models/article?filters=owner__email=x',
      'GET /models/article?any=author__name=x|title=harbour',
      'GET /models/article?sort_by=author__name',
      'GET /models/article/search?q=harbour&filters=author__name=x',
      'GET /models/article/export?format=json&filters=author__name=x',
      'GET /models/article/export?format=csv&fields=author.name',
      'GET /models/article/aggregate?count&filters=author__name=x',
      'GET /models/article/aggregate?count&group_by=author__name',
      'GET /search?q=classified&models=person',
      'GET /events?models=person',
    ]
    for (const request of refused) {
      test(`is refused ${request}`, async () => {
        const reply = await call(app, key, request.replace(' ', ` ${API}`))
        assert.ok([400, 403].includes(reply.status), `${reply.status} ${reply.text}`)
        assert.ok(!reply.text.includes('classified person'))
        // The owner is not: the scope is what refuses it, but for what nobody may ask.
        if (reply.status !== 403 || request.startsWith('GET /events')) return
        const own = await call(app, owner, request.replace(' ', ` ${API}`))
        assert.equal(own.status, 200, own.text)
      })
    }

    test('sees related records by their ids only', async () => {
      const { json } = await call(app, key, `GET ${API}/models/article/1`)
      assert.deepEqual([json.data.author, json.data.tags, json.data.owner], [{ id: 1 }, [{ id: 1 }], { id: 4 }])
      const list = await call(app, key, `GET ${API}/models/article`)
      assert.deepEqual(
        list.json.data.map(({ author }: { author: unknown }) => author),
        [{ id: 1 }, { id: 1 }],
      )
      const csv = await call(app, key, `GET ${API}/models/article/export?format=csv&labels=true`)
      assert.ok(csv.text.includes('harbour') && !csv.text.includes(CLASSIFIED))
    })

    test('has the site and the permissions of the scope', async () => {
      const { json } = await call(app, key, 'GET /admin/api/v1/site')
      assert.deepEqual(
        json.models.map((model: { key: string; can: string[] }) => [model.key, model.can]),
        [['article', ['view']]],
      )
      assert.deepEqual([json.user.is_superuser, json.saved_views], [false, []])
      const off = ['import', 'webhooks', 'snapshots', 'mock', 'lint', 'saved_views', 'share_views']
      for (const name of off) assert.equal(json.capabilities[name], false, name)
      const me = (await call(app, key, `GET ${API}/auth/me`)).json
      assert.deepEqual(me.permissions, ['view_article'])
      assert.deepEqual(me.data, { id: me.data.id, username: owner })
      const wider = await keyOf(app, owner, ['view_article', 'view_user'])
      assert.equal((await call(app, wider.key, `GET ${API}/auth/me`)).json.data.email, `${owner}@example.org`)
    })

    test('is told of changes of articles only, until it is revoked', async () => {
      await using open = await openKeyed()
      await beginFollowing(open)
      const { id, key: streamed } = await keyOf(open, owner, ['view_article'])
      const port = await open.live.start()
      const { reader } = await EventReader.open(`http://127.0.0.1:${port}${API}/events`, streamed)
      await reader.until(({ events }) => events.length > 0)
      await call(open, 'super', `PUT ${API}/models/person/1`, { data: { name: 'other' } })
      await call(open, 'super', `PUT ${API}/models/article/1`, { data: { title: 'other' } })
      open.advance(100)
      await reader.until(({ changes }) => changes.length > 0)
      assert.deepEqual(
        reader.changes.map(({ data }) => data.model),
        ['article'],
      )
      assert.equal((await call(open, owner, `DELETE ${API}/auth/keys/${id}`)).status, 200)
      open.advance(100)
      await reader.ended
      assert.equal(reader.events.at(-1)?.event, 'expired')
    })
  })
}

async function statusOfStream(app: TestApp, path: string, key: string): Promise<number> {
  const reply = await app.server.inject({ method: 'HEAD', url: path, headers: { authorization: `Bearer ${key}` } })
  return reply.statusCode
}
