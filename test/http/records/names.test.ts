import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, send } from '../../helpers/api/scenario.ts'
import { ids, UNLIMITED } from './expected.ts'

/** Names that every JavaScript object has already, and one that makes another object of it. */
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__']

type Request = Pick<Scenario, 'request' | 'rawBody' | 'as'>

const queries = (parameters: readonly string[]): Request[] =>
  parameters.map((parameter) => ({ request: `GET /api/v1/models/post?${parameter}` }))

const bodies = (target: Scenario['request'], texts: readonly string[]): Request[] =>
  texts.map((rawBody) => ({ request: target, rawBody }))

/** Where a name can turn up, and what is sent with it there. */
const PLACES: Readonly<Record<string, (name: string) => Request[]>> = {
  'as a model': (name) => [
    { request: `GET /api/v1/models/${name}` },
    { request: `GET /api/v1/models/${name}/1` },
    { request: `DELETE /api/v1/models/${name}/1` },
    { request: `GET /admin/api/v1/views/${name}/` },
    ...bodies(`POST /api/v1/models/${name}`, ['{"data": {}}']),
    ...bodies(`PUT /api/v1/models/${name}/1`, ['{"data": {}}']),
    ...bodies(`POST /api/v1/models/${name}/bulk`, ['{"records": [{}]}']),
    ...bodies(`PUT /api/v1/models/${name}/bulk`, ['{"updates": [{"id": 1, "data": {}}]}']),
    ...bodies(`DELETE /api/v1/models/${name}/bulk`, ['{"ids": [1]}']),
  ],
  'as a record': (name) => [
    { request: `GET /api/v1/models/post/${name}` },
    { request: `DELETE /api/v1/models/post/${name}` },
    ...bodies(`PUT /api/v1/models/post/${name}`, ['{"data": {}}']),
  ],
  'in a query': (name) =>
    queries([
      `fields=${name}`,
      `fields=title,${name}`,
      `filters=${name}=x`,
      `filters=${name}__icontains=x`,
      `filters=title__${name}=x`,
      `filters=author__${name}=x`,
      `filters=author__username__${name}=x`,
      `filters=${name}__username=x`,
      `sort_by=${name}`,
      `sort_by=title&sort_order=${name}`,
      `include=${name}__username`,
      `include=author__${name}`,
      `${name}=x`,
      `page=${name}`,
      `page_size=${name}`,
    ]),
  'as a field of a record': (name) => [
    ...bodies('POST /api/v1/models/tag', [
      `{"data": {"name": "Knots", "slug": "knots", "${name}": {"polluted": true}}}`,
      `{"data": {"name": "Knots", "slug": "knots", "${name}": 1}, "form_id": "TagForm"}`,
    ]),
    ...bodies('PUT /api/v1/models/tag/1', [
      `{"data": {"${name}": {"polluted": true}}}`,
      `{"data": {"${name}": {"polluted": true}}, "form_id": "TagForm"}`,
    ]),
    ...bodies('POST /api/v1/models/tag/bulk', [
      `{"records": [{"name": "Knots", "slug": "knots", "${name}": {"polluted": true}}]}`,
    ]),
    ...bodies('PUT /api/v1/models/tag/bulk', [`{"updates": [{"id": 1, "data": {"${name}": {"polluted": true}}}]}`]),
    ...bodies('PUT /api/v1/models/post/1', [`{"data": {"tags": [{"${name}": 1}]}}`]),
  ],
  'in the place of data': (name) => [
    ...bodies('POST /api/v1/models/tag', [`{"${name}": {"polluted": true}}`]),
    ...bodies('POST /api/v1/models/tag/bulk', [`{"${name}": [{"polluted": true}]}`]),
    ...bodies('DELETE /api/v1/models/tag/bulk', [`{"${name}": [1]}`]),
    ...bodies('POST /api/v1/auth/token', [`{"${name}": {"username": "admin"}}`]).map((each) => ({ ...each, as: null })),
  ],
  'as a form': (name) => [
    ...bodies('POST /api/v1/models/tag', [`{"data": {"name": "Knots", "slug": "knots"}, "form_id": "${name}"}`]),
    ...bodies('PUT /api/v1/models/tag/1', [`{"data": {"name": "Knots"}, "form_id": "${name}"}`]),
    ...bodies('POST /api/v1/models/tag/bulk', [`{"records": [{"name": "Knots", "slug": "knots"}], "form_id": "${name}"}`]),
  ],
}

