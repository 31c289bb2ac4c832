import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { safeReturnPath } from '../../../src/accounts/oidc/return-path.ts'
import { send } from '../../helpers/api/scenario.ts'
import { linkIdentity, type OidcApp, OidcBrowser, ORIGIN, openOidcApp, providerOf } from '../../helpers/oidc/browser.ts'
import { startDouble, unsigned } from '../../helpers/oidc/double.ts'
import { cookiesOf, SAME_ORIGIN } from '../cookies.ts'

const ANNA = { sub: 'anna-at-double', email: 'anna@example.com', email_verified: true }
const MALLORY = { sub: 'mallory-at-double' }
const OVER = 'The sign-in at the provider has expired or was used; begin it again'
const SIGN_IN = `${ORIGIN}/admin/sign-in`

/** An application where anna and mallory, who is called tomasz there, log in at a provider. */
async function openLinkedApp(options: Parameters<typeof openOidcApp>[1] = {}): Promise<OidcApp> {
  const linked = await openOidcApp({}, options)
  await linkIdentity(linked, 'anna.lind', ANNA)
  await linkIdentity(linked, 'tomasz', MALLORY)
  return linked
}

async function userOf(browser: OidcBrowser, token: string): Promise<string> {
  const reply = await browser.send('GET /api/v1/auth/me', { authorization: `Bearer ${token}` })
  return reply.json.data.username
}

describe('a sign-in at a provider', () => {
  test('begins a session, and says where the page goes on', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const reply = await browser.logIn(linked.double, ANNA, '/models/post?filters=status%3Ddraft')
    assert.equal(reply.status, 200, reply.text)
    const { access_token: token, ...rest } = reply.json
    assert.deepEqual(rest, { token_type: 'bearer', expires_in: 1800, to: '/models/post?filters=status%3Ddraft' })
    assert.equal(await userOf(browser, token), 'anna.lind')
    assert.deepEqual([...browser.jar.keys()], ['admin_refresh_8000', 'admin_files_8000'])
    assert.equal((await browser.send('POST /api/v1/auth/refresh', SAME_ORIGIN, {})).status, 200)
  })

  test('keeps flow and identity in cookies that scripts cannot read', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const begun = await browser.send('GET /api/v1/auth/oidc/double')
    const url = String(begun.headers.location)
    const state = new URL(url).searchParams.get('state')
    const [flow] = cookiesOf(begun)
    assert.equal(flow?.name, `admin_oidc_8000_${state}`)
    assert.deepEqual(flow.attributes, { 'max-age': '600', path: '/api/v1/auth/oidc', httponly: true, samesite: 'Lax' })
    assert.doesNotMatch(flow.value, /double|verifier/)
    const back = linked.double.authorize(url, ANNA)
    const arrived = await browser.send(`GET ${back.slice(ORIGIN.length)}`)
    const [dropped, identity] = cookiesOf(arrived)
    assert.deepEqual([dropped?.name, dropped?.attributes['max-age']], [flow.name, '0'])
    assert.equal(identity?.name, 'admin_identity_8000')
    assert.deepEqual(identity.attributes, { 'max-age': '300', path: '/api/v1/auth/oidc', httponly: true, samesite: 'Strict' })
    assert.doesNotMatch(Buffer.from(identity.value.slice(3), 'base64url').toString('latin1'), /anna/)
  })

  test('has secure cookies, and redirects to the public address whatever a request says', async () => {
    const settings = { public_url: 'https://admin.example.com', trusted_proxies: 1 }
    await using linked = await openLinkedApp({ settings })
    const foreign = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const browser = new OidcBrowser(linked.app, foreign)
    const begun = await browser.send('GET /api/v1/auth/oidc/double')
    assert.equal(cookiesOf(begun)[0]?.attributes.secure, true)
    const url = String(begun.headers.location)
    assert.equal(new URL(url).searchParams.get('redirect_uri'), 'https://admin.example.com/api/v1/auth/oidc/double/callback')
    const back = linked.double.authorize(url, ANNA)
    const reply = await browser.send(`GET ${back.slice('https://admin.example.com'.length)}`)
    assert.equal(reply.headers.location, 'https://admin.example.com/admin/sign-in#oidc')
  })

  test('begins at the address that the user comes back to, where this machine has several names', async () => {
    await using linked = await openLinkedApp()
    const begin = async (host: string) => {
      const reply = await new OidcBrowser(linked.app, { host }).send('GET /api/v1/auth/oidc/double?to=/models/post')
      return String(reply.headers.location)
    }
    for (const host of ['localhost:8000', '[::1]:8000', 'localhost:5173']) {
      assert.equal(await begin(host), `${ORIGIN}/api/v1/auth/oidc/double?to=%2Fmodels%2Fpost`)
    }
    for (const host of ['127.0.0.1:8000', 'evil.example']) assert.ok((await begin(host)).startsWith(linked.double.issuer), host)
  })

  test('begins no session where the user comes back to', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    assert.deepEqual([...browser.jar.keys()], ['admin_identity_8000'])
    const { total } = await linked.app.app.store.find('authsession', { filters: [], sort: [], offset: 0, limit: 0 })
    assert.equal(total, 0)
  })

  test('is not of a disabled account', async () => {
    await using linked = await openLinkedApp()
    await linked.app.app.records.updateInternal('user', 3, { is_active: false })
    const browser = new OidcBrowser(linked.app)
    const reply = await browser.logIn(linked.double, ANNA)
    assert.deepEqual([reply.status, reply.json.details], [401, 'Valid token required'])
    assert.deepEqual([...browser.jar.keys()], [])
    const { json } = await send(linked.app, { request: 'GET /api/v1/auth/log?user_id=3' })
    const [{ event, method, address }] = json.data
    assert.deepEqual([event, method, address], ['login_failed', 'oidc', '127.0.0.1'])
  })

  test('is not of an unknown identity', async () => {
    await using linked = await openLinkedApp()
    const reply = await new OidcBrowser(linked.app).logIn(linked.double, { sub: 'somebody' })
    assert.deepEqual([reply.status, reply.json.error], [403, 'Identity is not linked'])
    assert.match(reply.json.details, /log in and link it/)
  })

  test('has no unknown provider', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    assert.equal((await browser.send('GET /api/v1/auth/oidc/google')).status, 404)
    assert.equal((await browser.send('GET /api/v1/auth/oidc/google/callback?code=a&state=b')).status, 404)
  })
})

