import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { earlyFetch, sendEarly } from '../../src/ui/early-requests.ts'
import type { PageSettings } from '../../src/ui/page-settings.ts'

const SETTINGS: PageSettings = {
  base_path: '/base',
  admin_path: '/admin',
  api_version: 'v1',
  docs: '/docs',
  metrics: true,
  title: 'Base',
}
const REFRESH = '/base/api/v1/auth/refresh'
const SITE = '/base/admin/api/v1/site'
const VIEWS = '/base/admin/api/v1/views/post?generated=true'

const realFetch = globalThis.fetch
let sent: string[] = []

/** Replaces `fetch` by a server that answers with these bodies, and with 401 where there is none. */
function serve(bodies: Readonly<Record<string, unknown>>): void {
  globalThis.fetch = async (input, init) => {
    const authorization = new Headers(init?.headers).get('authorization')
    sent.push([init?.method ?? 'GET', String(input), authorization].filter(Boolean).join(' '))
    const body = bodies[String(input)]
    return body === undefined ? new Response('{}', { status: 401 }) : Response.json(body)
  }
}

beforeEach(() => {
  sent = []
})

afterEach(() => {
  globalThis.fetch = realFetch
})

test('the session, the site and the views of the model are requested, each once its predecessor is there', async () => {
  serve({ [REFRESH]: { access_token: 'token' }, [SITE]: { models: [{ key: 'post' }] }, [VIEWS]: { data: [] } })
  const responses = sendEarly(SETTINGS, '/base/admin/models/post/7')
  const fetchEarly = earlyFetch(responses)
  assert.deepEqual(await (await fetchEarly(REFRESH, { method: 'POST' })).json(), { access_token: 'token' })
  assert.deepEqual(await (await fetchEarly(SITE)).json(), { models: [{ key: 'post' }] })
  assert.deepEqual(await (await fetchEarly(VIEWS)).json(), { data: [] })
  assert.deepEqual(sent, [`POST ${REFRESH}`, `GET ${SITE} Bearer token`, `GET ${VIEWS} Bearer token`])

  await fetchEarly(SITE)
  assert.equal(sent.length, 4, 'a response is received once')
})

test('without a session nothing else is requested, and the page sends its requests itself', async () => {
  serve({})
  const responses = sendEarly(SETTINGS, '/base/admin/models/post')
  const fetchEarly = earlyFetch(responses)
  assert.equal((await fetchEarly(REFRESH, { method: 'POST' })).status, 401)
  assert.deepEqual(sent, [`POST ${REFRESH}`])
  await fetchEarly(SITE, { headers: { authorization: 'Bearer later' } })
  assert.deepEqual(sent, [`POST ${REFRESH}`, `GET ${SITE} Bearer later`])
})

for (const [path, reason] of [
  ['/base/admin/models/secret', 'the user may not access it'],
  ['/base/admin/models/%E0%A4%A', 'the address is not valid'],
  ['/base/admin/', 'the address names none'],
  ['/base/administration/models/post', 'the address is not one of the page'],
] as const) {
  test(`views of a model are not requested when ${reason}`, async () => {
    serve({ [REFRESH]: { access_token: 'token' }, [SITE]: { models: [{ key: 'post' }] } })
    const responses = sendEarly(SETTINGS, path)
    await Promise.allSettled(responses.values())
    assert.deepEqual(sent, [`POST ${REFRESH}`, `GET ${SITE} Bearer token`])
  })
}

test('a request that could not be sent early is sent by the page', async () => {
  let calls = 0
  globalThis.fetch = async () => {
    calls++
    if (calls === 1) throw new TypeError('Failed to fetch')
    return Response.json({ access_token: 'token' })
  }
  const fetchEarly = earlyFetch(sendEarly(SETTINGS, '/base/admin/'))
  assert.equal((await fetchEarly(REFRESH, { method: 'POST' })).status, 200)
  assert.equal(calls, 2)
})
