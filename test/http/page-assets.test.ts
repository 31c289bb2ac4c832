import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openTestApp, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { speak, withListening } from '../helpers/api/raw.ts'
import type { TemporaryFolder } from '../helpers/fixture.ts'
import { builtPage, FONT, LOGO, SCRIPT, STYLE } from '../helpers/page/built-page.ts'

const JS = '/admin/assets/index-a1b2c3d4.js'
const CSS = '/admin/assets/index-e5f6a7b8.css'

let built: TemporaryFolder
before(async () => {
  built = await builtPage()
})
after(() => built.remove())

async function withApp(work: (app: TestApp) => Promise<void>, options: TestAppOptions = {}): Promise<void> {
  await using app = await openTestApp({ ui: built.path, ...options })
  await work(app)
  assert.deepEqual(app.reported, [])
}

/** A response with its body as bytes. */
async function load({ server }: TestApp, url: string, headers: Readonly<Record<string, string>> = {}) {
  const { statusCode: status, headers: fields, rawPayload: body } = await server.inject({ url, headers })
  return { status, fields, body }
}

describe('an asset of the admin page', () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.1', 'br'],
    ['br;q=nonsense', undefined],
    ['brotli, xgzip', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['', undefined],
  ] as const) {
    test(`is sent as ${encoding ?? 'it is'} to a client that accepts '${accepted}'`, () =>
      withApp(async (app) => {
        for (const [path, content] of [
          [JS, SCRIPT],
          [CSS, STYLE],
        ] as const) {
          const { status, fields, body } = await load(app, path, accepted === '' ? {} : { 'accept-encoding': accepted })
          assert.deepEqual([status, fields['content-encoding']], [200, encoding])
          const text = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
          assert.equal(text.toString(), content)
          assert.equal(Number(fields['content-length']), body.length)
        }
      }))
  }

  test('is cached for good, by its encoding, and has the type of its name', () =>
    withApp(async (app) => {
      for (const [path, type] of [
        [JS, 'text/javascript; charset=utf-8'],
        [CSS, 'text/css; charset=utf-8'],
        ['/admin/assets/logo-c9d0e1f2.svg', 'image/svg+xml'],
        ['/admin/assets/inter-03142536.woff2', 'font/woff2'],
      ] as const) {
        const { status, fields } = await load(app, path, { 'accept-encoding': 'br' })
        assert.equal(status, 200, path)
        assert.equal(fields['cache-control'], 'public, max-age=31536000, immutable', path)
        assert.equal(String(fields.vary).toLowerCase(), 'accept-encoding', path)
        assert.equal(fields['content-type'], type)
      }
    }))

  test('without compressed files is sent as it is', () =>
    withApp(async (app) => {
      const headers = { 'accept-encoding': 'gzip, br' }
      const font = await load(app, '/admin/assets/inter-03142536.woff2', headers)
      assert.deepEqual([font.fields['content-encoding'], font.body], [undefined, FONT])
      const logo = await load(app, '/admin/assets/logo-c9d0e1f2.svg', headers)
      assert.deepEqual([logo.fields['content-encoding'], logo.body.toString()], [undefined, LOGO])
    }))

  test('is the only thing below its path; all else is 404 and not cached', () =>
    withApp(async (app) => {
      const unknown = await load(app, '/nope')
      for (const path of ['', '/', '/index.html', '/nope.js', '/index-a1b2c3d4.js.br', '/index-a1b2c3d4.js.gz', '/a/b.js']) {
        const { status, fields, body } = await load(app, `/admin/assets${path}`)
        assert.deepEqual([status, body.toString()], [404, unknown.body.toString()], path)
        assert.doesNotMatch(String(fields['cache-control']), /max-age|public|immutable/, path)
      }
    }))

  test('that a later build has removed is 404', async () => {
    await using other = await builtPage()
    await withApp(
      async (app) => {
        await rm(join(other.path, 'assets'), { recursive: true })
        assert.equal((await load(app, JS)).status, 404)
      },
      { ui: other.path },
    )
  })

  test('and the page are counted and logged by their route, without the path of the request', () =>
    withApp(async (app) => {
      await load(app, `${JS}`)
      await load(app, '/admin/posts/7?note=private')
      const logged = app.logged.map((line) => JSON.parse(line)).filter(({ method }) => method === 'GET')
      assert.deepEqual(
        logged.map(({ route, status }) => `${route} ${status}`),
        ['/admin/assets/{file*} 200', '/admin/{path*} 200'],
      )
      assert.doesNotMatch(app.logged.join(), /private|a1b2c3d4/)
      const metrics = await app.server.inject('/metrics')
      assert.match(metrics.payload, /route="\/admin\/\{path\*\}"/)
    }))
})

describe('names of files that leave the folder of the assets', () => {
  const PATHS = [
    '/admin/assets/../private.js',
    '/admin/assets/../index.html',
    '/admin/assets/..%2fprivate.js',
    '/admin/assets/..%2Findex.html',
    '/admin/assets/%2e%2e/private.js',
    '/admin/assets/%2e%2e%2fprivate.js',
    '/admin/assets/%252e%252e%252fprivate.js',
    '/admin/assets/..%5cprivate.js',
    '/admin/assets/..\\private.js',
    '/admin/assets//../private.js',
    '/admin/assets/%2fetc%2fpasswd',
    '/admin/assets//etc/passwd',
    '/admin/assets/index-a1b2c3d4.js%00',
    '/admin/assets/index-a1b2c3d4.js%00.css',
    '/admin/assets/index-a1b2c3d4.js/../../private.js',
    '/admin/assets/.',
    '/admin/assets/..',
    '/admin/assets/%2e',
    '/admin/assets/constructor',
    '/admin/assets/__proto__',
  ]

  test('find no file', () =>
    withListening({ ui: built.path }, async ({ port, reported }) => {
      for (const path of PATHS) {
        const { status, headers, text } = await speak(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        assert.doesNotMatch(text, /outside the folder|root:|console\.log/, path)
        // Dots are resolved before the route is looked for, so some of these are paths of the page.
        const isPage = (status === 200 && text.includes('<div id="root">')) || headers.location === '/admin/'
        assert.ok(status === 404 || isPage, `${path}: ${status}`)
      }
      const undecodable = 'GET /admin/assets/%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      assert.equal((await speak(port, undecodable)).status, 400)
      assert.deepEqual(reported, [])
    }))
})