describe('a flow', () => {
  test('is of the browser that began it: login CSRF', async () => {
    await using linked = await openLinkedApp()
    const [mallory, victim] = [new OidcBrowser(linked.app), new OidcBrowser(linked.app)]
    const back = linked.double.authorize(await mallory.begin(), MALLORY)
    assert.equal(await victim.comeBack(back), `${SIGN_IN}#oidc-error=expired`)
    assert.deepEqual([...victim.jar.keys()], [])
    const finished = await victim.finish()
    assert.deepEqual([finished.status, finished.json.details], [401, OVER])
    // Also while the victim has a flow of their own, whose state mallory does not know.
    await victim.begin()
    assert.equal(await victim.comeBack(back), `${SIGN_IN}#oidc-error=expired`)
    assert.deepEqual(victim.names('admin_identity'), [])
  })

  test('does not take a code of another flow', async () => {
    await using linked = await openLinkedApp()
    const [mallory, victim] = [new OidcBrowser(linked.app), new OidcBrowser(linked.app)]
    const stolen = new URL(linked.double.authorize(await victim.begin(), ANNA))
    const own = new URL(await mallory.begin())
    stolen.searchParams.set('state', own.searchParams.get('state') ?? '')
    assert.equal(await mallory.comeBack(stolen.href), `${SIGN_IN}#oidc-error=refused`)
    assert.deepEqual(mallory.names('admin_identity'), [])
  })

  test('ends at the provider where it began: mix-up', async () => {
    await using other = await startDouble()
    await using linked = await openLinkedApp({ others: [{ ...providerOf(other), name: 'other' }] })
    const browser = new OidcBrowser(linked.app)
    const begun = await browser.send('GET /api/v1/auth/oidc/other')
    const back = other.authorize(String(begun.headers.location), ANNA)
    assert.equal(await browser.comeBack(back.replace('/other/callback', '/double/callback')), `${SIGN_IN}#oidc-error=expired`)
    assert.deepEqual(linked.double.tokenRequests, [])
  })

  test('is not taken under the state of another', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.begin()
    const [name = ''] = browser.names('admin_oidc_')
    const cookie = browser.jar.get(name)
    assert.ok(cookie !== undefined)
    const other = new URL(linked.double.authorize(await browser.begin(), ANNA))
    browser.jar.set(`admin_oidc_8000_${other.searchParams.get('state')}`, cookie)
    assert.equal(await browser.comeBack(other.href), `${SIGN_IN}#oidc-error=expired`)
  })

  for (const [what, change] of [
    ['another state', (query: URLSearchParams) => query.set('state', 'aaaaaaaaaaaaaaaaaaaaaa')],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['two states', (query: URLSearchParams) => query.append('state', query.get('state') ?? '')],
    ['a state that is no name of a cookie', (query: URLSearchParams) => query.set('state', 'a=b; admin_oidc_8000_')],
  ] as const) {
    test(`does not end with ${what}`, async () => {
      await using linked = await openLinkedApp()
      const browser = new OidcBrowser(linked.app)
      const back = new URL(linked.double.authorize(await browser.begin(), ANNA))
      change(back.searchParams)
      assert.equal(await browser.comeBack(back.href), `${SIGN_IN}#oidc-error=expired`)
      assert.deepEqual(linked.double.tokenRequests, [])
    })
  }

  test('is used once: Back, and a copy of the cookie', async () => {
    await using linked = await openLinkedApp({ twist: { isCareless: true } })
    const browser = new OidcBrowser(linked.app)
    const back = linked.double.authorize(await browser.begin(), ANNA)
    const copy = browser.copy()
    assert.equal(await browser.comeBack(back), `${SIGN_IN}#oidc`)
    assert.equal(await browser.comeBack(back), `${SIGN_IN}#oidc-error=expired`)
    assert.equal(await copy.comeBack(back), `${SIGN_IN}#oidc-error=expired`)
    assert.equal(linked.double.tokenRequests.length, 1)
    // The identity of the first visit is still good.
    assert.equal((await browser.finish()).status, 200)
  })

  test('is used once, also by a copy after a restart; so is the identity', async () => {
    await using linked = await openLinkedApp({ twist: { isCareless: true } })
    const browser = new OidcBrowser(linked.app)
    const back = linked.double.authorize(await browser.begin(), ANNA)
    const begun = browser.copy()
    assert.equal(await browser.comeBack(back), `${SIGN_IN}#oidc`)
    const proven = browser.copy()
    assert.equal((await browser.finish()).status, 200)
    await using app = await linked.app.reopen()
    assert.equal(await begun.copy(app).comeBack(back), `${SIGN_IN}#oidc-error=expired`)
    const reply = await proven.copy(app).finish()
    assert.deepEqual([reply.status, reply.json.details], [401, OVER])
  })

  test('begins one session, though its identity is sent several times at once', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    const replies = await Promise.all([browser, browser.copy(), browser.copy()].map((each) => each.finish()))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401])
  })

  test('ends after 10 minutes', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const [one, two] = [
      linked.double.authorize(await browser.begin(), ANNA),
      linked.double.authorize(await browser.begin(), ANNA),
    ]
    linked.app.advance(599_000)
    assert.equal(await browser.comeBack(one), `${SIGN_IN}#oidc`)
    linked.app.advance(1000)
    assert.equal(await browser.comeBack(two), `${SIGN_IN}#oidc-error=expired`)
  })

  test('goes on beside another one in another tab', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const [first, second] = [await browser.begin('/models/post'), await browser.begin('/models/tag')]
    assert.equal(await browser.comeBack(linked.double.authorize(second, ANNA)), `${SIGN_IN}#oidc`)
    assert.equal((await browser.finish()).json.to, '/models/tag')
    assert.equal(await browser.comeBack(linked.double.authorize(first, ANNA)), `${SIGN_IN}#oidc`)
    assert.equal((await browser.finish()).json.to, '/models/post')
  })

  test('is one of five: the oldest is dropped', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const urls: string[] = []
    for (let number = 0; number < 7; number++) {
      urls.push(await browser.begin(`/${'x'.repeat(499)}`))
      linked.app.advance(1000)
    }
    const states = urls.map((url) => `admin_oidc_8000_${new URL(url).searchParams.get('state')}`)
    assert.deepEqual(browser.names('admin_oidc_').sort(), states.slice(2).sort())
    const header = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    assert.ok(header.length < 8192, `${header.length} characters of cookies`)
    assert.equal(await browser.comeBack(linked.double.authorize(urls[2] ?? '', ANNA)), `${SIGN_IN}#oidc`)
    assert.equal(await browser.comeBack(linked.double.authorize(urls[1] ?? '', ANNA)), `${SIGN_IN}#oidc-error=expired`)
  })

  test('drops cookies of its kind that it has not made', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    browser.jar.set('admin_oidc_8000_forged', { value: 'v1.AAAA', path: '/api/v1/auth/oidc' })
    await browser.begin()
    assert.equal(browser.names('admin_oidc_').includes('admin_oidc_8000_forged'), false)
  })
})

