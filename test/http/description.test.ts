import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openTestApp } from '../helpers/api/app.ts'
import { speak, withListening } from '../helpers/api/raw.ts'
import { play, scenario, scenarios, send } from '../helpers/api/scenario.ts'
import { UNAUTHENTICATED } from './records/expected.ts'

const DOCUMENT = 'GET /api/v1/openapi.json'

scenarios('the description of the API', [
  scenario('is OpenAPI 3.1, with the same access rule as views', DOCUMENT, 200, {
    as: null,
    expectPart: { openapi: '3.1.0', servers: [{ url: '/' }] },
    expectHeaders: { 'content-type': /^application\/json/ },
  }),
  scenario('accepts no parameters', `${DOCUMENT}?pretty=true`, 400),
])

scenarios('the description of the API, where views ask for a token', { settings: { views_auth: 'required' } }, [
  scenario('requires a token if views do', DOCUMENT, 401, { as: null, expect: UNAUTHENTICATED }),
  scenario('is for every user', DOCUMENT, 200, { as: 'editor', given: addEditor }),
])

async function addEditor(app: Parameters<typeof send>[0]): Promise<void> {
  const data = { username: 'editor', email: 'editor@example.com', password: 'correct horse' }
  await play(app, { request: 'POST /api/v1/models/user', body: { data }, status: 201 })
}

test('the page has the title of the project, escaped, and follows the dark theme', async () => {
  await using app = await openTestApp({ fixture: 'minimal', settings: { ui: { title: 'Fish & <Chips>' } } })
  const { payload } = await app.server.inject('/docs')
  assert.match(payload, /<title>Fish &amp; &lt;Chips&gt; API<\/title>/)
  assert.match(payload, /prefers-color-scheme: dark/)
  const { json } = await play(app, { request: DOCUMENT, as: null, status: 200 })
  assert.equal(json.info.title, 'Fish & <Chips> API')
})

test('the document is below the base path, which it states', async () => {
  await using app = await openTestApp({ fixture: 'minimal', settings: { base_path: '/backend', api_version: 'v2' } })
  const { json } = await play(app, { request: 'GET /backend/api/v2/openapi.json', as: null, status: 200 })
  assert.deepEqual(json.servers, [{ url: '/backend' }])
  assert.ok('/api/v2/models/note' in json.paths, 'paths begin behind the base path')
  const page = await play(app, { request: 'GET /backend/docs', as: null, status: 200 })
  assert.match(page.text, /src="\/backend\/docs\/page\.js" data-document="\/backend\/api\/v2\/openapi\.json"/)
})

describe('the page on which people read it', () => {
  test('loads nothing from elsewhere, and everything that it loads is there', async () => {
    await using app = await openTestApp({ fixture: 'minimal' })
    const home = await play(app, { request: 'GET /', as: null, status: 302 })
    assert.equal(home.headers.location, '/docs')
    const { text, headers } = await play(app, { request: 'GET /docs/', as: null, status: 200 })
    assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/)
    assert.doesNotMatch(text, /https?:|\/\//)
    const loaded = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path)
    assert.deepEqual(loaded, ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/page.js'])
    for (const path of loaded) {
      const file = await send(app, { request: `GET ${path as '/'}`, as: null })
      assert.equal(file.status, 200, `${path}: is the package built?`)
      assert.match(String(file.headers['content-type']), path?.endsWith('.css') === true ? /^text\/css/ : /^text\/javascript/)
    }
  })

  test('has scripts that are compressed once, and not sent again to a browser that has them', async () => {
    await using app = await openTestApp({ fixture: 'minimal' })
    const asked = (headers: Record<string, string>) =>
      app.server.inject({ url: '/docs/swagger-ui-bundle.js', headers: { 'accept-encoding': 'gzip', ...headers } })
    const file = await asked({})
    assert.equal(file.statusCode, 200)
    assert.equal(file.headers['content-encoding'], 'gzip')
    assert.equal(file.headers['content-length'], file.rawPayload.length)
    assert.match(gunzipSync(file.rawPayload).toString(), /SwaggerUIBundle/)
    const again = await asked({ 'if-none-match': String(file.headers.etag) })
    assert.equal(again.statusCode, 304)
    const plain = await asked({ 'accept-encoding': 'identity' })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.deepEqual(gunzipSync(file.rawPayload), plain.rawPayload)
  })

  test('alone of all answers may run scripts, its own', async () => {
    await withListening({}, async ({ port }) => {
      const policyOf = async (path: string) => {
        const { headers } = await speak(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        return headers['content-security-policy'] ?? ''
      }
      const policy = await policyOf('/docs')
      assert.match(policy, /^default-src 'none'; script-src 'self'; /)
      assert.match(policy, /connect-src 'self'.*frame-ancestors 'none'$/)
      assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe|https?:|\*/)
      for (const other of ['/docs/page.js', '/api/v1/openapi.json', '/healthz', '/nope']) {
        assert.equal(await policyOf(other), "default-src 'none'; frame-ancestors 'none'", other)
      }
    })
  })
})
