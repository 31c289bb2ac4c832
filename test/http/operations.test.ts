import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SettingsInput } from '../../src/config/settings.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../helpers/api/app.ts'
import { type Reply, type Scenario, scenario, scenarios, send } from '../helpers/api/scenario.ts'
import { testsOf } from '../helpers/tests-of.ts'

async function withApp(settings: SettingsInput, work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ settings })
  await work(app)
}

const appTest = testsOf(withApp)

const readOnly = async ({ app }: TestApp): Promise<void> => {
  const status = await app.store.status()
  app.store.status = async () => ({ ...status, takesWrites: false })
}

scenarios('watching the server', [
  scenario('it is alive', 'GET /healthz', 200, { as: null, expect: { status: 'ok' } }),
  scenario('it is ready', 'GET /readyz', 200, { as: null, expect: { status: 'ready' } }),
  scenario('with a slash at the end', 'GET /readyz/', 200, { as: null }),
  scenario('is not ready while the store rejects writes', 'GET /readyz', 503, {
    given: readOnly,
    as: null,
    expect: { status: 'readonly' },
  }),
  scenario('it is alive all the same', 'GET /healthz', 200, { given: readOnly, as: null }),
  scenario('accepts no parameters', 'GET /healthz?verbose=1', 400, { as: null }),
])

describe('where the endpoints are', () => {
  appTest('below base_path, and nowhere else', { base_path: '/backend' }, async (app) => {
    for (const name of ['healthz', 'readyz', 'metrics']) {
      assert.equal((await send(app, { request: `GET /backend/${name}`, as: null })).status, 200, name)
      assert.equal((await send(app, { request: `GET /${name}`, as: null })).status, 404, name)
    }
  })

  appTest('is not rate-limited', { rate_limits: { default: 1, auth: 1, upload: 1 } }, async (app) => {
    for (let count = 0; count < 5; count++) {
      const { status, headers } = await send(app, { request: 'GET /readyz' })
      assert.equal(status, 200)
      assert.equal(headers['x-ratelimit-limit'], undefined)
    }
  })

  appTest('is not ready after a failed fsync', {}, async (app) => {
    const { store } = app.app
    await store.close()
    assert.equal((await send(app, { request: 'GET /readyz', as: null })).json.status, 'readonly')
  })
})