describe('what a provider answers', () => {
  test('is refused without a trace of its text', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    const back = new URL(linked.double.authorize(await browser.begin(), ANNA))
    back.searchParams.delete('code')
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_description', '<script>alert(1)</script>')
    const reply = await browser.send(`GET ${back.href.slice(ORIGIN.length)}`)
    assert.equal(reply.headers.location, `${SIGN_IN}#oidc-error=cancelled`)
    assert.equal(reply.text, '')
    assert.deepEqual([...browser.jar.keys()], [])
    assert.match(linked.app.logged.join(''), /sign_in_failed.*cancelled/)
  })

  test('is refused without a signature', async () => {
    await using linked = await openLinkedApp({ twist: { sign: unsigned } })
    const browser = new OidcBrowser(linked.app)
    assert.equal(await browser.visit(linked.double, ANNA), `${SIGN_IN}#oidc-error=refused`)
    assert.deepEqual([...browser.jar.keys()], [])
  })

  test('is no answer: the page says so, and the log has the reason', async () => {
    const twist = {
      respond: (path: string, response: import('node:http').ServerResponse) => {
        if (path.startsWith('/.well-known')) response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
        return path.startsWith('/.well-known')
      },
    }
    await using linked = await openLinkedApp({ twist })
    const browser = new OidcBrowser(linked.app)
    assert.equal(await browser.begin(), `${SIGN_IN}#oidc-error=unavailable`)
    assert.match(linked.app.logged.join(''), /sign_in_failed.*unavailable.*status/)
  })

  test('is not asked for on this machine where webhooks do not call it', async () => {
    await using linked = await openLinkedApp({ settings: { webhooks: { allow_private: false } } })
    assert.equal(await new OidcBrowser(linked.app).begin(), `${SIGN_IN}#oidc-error=unavailable`)
    assert.deepEqual(linked.double.asked, [])
  })

  test('may have parameters that this server does not know', async () => {
    await using linked = await openLinkedApp({ twist: { answer: (answer) => answer.set('session_state', '<b>') } })
    assert.equal(await new OidcBrowser(linked.app).visit(linked.double, ANNA), `${SIGN_IN}#oidc`)
  })
})

