import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario } from '../../helpers/api/scenario.ts'
import { FILES_PROJECT, setValue, storeFile, storeRecord } from '../../helpers/api/stored-files.ts'
import { Browser, cookiesOf, sendAs } from '../cookies.ts'

const ANN = { username: 'ann', password: 'a-long-password' }

interface Desk {
  readonly app: TestApp
  /** A file of a record of Ann, which only she may read. */
  readonly url: string
  readonly record: number
  /** Reads it by what is in the headers, and nothing else. */
  get(headers?: Readonly<Record<string, string>>, url?: string): Promise<Reply>
}

const deskTest = (name: string, body: (desk: Desk) => Promise<void>): void =>
  void test(name, async () => {
    await using app = await openTestApp({ files: FILES_PROJECT })
    const record = await storeRecord(app, 'article', { title: 'of Ann', owner_id: 2 })
    const { url } = await storeFile(app, 'article', record, 'manual', { bytes: 'of Ann' })
    await body({ app, url, record, get: (headers = {}, path = url) => sendAs(app, `GET ${path}`, headers) })
  })

const request = (text: string) => text as Scenario['request']

describe('the cookie that reads files', () => {
  deskTest('is set and removed with that of the refresh token, for the addresses of files', async ({ app, get }) => {
    const reply = await new Browser(app).post('token', { ...ANN, refresh: 'cookie' })
    const [refresh, files, ...others] = cookiesOf(reply)
    assert.deepEqual([refresh?.name, files?.name, others], ['admin_refresh_8000', 'admin_files_8000', []])
    assert.deepEqual(files?.attributes, { httponly: true, samesite: 'Strict', path: '/api/v1/files', 'max-age': '604800' })
    const cookie = { cookie: `admin_files_8000=${files?.value}` }
    assert.equal((await get(cookie)).text, 'of Ann')
    assert.equal((await get()).status, 404, 'without it')
    const browser = new Browser(app)
    await browser.login(ANN)
    await browser.refresh()
    assert.equal((await get(browser.filesHeader)).status, 200)
    await browser.logout()
    assert.equal(browser.fileCookies.size, 0)
  })

  deskTest('is not set for a login that gets the refresh token in its body', async ({ app }) => {
    const reply = await sendAs(app, 'POST /api/v1/auth/token', { 'content-type': 'application/json' }, JSON.stringify(ANN))
    assert.deepEqual([reply.status, cookiesOf(reply)], [200, []])
  })

  test('is not set in a project without files', async () => {
    await using app = await openTestApp({
      files: { 'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string }]\n', ...ADMIN_SEED },
    })
    const reply = await new Browser(app).post('token', { username: 'admin', password: 'a-long-password', refresh: 'cookie' })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      cookiesOf(reply).map(({ name }) => name),
      ['admin_refresh_8000'],
    )
  })

  deskTest('is of the pages of this server, not of others', async ({ app, get }) => {
    const browser = new Browser(app)
    await browser.login(ANN)
    const rows: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
      [{}, 200],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{ 'sec-fetch-site': 'none' }, 200],
      [{ 'sec-fetch-site': 'same-site' }, 404],
      [{ 'sec-fetch-site': 'cross-site' }, 404],
      [{ 'sec-fetch-site': 'anything' }, 404],
      [{ origin: 'http://evil.example' }, 404],
      [{ origin: 'null' }, 404],
    ]
    for (const [headers, status] of rows) {
      assert.equal((await get({ ...browser.filesHeader, ...headers })).status, status, JSON.stringify(headers))
    }
  })

  deskTest('is accepted for GET and HEAD of files only', async ({ app, url, record }) => {
    const browser = new Browser(app)
    await browser.login(ANN)
    const [, token = ''] = browser.filesHeader.cookie.split('=')
    const json = { 'content-type': 'application/json' }
    const rows: readonly (readonly [string, number, string?])[] = [
      [`HEAD ${url}`, 200],
      ['POST /api/v1/files/links', 401, JSON.stringify({ files: [url] })],
      [`GET /api/v1/models/invoice`, 401],
      [`PUT /api/v1/models/article/${record}`, 401, JSON.stringify({ data: { title: 'x' } })],
      ['GET /api/v1/auth/me', 401],
      ['GET /api/v1/events', 401],
    ]
    for (const [each, status, body] of rows) {
      const reply = await sendAs(app, each, { ...browser.filesHeader, ...json }, body)
      assert.equal(reply.status, status, each)
    }
    const asBearer = { authorization: `Bearer ${token}` }
    for (const each of ['GET /api/v1/auth/me', `GET ${url}`]) assert.equal((await sendAs(app, each, asBearer)).status, 401, each)
    const asRefresh = await sendAs(app, 'POST /api/v1/auth/refresh', json, JSON.stringify({ refresh_token: token }))
    assert.equal(asRefresh.status, 401)
  })

  deskTest('is good for nothing if it holds another token', async ({ app, get }) => {
    const access = await app.tokenOf('ann')
    const browser = new Browser(app)
    await browser.login(ANN)
    const [, refresh] = browser.cookieHeader.cookie.split('=')
    for (const token of [access, refresh, 'x', '']) {
      assert.equal((await get({ cookie: `admin_files_8000=${token}` })).status, 404)
    }
    const two = `${browser.filesHeader.cookie}; admin_files_8000=x`
    assert.equal((await get({ cookie: two })).status, 404, 'one that another host has set')
  })

  const endings: readonly (readonly [name: string, end: (desk: Desk, browser: Browser) => Promise<unknown>])[] = [
    ['a logout', (_, browser) => browser.logout()],
    [
      'a changed password',
      ({ app }) =>
        play(app, {
          request: request('PUT /api/v1/models/user/2'),
          body: { data: { password: 'another-password' } },
          status: 200,
        }),
    ],
    [
      'a disabled account',
      ({ app }) =>
        play(app, { request: request('PUT /api/v1/models/user/2'), body: { data: { is_active: false } }, status: 200 }),
    ],
    [
      'a deleted account',
      async (desk) => {
        await setValue(desk.app, 'article', desk.record, { owner_id: null })
        await play(desk.app, { request: request('DELETE /api/v1/models/user/2'), status: 200 })
      },
    ],
    ['its age', async ({ app }) => app.advance(7 * 24 * 3600 * 1000)],
  ]
  for (const [name, end] of endings) {
    deskTest(`ends at once with the session: ${name}`, async (desk) => {
      const browser = new Browser(desk.app)
      await browser.login(ANN)
      const cookies = browser.filesHeader
      assert.equal((await desk.get(cookies)).status, 200)
      const invoice = await storeRecord(desk.app, 'invoice', { number: '1' })
      const { url } = await storeFile(desk.app, 'invoice', invoice, 'scan', { bytes: 'x' })
      assert.equal((await desk.get(cookies, url)).status, 403, 'known, but not permitted')
      await end(desk, browser)
      assert.notEqual((await desk.get(cookies)).status, 200)
      assert.equal((await desk.get(cookies, url)).status, 401)
    })
  }
})

