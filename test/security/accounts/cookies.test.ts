import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { listeningTest, type RawReply, speak, withListening } from '../../helpers/api/raw.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { ANNA, appTest, ask, login, logout, refresh, tryLogin, withApp } from '../access.ts'
import { Browser, cookiesOf, SAME_ORIGIN, sendAs } from '../cookies.ts'

/** The cookie of a refresh token in an answer, as name and value. */
const refreshCookieOf = ({ text }: RawReply): string => /^set-cookie: (admin_refresh_[^;]*)/im.exec(text)?.[1] ?? ''

/** The status of an access token. */
const statusOf = async (app: TestApp, token: string): Promise<number> => (await ask(app, token)).status

describe('the cookie of a refresh token', () => {
  appTest('has the attributes that keep it from scripts, other sites and other endpoints', async (app) => {
    const reply = await new Browser(app).post('token', { ...ANNA, refresh: 'cookie' })
    // The other cookie is that of the addresses of files.
    const [cookie, ...others] = cookiesOf(reply).filter(({ attributes }) => attributes.path !== '/api/v1/files')
    assert.deepEqual(Object.keys(reply.json).sort(), ['access_token', 'expires_in', 'token_type'])
    assert.deepEqual(others, [])
    assert.equal(cookie?.name, 'admin_refresh_8000')
    assert.match(cookie?.value ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/)
    assert.deepEqual(cookie?.attributes, {
      httponly: true,
      samesite: 'Strict',
      path: '/api/v1/auth',
      'max-age': String(7 * 24 * 3600),
    })
    assert.equal(reply.headers['cache-control'], 'no-store')
  })

  appTest(
    'has the path of the API beneath a changed base path and version, and works there',
    async (app) => {
      const browser = new Browser(app, { api: '/backend/api/v2' })
      const [cookie] = cookiesOf(await browser.post('token', { ...ANNA, refresh: 'cookie' }))
      assert.equal(cookie?.attributes.path, '/backend/api/v2/auth')
      assert.equal((await browser.refresh()).status, 200)
      const ended = await browser.logout()
      assert.deepEqual([ended.status, cookiesOf(ended)[0]?.attributes.path], [200, '/backend/api/v2/auth'])
    },
    { settings: { base_path: '/backend', api_version: 'v2' } },
  )

  const secure = async (app: TestApp, headers: Readonly<Record<string, string>>) => {
    const [cookie] = cookiesOf(await new Browser(app, { headers }).post('token', { ...ANNA, refresh: 'cookie' }))
    return cookie?.attributes.secure === true
  }

  test('is Secure behind a trusted proxy with HTTPS, or if the address of the server has it, and only then', async () => {
    const forwarded = (scheme: string) => ({ 'x-forwarded-proto': scheme })
    await withApp(async (app) => {
      assert.equal(await secure(app, {}), false)
      assert.equal(await secure(app, forwarded('https')), false, 'no proxy is trusted')
    })
    await withApp(
      async (app) => {
        assert.equal(await secure(app, forwarded('https')), true)
        assert.equal(await secure(app, forwarded('http, HTTPS')), true, 'the proxy appends')
        assert.equal(await secure(app, forwarded('https, http')), false, 'the client sent the first')
        assert.equal(await secure(app, forwarded('http')), false)
        assert.equal(await secure(app, {}), false)
      },
      { settings: { trusted_proxies: 1 } },
    )
    const address = { public_url: 'https://admin.example.org' }
    await withApp(async (app) => assert.equal(await secure(app, {}), true, 'users have HTTPS'), { settings: address })
  })

  appTest('is removed by a logout, which ends the session', async (app) => {
    const browser = new Browser(app)
    const token = await browser.login()
    const stolen = browser.copy()
    const reply = await browser.logout()
    assert.equal(reply.status, 200, reply.text)
    const [cookie] = cookiesOf(reply)
    const { 'max-age': maxAge, path, httponly, samesite } = cookie?.attributes ?? {}
    assert.deepEqual([cookie?.value, maxAge, path, httponly, samesite], ['', '0', '/api/v1/auth', true, 'Strict'])
    assert.equal(browser.cookies.size, 0)
    assert.equal(await statusOf(app, token), 401)
    assert.equal((await stolen.refresh()).status, 401)
  })

  appTest('is removed by a refresh or a logout after the session has ended', async (app) => {
    for (const action of ['refresh', 'logout'] as const) {
      const browser = new Browser(app)
      await browser.login()
      await browser.copy().logout()
      const reply = await browser[action]()
      assert.deepEqual([reply.status, reply.json, browser.cookies.size], [401, UNAUTHENTICATED, 0])
    }
  })

  listeningTest('has the port of the server in its name, so that two servers on one host do not clash', {}, async (one) => {
    await withListening({}, async (other) => {
      const body = JSON.stringify({ ...ANNA, refresh: 'cookie' })
      const cookies = ['theme=dark']
      for (const { port } of [one, other]) {
        const head = `Host: localhost:${port}\r\nContent-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n`
        const post = (action: string, sent: string) =>
          speak(
            port,
            `POST /api/v1/auth/${action} HTTP/1.1\r\n${head}Cookie: ${cookies.join('; ')}\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
          )
        const name = refreshCookieOf(await post('token', body))
        assert.match(name, new RegExp(`^admin_refresh_${port}=`))
        cookies.push(name)
        const renewed = await post('refresh', '{}')
        assert.equal(renewed.status, 200, renewed.text)
        cookies.pop()
        cookies.push(refreshCookieOf(renewed))
      }
      assert.equal(cookies.length, 3)
    })
  })

  appTest('is ambiguous if two have its name, as another host of the domain may have set one', async (app) => {
    const [browser, attacker] = [new Browser(app), new Browser(app)]
    await browser.login()
    await attacker.login({ username: 'tomasz', password: 'quiet-moderator-5' })
    const cookie = `${attacker.cookieHeader.cookie}; ${browser.cookieHeader.cookie}`
    const reply = await sendAs(app, 'POST /api/v1/auth/refresh', { ...SAME_ORIGIN, cookie }, '{}')
    assert.deepEqual([reply.status, reply.json], [401, UNAUTHENTICATED])
    assert.equal((await browser.refresh()).status, 200)
  })
})

describe('every other endpoint', () => {
  for (const views_auth of ['optional', 'required'] as const) {
    appTest(
      `ignores the cookie, with views_auth: ${views_auth}`,
      async (app) => {
        const browser = new Browser(app)
        await browser.login()
        const headers = { ...SAME_ORIGIN, ...browser.cookieHeader }
        for (const request of [
          'GET /api/v1/models/post/1',
          'DELETE /api/v1/models/post/1',
          'GET /api/v1/auth/me',
          'GET /api/v1/auth/sessions',
          'DELETE /api/v1/auth/sessions/1',
          'POST /api/v1/auth/password',
          'POST /api/v1/auth/issue',
          ...(views_auth === 'required' ? ['GET /admin/api/v1/views/', 'GET /api/v1/openapi.json'] : []),
        ]) {
          const reply = await sendAs(app, request, headers, request.startsWith('POST') ? '{}' : undefined)
          assert.deepEqual([reply.status, reply.json], [401, UNAUTHENTICATED], request)
        }
        const bearer = { ...SAME_ORIGIN, authorization: `Bearer ${browser.token}` }
        assert.equal((await sendAs(app, 'GET /api/v1/auth/me', bearer)).status, 401, 'not an access token')
      },
      { settings: { views_auth } },
    )
  }
})

describe('a refresh token', () => {
  appTest('of a cookie is not accepted from a body, which would reveal it to scripts', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    for (const reply of [await refresh(app, browser.token), await logout(app, browser.token)]) {
      assert.deepEqual([reply.status, reply.json], [401, UNAUTHENTICATED])
    }
    assert.equal((await browser.refresh()).status, 200)
  })

  appTest('of a body is not accepted from a cookie, where it would be good longer', async (app) => {
    const { access_token, refresh_token } = await login(app)
    const browser = new Browser(app)
    for (const action of ['refresh', 'logout'] as const) {
      browser.cookies.set('admin_refresh_8000', refresh_token)
      assert.equal((await browser[action]()).status, 401)
    }
    assert.equal(await statusOf(app, access_token), 200)
    assert.equal((await refresh(app, refresh_token)).status, 200)
    assert.equal((await refresh(app, refresh_token)).status, 401, 'used twice at once')
    assert.equal(await statusOf(app, access_token), 401)
  })

  appTest('of a body takes precedence over the cookie', async (app) => {
    const browser = new Browser(app)
    await browser.login()
    const { refresh_token } = await login(app)
    const { token } = browser
    const reply = await browser.post('refresh', { refresh_token })
    assert.deepEqual([reply.status, reply.headers['set-cookie'], browser.token], [200, undefined, token])
    assert.deepEqual(Object.keys(reply.json).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type'])
  })
})

appTest('a login with another value of `refresh` is an error', async (app) => {
  for (const value of ['body', true, null, '']) {
    const reply = await tryLogin(app, { ...ANNA, refresh: value })
    assert.deepEqual([reply.status, reply.json.detail.error], [400, { refresh: ['refresh must be cookie'] }])
  }
})

appTest('a client that does not ask gets no cookie', async (app) => {
  const browser = new Browser(app)
  const reply = await browser.post('token', ANNA)
  assert.deepEqual(Object.keys(reply.json), ['access_token', 'refresh_token', 'token_type', 'expires_in'])
  const next = await browser.post('refresh', { refresh_token: reply.json.refresh_token })
  const ended = await browser.post('logout', { refresh_token: next.json.refresh_token })
  for (const { status, headers } of [reply, next, ended]) assert.deepEqual([status, headers['set-cookie']], [200, undefined])
})