describe('the identity in the cookie', () => {
  const FOREIGN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['of another site', { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }],
    ['of another host of the domain', { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' }],
    ['that a user typed in', { 'content-type': 'application/json', 'sec-fetch-site': 'none' }],
    ['of another origin', { 'content-type': 'application/json', origin: 'http://evil.example' }],
    ['of no origin', { 'content-type': 'application/json', origin: 'null' }],
    ['without either header', { 'content-type': 'application/json' }],
  ]
  for (const [name, headers] of FOREIGN) {
    test(`is not used for a request ${name}`, async () => {
      await using linked = await openLinkedApp()
      const browser = new OidcBrowser(linked.app)
      await browser.visit(linked.double, ANNA)
      const reply = await browser.finish({}, headers)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.headers['set-cookie'], undefined)
      assert.equal((await browser.finish()).status, 200)
    })
  }

  test('is not used for a form, nor without the wish for a cookie', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    const form = { ...SAME_ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await browser.finish({}, form)).status, 415)
    assert.deepEqual((await browser.finish({ refresh: undefined })).json.detail, {
      error: { refresh: ['refresh is mandatory, and must be cookie'] },
    })
    assert.equal((await browser.finish({ otp: 7 })).status, 400)
    assert.equal((await browser.finish()).status, 200)
  })

  test('is used once, also by a copy and at once', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    const copies = Array.from({ length: 8 }, () => browser.copy())
    const replies = await Promise.all(copies.map((copy) => copy.finish()))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)])
    assert.equal((await browser.finish()).status, 401)
  })

  test('is good for 5 minutes', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    const copy = browser.copy()
    linked.app.advance(300_000)
    assert.equal((await copy.finish()).status, 401)
  })

  test('is not one of a flow, nor one that was changed', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    await browser.visit(linked.double, ANNA)
    const sealed = browser.jar.get('admin_identity_8000')?.value ?? ''
    await browser.begin()
    const flow = browser.jar.get(browser.names('admin_oidc_')[0] ?? '')?.value ?? ''
    const changed = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    for (const value of [flow, changed, sealed.slice(0, -2), 'v1.', '']) {
      const copy = browser.copy()
      copy.jar.set('admin_identity_8000', { value, path: '/api/v1/auth/oidc' })
      assert.equal((await copy.finish()).status, 401, value)
    }
  })
})

