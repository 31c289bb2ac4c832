import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

/** The API answers reads with this while its database cannot be reached. */
const unavailable = async (): Promise<never> => {
  throw new AppError('STORE_UNAVAILABLE', 'The database cannot be reached', { retryAfter: 1 })
}

async function* interrupted(): AsyncGenerator<never> {
  yield await unavailable()
}

/** Makes every read of the store fail from its next commit on. Returns what makes them succeed again. */
function breakAfterCommit(store: Store): () => void {
  const { get, find, findEach, matching, aggregate, stream } = store
  let isArmed = true
  store.onChange(() => {
    if (!isArmed) return
    const reads = { get: unavailable, find: unavailable, findEach: unavailable, matching: unavailable, aggregate: unavailable }
    Object.assign(store, reads, { stream: interrupted })
  })
  return () => {
    isArmed = false
    Object.assign(store, { get, find, findEach, matching, aggregate, stream })
  }
}

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  const webhooks = {
    allow_private: true,
    subscriptions: [{ url: 'http://127.0.0.1:9/', events: ['create', 'update', 'delete'], models: [] }],
  }
  await using app = await openTestApp({ settings: { history: { days: 30 }, webhooks: webhooks as never } })
  await work(app)
}

const appTest = testsOf(withApp)

/** Sends a request after whose commit nothing can be read. */
async function sendBroken(
  app: TestApp,
  request: Pick<Scenario, 'request' | 'status' | 'body' | 'rawBody' | 'headers'>,
): Promise<Reply> {
  await app.tokenOf('admin')
  const mend = breakAfterCommit(app.app.store)
  try {
    return await play(app, request)
  } finally {
    mend()
  }
}

const MODELS = '/api/v1/models' as const
const POST = { title: 'Night ferries', slug: 'night-ferries-again', body: 'Words', status: 'draft', author_id: 2, tags: [3, 1] }
const idsIn = ({ json }: Reply) => json.data.map(({ id }: { id: number }) => id)