describe('a token', () => {
  deskTest('that has ended is an error, also with a cookie that has not', async ({ app, get }) => {
    const browser = new Browser(app)
    const token = await browser.login(ANN)
    const other = new Browser(app)
    await other.login(ANN)
    await browser.logout()
    const authorization = `Bearer ${token}`
    assert.equal((await get({ authorization })).status, 401)
    assert.equal((await get({ authorization, ...other.filesHeader })).status, 401)
    assert.equal((await get({ authorization: 'Basic YTpi' })).status, 401)
  })
})

describe('a file that is gone', () => {
  const rows: readonly (readonly [name: string, change: (desk: Desk) => Promise<unknown>])[] = [
    ['hidden, since the record is of another', ({ app, record }) => setValue(app, 'article', record, { owner_id: 3 })],
    ['removed', ({ app, record }) => setValue(app, 'article', record, { manual: null })],
    ['replaced', ({ app, record }) => storeFile(app, 'article', record, 'manual', { bytes: 'another' })],
    [
      'in a record that is deleted',
      ({ app, record }) => play(app, { request: request(`DELETE /api/v1/models/article/${record}`), status: 200 }),
    ],
  ]
  for (const [name, change] of rows) {
    deskTest(`${name}, is not found at once, by token, cookie and link`, async (desk) => {
      const { app, url, get } = desk
      const browser = new Browser(app)
      const authorization = `Bearer ${await browser.login(ANN)}`
      const signed = await play(app, {
        request: request('POST /api/v1/files/links'),
        as: 'ann',
        body: { files: [url] },
        status: 200,
      })
      const [link = ''] = signed.json.data
      const statuses = async () => [
        (await get({ authorization })).status,
        (await get(browser.filesHeader)).status,
        (await get({}, link)).status,
      ]
      assert.deepEqual(await statuses(), [200, 200, 200])
      await change(desk)
      assert.deepEqual(await statuses(), [404, 404, 404])
      const known = await get({ authorization, 'if-none-match': '*' })
      assert.equal(known.status, 404)
    })
  }
})