describe('where a sign-in goes on', () => {
  const OPEN_REDIRECTS = [
    ...[
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '////evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '\\/evil.example',
    ],
    ...[
      '/%2fevil.example',
      '/%5cevil.example',
      '/%5Cevil.example',
      '/\tevil.example',
      '\t//evil.example',
      ' //evil.example',
      '/\n/evil.example',
    ],
    ...[
      'javascript:alert(1)',
      'data:text/html,a',
      'evil.example',
      '.evil.example',
      '@evil.example',
      '/models//evil.example',
      '/../evil',
      '/a/../../evil',
    ],
    ...[
      '/%2e%2e/evil',
      '/.%2e//evil',
      '/./evil',
      '/models/post#//evil.example',
      '/%252fevil.example',
      'http:evil.example',
      'http:/evil.example',
    ],
    ...['/\u0000/evil.example', '/\u2215evil.example', '/\uff0fevil.example', '?to=//evil.example', '', `/${'a'.repeat(600)}`],
  ]
  for (const to of OPEN_REDIRECTS) {
    test(`is never ${JSON.stringify(to.slice(0, 40))}`, () => assert.equal(safeReturnPath(to), '/'))
  }

  for (const to of [
    '/',
    '/models/post',
    '/models/post/7',
    '/models/post?filters=status=draft&page=2',
    '/account',
    '/models/post?filters=title__icontains=a%2Fb',
    '/models/post?to=https://example.com',
  ]) {
    test(`may be ${to}`, () => assert.equal(safeReturnPath(to), to))
  }

  test('is the first page for the path of another server', async () => {
    await using linked = await openLinkedApp()
    const browser = new OidcBrowser(linked.app)
    assert.equal((await browser.logIn(linked.double, ANNA, '//evil.example')).json.to, '/')
    assert.equal((await browser.send('GET /api/v1/auth/oidc/double?next=/a')).status, 400)
  })
})