/** The value of a metric with these labels. */
function sample({ text }: Reply, name: string, labels = ''): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name}${labels === '' ? '' : `{${labels}}`} `))
  assert.ok(line !== undefined, `no ${name}{${labels}} in:\n${text}`)
  return Number(line.slice(line.lastIndexOf(' ') + 1))
}

const POSTS = 'method="GET",route="/api/v1/models/{model}"'

describe('metrics', () => {
  appTest('count requests by route and status, and how long they took', {}, async (app) => {
    await send(app, { request: 'GET /api/v1/models/post' })
    await send(app, { request: 'GET /api/v1/models/tag?page=2' })
    await send(app, { request: 'GET /api/v1/models/post', as: null })
    await send(app, { request: 'GET /api/v1/models/spaceship' })
    await send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: 'Knots', slug: 'knots' } } })
    const reply = await send(app, { request: 'GET /metrics', as: null })
    assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const requests = 'admin_http_requests_total'
    assert.equal(sample(reply, requests, `${POSTS},status="200"`), 2)
    assert.equal(sample(reply, requests, `${POSTS},status="401"`), 1)
    assert.equal(sample(reply, requests, `${POSTS},status="404"`), 1)
    assert.equal(sample(reply, requests, 'method="POST",route="/api/v1/models/{model}",status="201"'), 1)
    const took = 'admin_http_request_duration_seconds'
    assert.equal(sample(reply, `${took}_count`, POSTS), 4)
    assert.equal(sample(reply, `${took}_bucket`, `${POSTS},le="+Inf"`), 4)
    assert.ok(sample(reply, `${took}_sum`, POSTS) >= 0, 'the sum is negative')
  })

  appTest('contain nothing that a client sent', {}, async (app) => {
    const made = [
      'GET /pelican/up',
      'GET /api/v1/models/pelican-up',
      'DELETE /api/v1/models/tag/4711',
      'POST /pelican-up',
      'GET /%ff',
    ]
    for (const request of made) await send(app, { request: request as Scenario['request'] })
    const before = await send(app, { request: 'GET /metrics', as: null })
    // Values may contain any digits.
    assert.doesNotMatch(before.text.replace(/ \S+$/gm, ''), /pelican|4711|%ff/)
    assert.equal(sample(before, 'admin_http_requests_total', 'method="other",route="other",status="404"'), 3)
    const seriesOf = ({ text }: Reply) => text.split('\n').filter((line) => !line.includes('route="/metrics"')).length
    for (let count = 0; count < 20; count++) await send(app, { request: `GET /api/v1/models/m${count}/${count}?q=${count}` })
    for (let count = 0; count < 20; count++) await send(app, { request: `GET /n${count}` })
    const once = seriesOf(await send(app, { request: 'GET /metrics', as: null }))
    for (let count = 20; count < 40; count++) await send(app, { request: `GET /api/v1/models/m${count}/${count}?q=${count}` })
    for (let count = 20; count < 40; count++) await send(app, { request: `GET /n${count}` })
    assert.equal(seriesOf(await send(app, { request: 'GET /metrics', as: null })), once, 'series grow with what is asked')
  })

  appTest('include records by model, and whether the store accepts writes', {}, async (app) => {
    const before = await send(app, { request: 'GET /metrics', as: null })
    assert.equal(sample(before, 'admin_records', 'model="tag"'), 12)
    assert.equal(sample(before, 'admin_store_writable'), 1)
    await send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: 'Knots', slug: 'knots' } } })
    const after = await send(app, { request: 'GET /metrics', as: null })
    assert.equal(sample(after, 'admin_records', 'model="tag"'), 13)
    await readOnly(app)
    assert.equal(sample(await send(app, { request: 'GET /metrics', as: null }), 'admin_store_writable'), 0)
  })

  test('include the length of the journal', { skip: NEEDS_DATA_FOLDER }, () =>
    withApp({}, async (app) => {
      const length = async () => sample(await send(app, { request: 'GET /metrics', as: null }), 'admin_journal_bytes')
      const before = await length()
      await send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: 'Knots', slug: 'knots' } } })
      const grown = (await length()) - before
      assert.ok(grown > 50, `the journal grew by ${grown} bytes`)
    }),
  )

  appTest('include the number of pending webhook deliveries', {}, async (app) => {
    const depth = async () => sample(await send(app, { request: 'GET /metrics', as: null }), 'admin_webhook_outbox_depth')
    assert.equal(await depth(), 0)
    for (const path of ['a', 'b']) {
      await send(app, { request: 'POST /api/v1/webhooks', body: { url: `http://127.0.0.1:9/${path}`, events: ['create'] } })
    }
    await send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: 'Knots', slug: 'knots' } } })
    await send(app, { request: 'PUT /api/v1/models/tag/1', body: { data: { name: 'Not told' } } })
    assert.equal(await depth(), 2)
  })

  appTest('count rejections of rate limits', { rate_limits: { default: 2, auth: 1, upload: 10 } }, async (app) => {
    for (let count = 0; count < 5; count++) await send(app, { request: 'GET /api/v1/models/tag' })
    const login = { request: 'POST /api/v1/auth/token', as: null, body: { username: 'admin', password: 'wrong' } } as const
    for (let count = 0; count < 2; count++) await send(app, login)
    const reply = await send(app, { request: 'GET /metrics', as: null })
    assert.equal(sample(reply, 'admin_rate_limit_rejections_total', 'limit="default"'), 3)
    assert.equal(sample(reply, 'admin_rate_limit_rejections_total', 'limit="auth"'), 1)
  })

  appTest('include process metrics, in a format that Prometheus parses', {}, async (app) => {
    await send(app, { request: 'GET /api/v1/models/tag' })
    const reply = await send(app, { request: 'GET /metrics', as: null })
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
      assert.ok(sample(reply, name) > 0, name)
    }
    const started = sample(reply, 'process_start_time_seconds')
    assert.ok(started > 1.6e9 && started < 1e11, `${started} is no time in seconds`)
    for (const line of reply.text.trimEnd().split('\n')) {
      assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+)$/)
    }
  })
})

describe('stopping', () => {
  appTest('becomes unready immediately while it is still alive', {}, async (app) => {
    let ready: Reply | undefined
    let alive: Reply | undefined
    app.server.ext('onPreStop', async () => {
      ready = await send(app, { request: 'GET /readyz', as: null })
      alive = await send(app, { request: 'GET /healthz', as: null })
    })
    await app.server.stop()
    assert.deepEqual([ready?.status, ready?.json], [503, { status: 'stopping' }])
    assert.equal(alive?.status, 200)
  })
})
