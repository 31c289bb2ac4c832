import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { AdminError, createClient, memoryStorage, type TokenStorage, webStorage } from '../../src/client/client.ts'
import { ADMIN, AUTHOR, type LiveApp, loggedIn, openLive } from './live.ts'

const MINUTE = 60_000
const isOf = (type: AdminError['type']) => (error: unknown) => error instanceof AdminError && error.type === type

describe('the session of a client', () => {
  let app: LiveApp
  beforeEach(async () => {
    app = await openLive()
  })
  afterEach(() => app.close())

  const refreshes = () => app.asked.filter((request) => request.endsWith('/auth/refresh')).length

  test('is renewed once for concurrent requests', async () => {
    const client = await loggedIn(app)
    app.advance(31 * MINUTE)
    const pages = await Promise.all(Array.from({ length: 20 }, () => client.model('tag').list()))
    assert.equal(pages.length, 20)
    assert.equal(refreshes(), 1)
    app.advance(31 * MINUTE)
    await client.model('tag').read(1)
    assert.equal(refreshes(), 2)
  })

  test('is renewed once by pages that share a storage', async () => {
    const shared = sharedStorage()
    const one = await loggedIn(app, { storage: shared() })
    const others = [shared(), shared(), shared()].map((storage) => createClient({ url: app.url, storage }))
    app.advance(31 * MINUTE)
    await Promise.all([one, ...others].flatMap((client) => [client.model('tag').read(1), client.model('tag').read(2)]))
    assert.equal(refreshes(), 1)
  })

  test('ends when it cannot be renewed: the error is thrown and the tokens are removed', async () => {
    const client = await loggedIn(app)
    app.advance(8 * 24 * 60 * MINUTE)
    const refused = await Promise.allSettled([client.model('tag').read(1), client.model('tag').read(2)])
    for (const each of refused) assert.ok(each.status === 'rejected' && isOf('authentication')(each.reason), each.status)
    assert.equal(refreshes(), 1)
    assert.equal(await client.hasToken(), false)
  })

  test('stays when the renewal request fails', async () => {
    let isDown = false
    const unsteady: typeof fetch = async (input, init) => {
      if (isDown && String(input).endsWith('/auth/refresh')) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    const client = await loggedIn(app, { fetch: unsteady })
    app.advance(31 * MINUTE)
    isDown = true
    await assert.rejects(client.model('tag').read(1), isOf('network'))
    isDown = false
    assert.equal((await client.model('tag').read(1)).data.id, 1)
  })

  test('stays ended when a renewal was running', async () => {
    const [asked, release] = [gate(), gate()]
    const slow: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (!String(input).endsWith('/auth/refresh')) return response
      asked.open()
      await release.opened
      return response
    }
    const storage = memoryStorage()
    const client = await loggedIn(app, { storage, fetch: slow })
    app.advance(31 * MINUTE)
    const late = client
      .model('tag')
      .read(1)
      .catch(() => {})
    await asked.opened
    const ended = client.logout()
    release.open()
    await Promise.all([late, ended])
    assert.equal(await storage.get(), undefined)
  })

  for (const where of ['here', 'in another tab']) {
    test(`that was ended ${where} is not continued as another user`, async () => {
      const shared = sharedStorage()
      const [asked, release] = [gate(), gate()]
      const slow: typeof fetch = async (input, init) => {
        if (init?.method !== 'POST' || !String(input).endsWith('/tag')) return fetch(input, init)
        asked.open()
        await release.opened
        return fetch(input, init)
      }
      const client = await loggedIn(app, { storage: shared(), fetch: slow })
      const other = where === 'here' ? client : createClient({ url: app.url, storage: shared() })
      const late = client.model('tag').create({ name: 'Of admin', slug: 'of-admin' })
      await asked.opened
      await other.logout()
      await other.login(AUTHOR.username, AUTHOR.password)
      release.open()
      await assert.rejects(late, isOf('authentication'))
      const posts = app.asked.filter((request) => request === 'POST /api/v1/models/tag')
      assert.deepEqual([posts.length, refreshes()], [1, 0])
      assert.equal((await client.me()).data.username, AUTHOR.username)
    })
  }

  test('continues for a request that is rejected long after two renewals', async () => {
    const storage = memoryStorage()
    await loggedIn(app, { storage })
    const [asked, release] = [gate(), gate()]
    const slow: typeof fetch = async (input, init) => {
      if (!String(input).endsWith('/tag/2')) return fetch(input, init)
      const response = await fetch(input, init)
      asked.open()
      await release.opened
      return response
    }
    // Tokens stored by other code have no member `session`.
    const client = createClient({ url: app.url, storage: memoryStorage(await storage.get()), fetch: slow })
    app.advance(31 * MINUTE)
    const late = client.model('tag').read(2)
    await asked.opened
    await client.model('tag').read(1)
    app.advance(31 * MINUTE)
    await client.model('tag').read(1)
    release.open()
    assert.equal((await late).data.id, 2)
    assert.equal(refreshes(), 2)
  })

  test('ends on the server, too', async () => {
    const storage = memoryStorage()
    const client = await loggedIn(app, { storage })
    const token = (await storage.get())?.access_token ?? ''
    await client.logout()
    await client.logout()
    await assert.rejects(createClient({ url: app.url, token }).model('tag').read(1), isOf('authentication'))
    await assert.rejects(client.model('tag').read(1), isOf('authentication'))
  })

  test('does not start with a wrong password; the message is for people', async () => {
    const client = createClient({ url: app.url })
    await assert.rejects(client.login(ADMIN.username, 'wrong'), (error) => {
      assert.ok(isOf('authentication')(error) && error instanceof Error, String(error))
      assert.match(error.message, /username or the password is wrong/)
      return true
    })
    assert.equal(await client.hasToken(), false)
  })

  test('of a token alone is not renewed', async () => {
    const client = createClient({ url: app.url, token: await app.tokenOf('admin') })
    app.advance(31 * MINUTE)
    await assert.rejects(client.model('tag').read(1), isOf('authentication'))
    assert.equal(refreshes(), 0)
  })
})

describe('tokens in the storage of a browser', () => {
  test('are read back, and only if they are tokens', async () => {
    const items = new Map<string, string>()
    const storage = webStorage(webItems(items), 'blog', undefined)
    const tokens = { access_token: 'b', refresh_token: 'r', session: 'a' }
    await storage.set(tokens)
    assert.deepEqual(await webStorage(webItems(items), 'blog', undefined).get(), tokens)
    await storage.set(undefined)
    assert.equal(items.size, 0)
    for (const text of ['', 'null', '[]', '{"access_token":7}', '{']) {
      items.set('blog', text)
      assert.equal(await storage.get(), undefined, text)
    }
  })
})

const webItems = (items: Map<string, string>) => ({
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
})

/** Something that others wait for. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Storages as the tabs of one browser have them: what is kept is the same, and so are the locks. */
function sharedStorage(): () => TokenStorage {
  const items = webItems(new Map())
  let last: Promise<unknown> = Promise.resolve()
  const locks = {
    request<T>(_: string, work: () => Promise<T>): Promise<T> {
      const done = last.then(work, work)
      last = done.catch(() => {})
      return done
    },
  }
  return () => webStorage(items, 'blog', locks)
}
