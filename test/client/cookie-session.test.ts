import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AdminError, type Client, type ClientOptions, createClient, memoryStorage } from '../../src/client/client.ts'
import { familyOf } from '../../src/client/session.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { ADMIN, AUTHOR, type LiveApp, openLive } from './live.ts'

const MINUTE = 60_000

/** The tabs of a browser: what they send has the cookies and the header of pages of the server. */
class Tabs {
  readonly #url: string
  readonly cookies = new Map<string, string>()
  /** Delays or fails a request. */
  before: (path: string) => Promise<void> = async () => {}

  constructor(url: string) {
    this.#url = url
  }

  /** A page that was opened or reloaded just now. */
  open(): Client {
    return createClient({ url: this.#url, session: 'cookie', fetch: this.#fetch })
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    await this.before(String(input))
    const headers = new Headers(init?.headers)
    headers.set('sec-fetch-site', 'same-origin')
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(input, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(/[=;]/)
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }
}

const isOf = (type: string) => (error: unknown) => error instanceof AdminError && error.type === type

describe('a session with the refresh token in a cookie', () => {
  let app: LiveApp
  let tabs: Tabs

  const asked = (action: string) => app.asked.filter((request) => request === `POST /api/v1/auth/${action}`).length
  const nameOf = async (client: Client) => (await client.me()).data.username
  const login = async (user = ADMIN): Promise<Client> => {
    const client = tabs.open()
    await client.login(user.username, user.password)
    return client
  }

  beforeEach(async () => {
    app = await openLive()
    tabs = new Tabs(app.url)
  })
  afterEach(() => app.close())

  test('is renewed when the access token has expired, once for all requests', async () => {
    const client = await login()
    app.advance(31 * MINUTE)
    const records = await Promise.all([1, 2, 3].map((id) => client.model('tag').read(id)))
    assert.equal(records.length, 3)
    assert.equal(asked('refresh'), 1)
    app.advance(31 * MINUTE)
    await client.model('tag').read(1)
    assert.equal(asked('refresh'), 2)
  })

  test('is continued by a page without a token, once for all requests', async () => {
    await login()
    const reloaded = tabs.open()
    const [has, name] = await Promise.all([reloaded.hasToken(), nameOf(reloaded), reloaded.model('tag').read(1)])
    assert.deepEqual([has, name, asked('refresh')], [true, 'admin', 1])
  })

  test('is continued by tabs that start or renew at the same time', async () => {
    await login()
    app.advance(20_000)
    const pages = [tabs.open(), tabs.open(), tabs.open()]
    assert.deepEqual(await Promise.all(pages.map(nameOf)), ['admin', 'admin', 'admin'])
    app.advance(31 * MINUTE)
    assert.deepEqual(await Promise.all(pages.map(nameOf)), ['admin', 'admin', 'admin'])
    app.advance(31 * MINUTE)
    assert.equal(await nameOf(tabs.open()), 'admin')
  })

  test('is asked for once by a page of a visitor, who can then log in', async () => {
    const client = tabs.open()
    assert.equal(await client.hasToken(), false)
    assert.equal(await client.hasToken(), false)
    await assert.rejects(client.model('tag').read(1), isOf('authentication'))
    assert.equal(asked('refresh'), 1)
    await client.login(AUTHOR.username, AUTHOR.password)
    assert.equal(await nameOf(client), AUTHOR.username)
    app.advance(31 * MINUTE)
    assert.equal(await nameOf(client), AUTHOR.username)
  })

  test('is asked for again after the server could not be reached', async () => {
    await login()
    const client = tabs.open()
    tabs.before = async () => {
      throw new TypeError('fetch failed')
    }
    await assert.rejects(client.hasToken(), isOf('network'))
    tabs.before = async () => {}
    assert.equal(await client.hasToken(), true)
  })

  test('ends with a logout, also of a page that has not used it yet', async () => {
    const client = await login()
    await tabs.open().logout()
    assert.equal(tabs.cookies.size, 0)
    await assert.rejects(client.model('tag').read(1), isOf('authentication'))
    assert.equal(await client.hasToken(), false)
    await client.logout()
    assert.equal(await tabs.open().hasToken(), false)
  })

  test('that was replaced by another login is not continued as another user', async () => {
    const client = await login()
    const other = tabs.open()
    await other.logout()
    await other.login(AUTHOR.username, AUTHOR.password)
    await assert.rejects(client.model('tag').create({ name: 'Of admin', slug: 'of-admin' }), isOf('authentication'))
    assert.equal(app.asked.filter((request) => request === 'POST /api/v1/models/tag').length, 1)
    assert.equal(await nameOf(client), AUTHOR.username)
  })

  test('shows no refresh token to scripts', async () => {
    const seen: string[] = []
    const spying: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      seen.push(await response.clone().text())
      return response
    }
    const client = createClient({ url: app.url, session: 'cookie', fetch: spying })
    await client.login(ADMIN.username, ADMIN.password)
    assert.deepEqual(Object.keys(JSON.parse(seen[0] ?? '')), ['access_token', 'token_type', 'expires_in'])
  })
})

test('a session in a cookie excludes a token and a storage', () => {
  for (const other of [{ token: 'x' }, { storage: memoryStorage() }]) {
    const options = { url: '', session: 'cookie', ...other } as unknown as ClientOptions
    assert.throws(() => createClient(options), /has neither 'token' nor 'storage'/)
  }
})

test('an access token names its session; any other token is a session of its own', () => {
  const payload = Buffer.from('{"jti":"fam_-ily.token"}').toString('base64url')
  assert.equal(familyOf(`e30.${payload}.sig`), 'fam_-ily')
  const withoutSession = `e30.${Buffer.from('{"jti":"id:mark"}').toString('base64url')}.sig`
  for (const token of ['opaque', 'a.b.c', withoutSession]) assert.equal(familyOf(token), token)
})

describe('the own account', () => {
  let app: LiveApp

  beforeEach(async () => {
    app = await openLive()
  })
  afterEach(() => app.close())

  const login = async (): Promise<Client> => {
    const client = createClient({ url: app.url })
    await client.login(AUTHOR.username, AUTHOR.password)
    return client
  }

  test('changes its password, which ends the other sessions', async () => {
    const [client, other] = [await login(), await login()]
    await assert.rejects(client.changePassword('wrong', 'short'), (error) => {
      assert.ok(isOf('validation')(error) && error instanceof AdminError)
      assert.deepEqual(Object.keys(error.fieldErrors), ['current_password', 'new_password'])
      return true
    })
    await client.changePassword(AUTHOR.password, 'something-new-18')
    assert.equal((await client.me()).data.username, AUTHOR.username)
    await assert.rejects(other.me(), isOf('authentication'))
    app.advance(31 * MINUTE)
    assert.equal((await client.me()).data.username, AUTHOR.username)
  })

  test('lists and ends its sessions', async () => {
    const [client, other] = [await login(), await login()]
    const sessions = await client.sessions()
    assert.deepEqual(valuesOf(sessions, 'id', 'address', 'current'), [
      [2, '127.0.0.1', false],
      [1, '127.0.0.1', true],
    ])
    await client.endSession(2)
    await assert.rejects(other.me(), isOf('authentication'))
    await assert.rejects(client.endSession(2), isOf('not_found'))
    assert.equal((await client.sessions()).length, 1)
  })
})