async function withApp(run: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ settings: UNLIMITED })
  await run(app)
  assert.deepEqual(app.reported, [])
}

const isPolluted = () => Reflect.get({}, 'polluted') !== undefined

describe('a name that JavaScript has a use for', () => {
  for (const [place, requests] of Object.entries(PLACES)) {
    test(`${place} is a bad request or not found, and does no harm`, () =>
      withApp(async (app) => {
        const before = await play(app, { request: 'GET /api/v1/models/tag?page_size=100', status: 200 })
        for (const request of NAMES.flatMap(requests)) {
          const reply = await send(app, { ...request, headers: { 'content-type': 'application/json' } })
          const shown = `${request.request} ${request.rawBody ?? ''} answered ${reply.status}: ${reply.text}`
          assert.ok(reply.status === 400 || reply.status === 404, shown)
          assert.equal(isPolluted(), false, shown)
        }
        const after = await play(app, { request: 'GET /api/v1/models/tag?page_size=100', status: 200 })
        assert.deepEqual(after.json, before.json)
        const posts = await play(app, { request: 'GET /api/v1/models/post?page_size=3', status: 200 })
        assert.deepEqual(ids(posts.json), [1, 2, 3])
      }))
  }

  test('is distinguished from a field by its name', () =>
    withApp(async (app) => {
      for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
        const { json } = await play(app, {
          request: 'POST /api/v1/models/tag',
          body: { data: { name: 'Knots', slug: 'knots', [name]: 1 } },
          status: 400,
        })
        assert.deepEqual(Object.entries(json.detail.error), [[name, [`Field '${name}' does not exist`]]])
      }
    }))

  test('is as good a value as any other', () =>
    withApp(async (app) => {
      for (const name of NAMES) {
        const body = { data: { name, slug: name } }
        await play(app, { request: 'POST /api/v1/models/tag', body, status: 201, expectPart: body })
        await play(app, {
          request: 'POST /api/v1/models/tag',
          body,
          status: 400,
          expect: { detail: { error: { name: ['name must be unique'], slug: ['slug must be unique'] } } },
        })
        const { json } = await play(app, { request: `GET /api/v1/models/tag?filters=name__in=${name}`, status: 200 })
        assert.equal(json.total, 1)
        await play(app, { request: 'POST /api/v1/auth/token', as: null, body: { username: name, password: 'x' }, status: 401 })
      }
      assert.equal(isPolluted(), false)
    }))

  test('deep in a JSON value does no harm', () =>
    withApp(async (app) => {
      for (const name of NAMES) {
        const rawBody = `{"data": {"metadata": {"a": {"${name}": {"prototype": {"polluted": true}, "polluted": true}}}}}`
        const headers = { 'content-type': 'application/json' }
        const { status } = await send(app, { request: 'PUT /api/v1/models/post/1', rawBody, headers })
        assert.ok(status === 200 || status === 400)
        assert.equal(isPolluted(), false)
        await play(app, { request: 'GET /api/v1/models/post/1', status: 200 })
      }
    }))
})

describe('an unknown path', () => {
  test('is a bad request or not found', () =>
    withApp(async (app) => {
      const paths = [
        'tag/0',
        'tag/-1',
        'tag/1.5',
        'tag/1e3',
        'tag/99999999999999999999',
        'tag/one',
        'tag/%00',
        '%2e%2e',
        'tag%2f1',
        'a%zz',
      ]
      for (const path of paths) {
        const reply = await send(app, { request: `GET /api/v1/models/${path}` })
        assert.ok(reply.status === 400 || reply.status === 404, `${path} answered ${reply.status}: ${reply.text}`)
        assert.deepEqual(Object.keys(reply.json).sort(), ['details', 'error', 'status_code'], path)
      }
    }))
})