describe('a write that was committed is no error, if nothing can be read after it', () => {
  appTest('create: what is known is returned, related records by id, and the version guards the next update', async (app) => {
    const { json, headers } = await sendBroken(app, { request: `POST ${MODELS}/post`, body: { data: POST }, status: 201 })
    const { id, author_id, author, tags, title } = json.data
    assert.deepEqual([title, author_id, author, tags], [POST.title, 2, { id: 2 }, [{ id: 3 }, { id: 1 }]])
    const location = String(headers.location)
    assert.equal(location, `${MODELS}/post/${id}`)
    const stored = await play(app, { request: `GET ${location as `/${string}`}`, status: 200 })
    assert.equal(stored.json.data.author.username, 'm.keller')
    assert.deepEqual(Object.keys(json.data), Object.keys(stored.json.data))
    const ifMatch = { 'if-match': String(headers.etag) }
    await play(app, {
      request: `PUT ${location as `/${string}`}`,
      headers: ifMatch,
      body: { data: { title: 'Other' } },
      status: 200,
    })
  })

  appTest('update and delete', async (app) => {
    const updated = await sendBroken(app, { request: `PUT ${MODELS}/post/1`, body: { data: { title: 'Changed' } }, status: 200 })
    assert.equal(updated.json.data.title, 'Changed')
    const read = await play(app, { request: `GET ${MODELS}/post/1`, status: 200 })
    assert.equal(read.json.data.title, 'Changed')
    const removed = await sendBroken(app, { request: `DELETE ${MODELS}/comment/1`, status: 200 })
    assert.equal(removed.json.data.id, 1)
    await play(app, { request: `GET ${MODELS}/comment/1`, status: 404 })
  })

  appTest('bulk create, update, update by filters, and delete', async (app) => {
    const records = [POST, { ...POST, slug: 'third' }]
    const created = await sendBroken(app, { request: `POST ${MODELS}/post/bulk`, body: { records }, status: 201 })
    const ids = idsIn(created)
    assert.equal(created.json.total, 2)
    const updates = ids.map((id: number) => ({ id, data: { title: `Title ${id}` } }))
    const updated = await sendBroken(app, { request: `PUT ${MODELS}/post/bulk`, body: { updates }, status: 200 })
    assert.deepEqual(idsIn(updated), ids)
    const selection = { filters: [`id__in=${ids}`], expected_total: 2, data: { status: 'published' } }
    const selected = await sendBroken(app, { request: `PUT ${MODELS}/post/bulk`, body: selection, status: 200 })
    assert.deepEqual(idsIn(selected), ids)
    const removed = await sendBroken(app, { request: `DELETE ${MODELS}/post/bulk`, body: { ids }, status: 200 })
    assert.equal(removed.json.total, 2)
  })

  appTest('import', async (app) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const rawBody = `${JSON.stringify({ name: 'Knots', slug: 'knots' })}\n`
    for (const counts of [
      { created: 1, updated: 0 },
      { created: 0, updated: 1 },
    ]) {
      const body = rawBody.replace('Knots', `Knots ${counts.updated}`)
      const request = `POST ${MODELS}/tag/import?upsert_by=slug` as const
      const { json } = await sendBroken(app, { request, rawBody: body, headers, status: 200 })
      assert.deepEqual({ created: json.created, updated: json.updated }, counts)
    }
  })

  appTest('a disabled user, ended sessions and webhooks', async (app) => {
    await play(app, {
      request: 'POST /api/v1/auth/token',
      as: null,
      body: { username: 'anna.lind', password: 'lighthouse-keys-17' },
      status: 200,
    })
    await sendBroken(app, { request: 'DELETE /api/v1/auth/sessions?user_id=2', status: 200 })
    await sendBroken(app, { request: `PUT ${MODELS}/user/2`, body: { data: { is_active: false } }, status: 200 })
    const subscription = { url: 'http://127.0.0.1:9/other' }
    const created = await sendBroken(app, { request: 'POST /api/v1/webhooks', body: subscription, status: 201 })
    const { id, secret } = created.json.data
    assert.match(secret, /^whsec_/)
    const path = `/api/v1/webhooks/${id}` as const
    await sendBroken(app, { request: `PUT ${path}`, body: { url: 'http://127.0.0.1:9/third' }, status: 200 })
    const rotated = await sendBroken(app, { request: `POST ${path}/rotate`, status: 200 })
    assert.notEqual(rotated.json.data.secret, secret)
  })

  appTest('a failure of what follows from a commit is logged, and the hooks after it run', async (app) => {
    const called: string[] = []
    const { hooks } = app.app
    hooks.use({
      afterCommit() {
        throw new Error('the first hook is broken')
      },
    })
    hooks.use({ afterCommit: async () => Promise.reject(new Error('the second hook is broken')) })
    hooks.use({ afterCommit: (changes, { model }) => void called.push(`${model.key} ${changes.length}`) })
    await play(app, { request: `PUT ${MODELS}/user/2`, body: { data: { is_active: false } }, status: 200 })
    const created = await play(app, { request: `POST ${MODELS}/post`, body: { data: POST }, status: 201 })
    await play(app, { request: `GET ${MODELS}/post/${created.json.data.id}`, status: 200 })
    await play(app, { request: `DELETE ${MODELS}/post/${created.json.data.id}`, status: 200 })
    assert.equal(app.reported.length, 6)
    assert.deepEqual(
      called.map((each) => each.split(' ')[0]),
      ['user', 'post', 'post'],
    )
  })

  appTest('a listener of changes that fails is logged', async (app) => {
    app.app.store.onChange(() => {
      throw new Error('the listener is broken')
    })
    const created = await play(app, { request: `POST ${MODELS}/post`, body: { data: POST }, status: 201 })
    await using again = await app.reopen()
    await play(again, { request: `GET ${MODELS}/post/${created.json.data.id}`, status: 200 })
    assert.match(app.logged.join(''), /the listener is broken.*listener of committed changes failed/s)
  })
})

appTest('a dry run that cannot read is an error: nothing was written', async (app) => {
  const { findEach, get } = app.app.store
  await app.tokenOf('admin')
  const reads = app.app.store
  const request = { request: `PUT ${MODELS}/post/1?dry_run=true`, body: { data: { title: 'Changed' } } } as const
  await play(app, { ...request, status: 200 })
  // The record and the actor are read, then its author.
  Object.assign(reads, {
    get: async (table: string, ids: readonly number[], options?: object) =>
      table === 'category' || table === 'tag' ? unavailable() : Reflect.apply(get, reads, [table, ids, options]),
  })
  await play(app, { ...request, status: 503 })
  Object.assign(reads, { findEach, get })
})
