import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { AppError } from '../../../src/errors.ts'
import type { HeapUse } from '../../../src/util/heap.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MIB = 2 ** 20
const ROOM: HeapUse = { used: 849 * MIB, limit: 1000 * MIB }
const FULL: HeapUse = { used: 850 * MIB, limit: 1000 * MIB }

/** A heap whose use is what the test sets, and that has room after a collection, if it says so. */
class SetHeap {
  present = ROOM
  collections = 0
  afterCollection: HeapUse | undefined
  use = () => this.present
  collect = () => {
    this.collections++
    this.present = this.afterCollection ?? this.present
  }
}

async function withApp(run: (app: TestApp, heap: SetHeap) => Promise<void>): Promise<void> {
  const heap = new SetHeap()
  await using app = await openTestApp({ heap })
  await run(app, heap)
}

const appTest = testsOf(withApp)

const TAG = { name: 'Memory', slug: 'memory' }
const TAGS = '/api/v1/models/tag'
const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = {
  error: 'Memory is nearly full',
  status_code: 503,
  details:
    'All records are in the heap of the server, of which 850 of 1000 MiB are used, so none is created or changed. ' +
    'Start the server with a larger heap, such as NODE_OPTIONS=--max-old-space-size=2000, keep the records in PostgreSQL, or delete records',
}

const WRITES = [
  { request: `POST ${TAGS}`, body: { data: TAG } },
  { request: `PUT ${TAGS}/1`, body: { data: { name: 'Changed' } } },
  { request: `POST ${TAGS}/bulk`, body: { records: [TAG] } },
  { request: `PUT ${TAGS}/bulk`, body: { updates: [{ id: 1, data: { name: 'Changed' } }] } },
  { request: `PUT ${TAGS}/bulk`, body: { filters: ['id=1'], expected_total: 1, data: { name: 'Changed' } } },
  { request: `POST ${TAGS}/import`, rawBody: JSON.stringify([TAG]), headers: JSON_TYPE },
  { request: `POST ${TAGS}/import?upsert_by=slug`, rawBody: JSON.stringify([TAG]), headers: JSON_TYPE },
  { request: 'POST /api/v1/mock', body: { models: ['tag'], count: 1 } },
] as const

describe('from 85 % of the heap', { skip: NEEDS_DATA_FOLDER }, () => {
  appTest('creates, updates, bulk operations, imports and mock data are 503, and change nothing', async (app, heap) => {
    const before = (await send(app, { request: `GET ${TAGS}?page_size=100` })).json
    heap.present = FULL
    for (const write of WRITES) {
      const { request_id: id, ...body } = (await play(app, { ...write, status: 503 })).json
      assert.deepEqual(body, BODY, write.request)
      assert.equal(typeof id, 'string')
    }
    assert.deepEqual((await send(app, { request: `GET ${TAGS}?page_size=100` })).json, before)
    assert.ok(app.reported.every((error) => error instanceof AppError && error.code === 'MEMORY_FULL'))
    heap.present = ROOM
    await play(app, { request: `POST ${TAGS}`, body: { data: TAG }, status: 201 })
  })

  appTest('a caller without permission learns nothing of it, and a body is not read', async (app, heap) => {
    heap.present = FULL
    const create = { request: `POST ${TAGS}`, body: { data: TAG } } as const
    await play(app, { ...create, as: null, status: 401 })
    await play(app, { ...create, rawBody: 'no JSON', headers: JSON_TYPE, status: 503 })
  })

  appTest('reads, deletions, logins and changes of accounts go on', async (app, heap) => {
    heap.present = FULL
    await play(app, { request: `GET ${TAGS}`, status: 200 })
    await play(app, { request: `GET ${TAGS}/search?q=x`, status: 200 })
    await play(app, { request: `GET ${TAGS}/export`, status: 200 })
    await play(app, { request: 'GET /readyz', as: null, status: 200, expect: { status: 'ready' } })
    const users = (await play(app, { request: 'GET /api/v1/models/user', status: 200 })).json.data
    const { id } = users.find(({ is_superuser: isSuperuser }: { is_superuser: boolean }) => !isSuperuser)
    const changed = { data: { password: 'another password 2026', is_active: true } }
    const { json } = await play(app, { request: `PUT /api/v1/models/user/${id}`, body: changed, status: 200 })
    const { username } = json.data
    const login = { request: 'POST /api/v1/auth/token', as: null, body: { username, password: changed.data.password } } as const
    const { access_token: token } = (await play(app, { ...login, status: 200 })).json
    const own = { current_password: changed.data.password, new_password: 'a third password 2026' }
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
    const password = { request: 'POST /api/v1/auth/password', as: null, rawBody: JSON.stringify(own), headers } as const
    assert.ok((await send(app, password)).status < 300)
    await play(app, { request: `PUT /api/v1/models/user/${id}`, body: { data: { is_active: false } }, status: 200 })
    await play(app, { request: 'POST /api/v1/models/user', body: { data: { username: 'x' } }, status: 503 })
    assert.deepEqual(app.reported.length, 1)
  })

  appTest('an import ends when the heap becomes full while it is read', async (app, heap) => {
    const rows = Array.from({ length: 1200 }, (_, index) => ({ name: `Tag ${index}`, slug: `tag-${index}` }))
    const before = await app.app.store.status()
    const open = function* () {
      const text = JSON.stringify(rows)
      yield text.slice(0, text.length / 2)
      heap.present = FULL
      yield text.slice(text.length / 2)
    }
    const run = app.app.imports.run(SYSTEM, 'tag', { format: 'json', open })
    await assert.rejects(run, (error) => error instanceof AppError && error.code === 'MEMORY_FULL')
    assert.deepEqual(await app.app.store.status(), before)
  })

  appTest('after a deletion, a write asks for a collection of garbage, once a minute at most', async (app, heap) => {
    const create = { request: `POST ${TAGS}`, body: { data: TAG } } as const
    const { json } = await play(app, { ...create, status: 201 })
    heap.present = FULL
    await play(app, { ...create, status: 503 })
    assert.equal(heap.collections, 0)
    const removal = async (id: number) => play(app, { request: `DELETE ${TAGS}/${id}`, status: 200 })
    await removal(json.data.id)
    for (let attempt = 0; attempt < 3; attempt++) await play(app, { ...create, status: 503 })
    assert.equal(heap.collections, 1)
    const { records } = await app.app.store.find('tag', { filters: [], sort: [], offset: 0, limit: 1 })
    await play(app, { request: `DELETE ${TAGS}/bulk`, body: { ids: [records[0]?.id] }, status: 200 })
    heap.afterCollection = ROOM
    await play(app, { ...create, status: 503 })
    app.advance(60_000)
    await play(app, { ...create, status: 201 })
    assert.equal(heap.collections, 2)
  })

  appTest('metrics say how full it is, and that the store takes no writes', async (app, heap) => {
    const lines = async () => {
      const { text } = await play(app, { request: 'GET /metrics', status: 200 })
      return text.split('\n').filter((line) => /^admin_(heap|store_writable)/.test(line))
    }
    const limit = `admin_heap_limit_bytes ${1000 * MIB}`
    assert.deepEqual(await lines(), [`admin_heap_used_bytes ${849 * MIB}`, limit, 'admin_store_writable 1'])
    heap.present = FULL
    assert.deepEqual(await lines(), [`admin_heap_used_bytes ${850 * MIB}`, limit, 'admin_store_writable 0'])
  })
})
