import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SettingsInput } from '../../src/config/settings.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../helpers/api/scenario.ts'
import { type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'
import { builtPage, INDEX } from '../helpers/page/built-page.ts'
import { ANNA } from '../security/access.ts'
import { Browser, cookiesOf } from '../security/cookies.ts'

let built: TemporaryFolder
before(async () => {
  built = await builtPage()
})
after(() => built.remove())

async function withApp(work: (app: TestApp) => Promise<void>, settings: SettingsInput = {}, options: TestAppOptions = {}) {
  await using app = await openTestApp({ ui: built.path, ...options, settings })
  await work(app)
  assert.deepEqual(app.reported, [])
}

const ask = (app: TestApp, request: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  send(app, { request: request as Scenario['request'], as: null, headers })

/** Status and target of a redirect. */
const leads = async (app: TestApp, path: string) => {
  const { status, headers } = await ask(app, `GET ${path}`)
  return [status, headers.location]
}

/** The settings that a page carries. */
function settingsOf({ text }: Reply): Record<string, string> {
  const [, content = ''] = /<meta name="admin-settings" content="([^"]*)">/.exec(text) ?? []
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

describe('the admin page', () => {
  test('has absolute addresses of its assets, and the settings in an escaped attribute', () =>
    withApp(async (app) => {
      const page = await ask(app, 'GET /admin/')
      assert.equal(page.status, 200)
      const content =
        '{&quot;base_path&quot;:&quot;&quot;,&quot;admin_path&quot;:&quot;/admin&quot;,&quot;api_version&quot;:&quot;v1&quot;,&quot;docs&quot;:&quot;/docs&quot;,&quot;metrics&quot;:true,&quot;title&quot;:&quot;The Harbour Journal&quot;,&quot;accent&quot;:&quot;#0f766e&quot;}'
      assert.equal(page.text, INDEX.replaceAll('./assets/', '/admin/assets/').replace('{}', content))
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    }))

  for (const [settings, page] of [
    [{}, '/admin/'],
    [{ base_path: '/backend', admin_path: '/desk', api_version: 'v2' }, '/backend/desk/'],
    [{ admin_path: '' }, '/'],
    [{ base_path: '/backend', admin_path: '' }, '/backend/'],
    [{ admin_path: '/api' }, '/api/'],
  ] as const) {
    const name = JSON.stringify(settings)
    test(`is served at ${page} and at every path of its own below, with the settings ${name}`, () =>
      withApp(async (app) => {
        const { text } = await ask(app, `GET ${page}`)
        for (const path of ['posts', 'posts/', 'posts/1?tab=history', 'apis', 'assetsx/1', 'a%2Fb/c.js']) {
          const reply = await ask(app, `GET ${page}${path}`)
          assert.deepEqual([reply.status, reply.text], [200, text], path)
        }
        const { base_path: base = '', admin_path = '/admin', api_version = 'v1' } = settings as SettingsInput
        assert.deepEqual(settingsOf(await ask(app, `GET ${page}`)), {
          base_path: base,
          admin_path,
          api_version,
          docs: `${base}/docs`,
          metrics: true,
          title: 'The Harbour Journal',
          accent: '#0f766e',
        })
        for (const [, address = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
          assert.equal((await ask(app, `GET ${address}`)).status, 200, address)
        }
      }, settings))
  }

  test('is where the root, the base path and the address without a slash lead', async () => {
    await withApp(async (app) => {
      assert.deepEqual(await leads(app, '/'), [302, '/admin/'])
      assert.deepEqual(await leads(app, '/admin'), [302, '/admin/'])
      assert.deepEqual(await leads(app, '/admin?next=/posts'), [302, '/admin/?next=/posts'])
    })
    const settings = { base_path: '/backend', admin_path: '' }
    await withApp(async (app) => {
      assert.deepEqual(await leads(app, '/'), [302, '/backend/'])
      assert.deepEqual(await leads(app, '/backend'), [302, '/backend/'])
    }, settings)
  })

  test('is revalidated by its ETag: 304 until the settings change', async () => {
    let tag = ''
    await withApp(async (app) => {
      const { headers } = await ask(app, 'GET /admin/')
      tag = String(headers.etag)
      assert.equal(headers['cache-control'], 'no-cache')
      const again = await ask(app, 'GET /admin/posts', { 'if-none-match': tag })
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', tag])
      assert.equal(again.headers['cache-control'], 'no-cache')
      assert.equal((await ask(app, 'GET /admin/', { 'if-none-match': '"another"' })).status, 200)
    })
    const other = { api_version: 'v2' }
    await withApp(async (app) => assert.equal((await ask(app, 'GET /admin/', { 'if-none-match': tag })).status, 200), other)
  })

  test('answers HEAD as GET without a body, and other methods 405', () =>
    withApp(async (app) => {
      for (const path of ['/admin/', '/admin/posts', '/admin/assets/index-a1b2c3d4.js']) {
        const [get, head] = [await ask(app, `GET ${path}`), await ask(app, `HEAD ${path}`)]
        assert.deepEqual([head.status, head.text], [200, ''], path)
        assert.deepEqual({ ...head.headers, date: '' }, { ...get.headers, date: '' }, path)
        const { status, headers, json } = await ask(app, `POST ${path}`)
        assert.deepEqual([status, headers.allow, json.error], [405, 'GET, HEAD', 'Method not allowed'], path)
      }
    }))

  test('needs no token where views do, and counts against no rate limit', () =>
    withApp(
      async (app) => {
        for (let visit = 0; visit < 5; visit++) {
          for (const path of ['/admin/', '/admin/assets/index-e5f6a7b8.css']) {
            const { status, headers } = await ask(app, `GET ${path}`)
            assert.deepEqual([status, headers['x-ratelimit-limit']], [200, undefined])
          }
        }
        assert.equal((await ask(app, 'GET /admin/api/v1/views/')).status, 401)
      },
      { views_auth: 'required', rate_limits: { default: 1, auth: 1, upload: 1 } },
    ))

  test('shares its origin and base path with the refresh cookie, which works there', () =>
    withApp(
      async (app) => {
        const { base_path: base, api_version: version } = settingsOf(await ask(app, 'GET /backend/desk/'))
        const browser = new Browser(app, { api: `${base}/api/${version}` })
        const [cookie] = cookiesOf(await browser.post('token', { ...ANNA, refresh: 'cookie' }))
        assert.equal(cookie?.attributes.path, '/backend/api/v2/auth')
        // Without `Sec-Fetch-Site`, as sent to a server without HTTPS.
        const headers = { host: 'admin.example', origin: 'http://admin.example', 'content-type': 'application/json' }
        assert.equal((await browser.post('refresh', {}, headers)).status, 200)
        assert.equal((await browser.refresh()).status, 200)
      },
      { base_path: '/backend', admin_path: '/desk', api_version: 'v2' },
    ))
})

describe('without the admin page', () => {
  test('because it is turned off, everything is as if there were none', () =>
    withApp(
      async (app) => {
        assert.deepEqual(await leads(app, '/'), [302, '/docs'])
        const unknown = await ask(app, 'GET /nope')
        for (const path of ['/admin', '/admin/', '/admin/posts', '/admin/assets/index-a1b2c3d4.js']) {
          const reply = await ask(app, `GET ${path}`)
          assert.deepEqual([reply.status, reply.json], [404, unknown.json], path)
        }
        assert.doesNotMatch(app.logged.join(), /admin page/)
      },
      { ui: { enabled: false } },
    ))

  const saysSo = async (ui: string) =>
    withApp(
      async (app) => {
        assert.deepEqual(await leads(app, '/'), [302, '/docs'])
        for (const path of ['/admin', '/admin/', '/admin/posts/1']) {
          const { status, json } = await ask(app, `GET ${path}`)
          assert.equal(status, 404)
          assert.equal(json.details, 'The admin page was not built; run `npm run build`, then start the server again')
        }
        assert.equal((await ask(app, 'GET /admin/assets/index-a1b2c3d4.js')).status, 404)
        assert.equal((await ask(app, 'GET /admin/api/v1/views/')).status, 200)
        assert.equal(app.logged.filter((line) => /"warn".*admin page was not built.*npm run build/.test(line)).length, 1)
      },
      {},
      { ui },
    )

  test('because it was not built, the server says what to do', () => saysSo('/nonexistent/dist/ui'))

  test('because its document has no place for the settings, the server says what to do', async () => {
    const other = await builtPage(INDEX.replace('admin-settings', 'settings'))
    await saysSo(other.path).finally(() => other.remove())
  })

  test('because its assets are missing, the server says what to do', async () => {
    const empty = await temporaryFolder()
    await saysSo(empty.path).finally(() => empty.remove())
  })
})

describe('a reload of the project', () => {
  test('moves the page, and turns it off and on', () =>
    withApp(async (app) => {
      const reload = (change: SettingsInput) => {
        const { project } = app.app
        const settings = { ...project.settings, ...change, ui: { ...project.settings.ui, ...change.ui } }
        return app.live.replace({ project: { ...project, settings: settings as typeof project.settings } })
      }
      const statuses = async () => {
        const replies = [await ask(app, 'GET /admin/'), await ask(app, 'GET /desk/')]
        return [...replies.map(({ status }) => status), (await leads(app, '/'))[1]]
      }
      assert.deepEqual(await statuses(), [200, 404, '/admin/'])
      await reload({ admin_path: '/desk' })
      assert.deepEqual(await statuses(), [404, 200, '/desk/'])
      assert.match((await ask(app, 'GET /desk/')).text, /src="\/desk\/assets\//)
      await reload({ ui: { enabled: false } })
      assert.deepEqual(await statuses(), [404, 404, '/docs'])
      await reload({ ui: { enabled: true } })
      assert.deepEqual(await statuses(), [404, 200, '/desk/'])
    }))
})
