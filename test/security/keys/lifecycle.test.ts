import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../../src/util/clock.ts'
import { NEEDS_DATA_FOLDER, type TestApp } from '../../helpers/api/app.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { call, keyOf, openKeyed } from './keyed-project.ts'

const API = '/api/v1'
const ARTICLE = `GET ${API}/models/article/1`

const keyTest = testsOf(async (work: (app: TestApp) => Promise<void>) => {
  await using app = await openKeyed()
  await work(app)
})

const statusOf = async (app: TestApp, key: string, request: string, body?: unknown): Promise<number> =>
  (await call(app, key, request, body)).status

describe('the rights of a key are its scopes within those of its owner:', () => {
  keyTest('a group of the owner counts for what the scope names, and no other member of the project', async (app) => {
    const memo = `GET ${API}/models/memo`
    for (const [owner, scope, status] of [
      ['editor', 'view_memo', 200],
      ['super', 'view_memo', 200],
      ['plain', 'view_memo', 403],
      ['editor', 'read', 200],
      ['plain', 'read', 403],
      ['editor', 'write', 403],
      ['editor', 'change_memo', 403],
      ['super', '*', 200],
      ['plain', '*', 403],
    ] as const) {
      const { key } = await keyOf(app, owner, [scope])
      assert.equal(await statusOf(app, key, memo), status, `${owner} ${scope}`)
    }
  })

  keyTest('read views, write does all else, both do both', async (app) => {
    const change = `PUT ${API}/models/article/1`
    const data = { data: { points: 3 } }
    for (const owner of ['super', 'editor']) {
      const [read, write, both, one] = await Promise.all(
        [['read'], ['write'], ['read', 'write'], ['change_article']].map(async (scopes) => (await keyOf(app, owner, scopes)).key),
      )
      assert.deepEqual([await statusOf(app, read ?? '', ARTICLE), await statusOf(app, read ?? '', change, data)], [200, 403])
      assert.deepEqual([await statusOf(app, write ?? '', ARTICLE), await statusOf(app, write ?? '', change, data)], [403, 200])
      assert.deepEqual([await statusOf(app, both ?? '', ARTICLE), await statusOf(app, both ?? '', change, data)], [200, 200])
      assert.deepEqual([await statusOf(app, one ?? '', ARTICLE), await statusOf(app, one ?? '', change, data)], [403, 200])
      const publish = `POST ${API}/models/article/1/actions/publish`
      assert.deepEqual([await statusOf(app, write ?? '', publish, {}), await statusOf(app, one ?? '', publish, {})], [200, 403])
      const batch = {
        operations: [
          { method: 'update', model: 'article', id: 1, ...data },
          { method: 'delete', model: 'person', id: 1 },
        ],
      }
      assert.deepEqual([await statusOf(app, one ?? '', `POST ${API}/batch`, batch)], [403])
    }
  })

  keyTest('what superusers alone may do needs *, also of a superuser', async (app) => {
    const wide = (await keyOf(app, 'super', ['read', 'write'])).key
    const all = (await keyOf(app, 'super', ['*'])).key
    for (const [request, body] of [
      [`GET ${API}/webhooks`],
      [`GET ${API}/history`],
      [`GET ${API}/jobs`],
      ['GET /admin/api/v1/lint'],
      [`POST ${API}/reset`, { dry_run: true }],
      [`PUT ${API}/models/user/3`, { data: { is_superuser: true } }],
      [`PUT ${API}/models/user/3`, { data: { groups: [1] } }],
      [`POST ${API}/ext/ruling`, {}],
    ] as const) {
      assert.deepEqual([await statusOf(app, wide, request, body), await statusOf(app, all, request, body)], [403, 200], request)
    }
  })

  keyTest('code of the project is told the rights of the key', async (app) => {
    const { key } = await keyOf(app, 'super', ['read'])
    const { json } = await call(app, key, `GET ${API}/ext/report`)
    assert.deepEqual(json, { can: true, superuser: false })
    const other = (await keyOf(app, 'super', ['write'])).key
    assert.deepEqual((await call(app, other, `POST ${API}/ext/pay`, {})).json, { can: false, superuser: false })
    assert.deepEqual((await call(app, (await keyOf(app, 'super', ['*'])).key, `POST ${API}/ext/pay`, {})).json, {
      can: true,
      superuser: true,
    })
    assert.deepEqual(
      await Promise.all(
        ['editor', 'plain'].map(async (owner) => statusOf(app, (await keyOf(app, owner, ['read'])).key, `GET ${API}/ext/desk`)),
      ),
      [200, 403],
    )
  })
})

describe('no key, of whatever scope,', () => {
  const requests = [
    [`GET ${API}/auth/keys`],
    [`POST ${API}/auth/keys`, { name: 'more', scopes: ['read'] }],
    [`DELETE ${API}/auth/keys/1`],
    [`GET ${API}/auth/sessions`],
    [`DELETE ${API}/auth/sessions?user_id=2`],
    [`DELETE ${API}/auth/sessions/1`],
    [`POST ${API}/auth/password`, { current_password: 'harbour-super-2024', new_password: 'another-password' }],
    [`GET ${API}/auth/log`],
    [`POST ${API}/auth/issue`, {}],
    [`PUT ${API}/models/user/3`, { data: { password: 'another-password' } }],
    [`PUT ${API}/models/user/3`, { data: { password: null } }],
    [`PUT ${API}/models/user/3`, { data: { email: 'other@example.org' } }],
    [`POST ${API}/models/user`, { data: { username: 'more', email: 'more@example.org', password: 'another-password' } }],
    [`POST ${API}/batch`, { operations: [{ method: 'update', model: 'user', id: 3, data: { password: 'another-password' } }] }],
    [`PUT ${API}/models/user/bulk`, { updates: [{ id: 3, data: { email: 'other@example.org' } }] }],
    [`POST ${API}/reset`, { accounts: true }],
    [`POST ${API}/reset`, { accounts: true, seed_data: true }],
    [`POST ${API}/reset`, { accounts: true, dry_run: true }],
    [`POST ${API}/snapshots/any/load`],
  ] as const

  keyTest('manages keys, passwords, sessions or addresses, or replaces accounts', async (app) => {
    const { key } = await keyOf(app, 'super', ['*'])
    for (const [request, body] of requests) {
      const reply = await call(app, key, request, body)
      assert.equal(reply.status, 403, `${request} ${reply.text}`)
    }
    const rows = 'username,email,password\nimported,imported@example.org,another-password\n'
    const imported = await app.server.inject({
      method: 'POST',
      url: `${API}/models/user/import`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
      payload: rows,
    })
    assert.equal(imported.statusCode, 403, imported.payload)
  })

  test('undoes a revocation or another password by a copy of the data', { skip: NEEDS_DATA_FOLDER }, async () => {
    await using app = await openKeyed()
    const { key } = await keyOf(app, 'super', ['*'])
    const former = await keyOf(app, 'editor', ['read'])
    assert.equal(await statusOf(app, key, `POST ${API}/snapshots`, { name: 'before' }), 201)
    await call(app, 'super', `DELETE ${API}/auth/keys/${former.id}`)
    await call(app, 'super', `PUT ${API}/models/user/3`, { data: { password: 'another-password' } })
    const { status, text } = await call(app, key, `POST ${API}/snapshots/before/load`)
    assert.equal(status, 403)
    assert.match(text, /A key cannot load a copy of the data, which has accounts; log in/)
    // The data, without accounts, is a key's to begin anew.
    assert.equal(await statusOf(app, key, `POST ${API}/reset`, { seed_data: true }), 200)
    const login = async (password: string) =>
      (await call(app, null, `POST ${API}/auth/token`, { username: 'plain', password })).status
    assert.deepEqual([await login('harbour-plain-2024'), await login('another-password')], [401, 200])
    assert.equal(await statusOf(app, former.key, ARTICLE), 401)
  })

  keyTest('but one of a superuser adds users without a password', async (app) => {
    const { key } = await keyOf(app, 'super', ['*'])
    const data = { username: 'more', email: 'more@example.org', password: null }
    assert.equal(await statusOf(app, key, `POST ${API}/models/user`, { data }), 201)
    assert.equal(
      await statusOf(app, key, `PUT ${API}/models/user/3`, { data: { email: 'plain@example.org', first_name: 'P' } }),
      200,
    )
  })
})

describe('a key is created', () => {
  const create = (app: TestApp, body: object, as = 'editor') => call(app, as, `POST ${API}/auth/keys`, body)

  keyTest('with known scopes, a name and an end', async (app) => {
    const faulty = await create(app, { name: '', scopes: ['view_artcle', 'raed', 'x'], expires_in_days: 0, more: 1 })
    assert.deepEqual(
      [faulty.status, faulty.json],
      [
        400,
        {
          detail: {
            error: {
              more: ["Field 'more' does not exist"],
              name: ['name must be a text of 1 to 100 characters, such as what the key is for'],
              scopes: [
                "Unknown scope 'view_artcle'; did you mean 'view_article'?",
                "Unknown scope 'raed'; did you mean 'read'?",
                "Unknown scope 'x' (known: read, write, *, view_<model>)",
              ],
              expires_in_days: ['expires_in_days must be a whole number from 1 to 3650, or null for a key that does not expire'],
            },
          },
        },
      ],
    )
    assert.equal((await create(app, { name: 'CI', scopes: [] })).status, 400)
    const escaping = await create(app, { name: 'CI\u001b[2J', scopes: ['read'] })
    assert.deepEqual(escaping.json.detail.error, {
      name: ["name must be one line without control characters, not 'CI\\u001b[2J'"],
    })
    const { status, json } = await create(app, { name: ' CI ', scopes: ['read', 'read'], expires_in_days: 30 })
    const { key, hint, ...rest } = json.data
    assert.match(key, /^adm_[0-9A-Za-z]{49}$/)
    assert.deepEqual(
      [status, hint, rest],
      [
        201,
        `adm_…${key.slice(-4)}`,
        {
          ...{ id: 1, name: 'CI', owner: { id: 2, username: 'editor' }, scopes: ['read'] },
          ...{ created_at: '2026-01-15T12:00:00.000Z', expires_at: '2026-02-14T12:00:00.000Z', last_used_at: null },
        },
      ],
    )
  })

  keyTest('for oneself, and for others by superusers', async (app) => {
    const other = { name: 'CI', scopes: ['read'], user_id: 3 }
    assert.equal((await create(app, other)).status, 403)
    assert.deepEqual((await create(app, other, 'super')).json.data.owner, { id: 3, username: 'plain' })
    assert.equal((await create(app, { ...other, user_id: 99 }, 'super')).status, 404)
    const list = async (as: string, query = '') => (await call(app, as, `GET ${API}/auth/keys${query}`)).json.total
    assert.deepEqual(
      [await list('plain'), await list('editor'), await list('super'), await list('super', '?user_id=3')],
      [1, 0, 0, 1],
    )
    assert.equal((await call(app, 'editor', `GET ${API}/auth/keys?user_id=3`)).status, 403)
    assert.equal((await call(app, 'editor', `DELETE ${API}/auth/keys/1`)).status, 404)
    assert.equal((await call(app, 'plain', `DELETE ${API}/auth/keys/1`)).status, 200)
    assert.equal((await call(app, 'plain', `DELETE ${API}/auth/keys/1`)).status, 404)
  })

  keyTest('after a login within ten minutes, and noted in the log of its owner', async (app) => {
    const password = 'harbour-editor-2024'
    const { json: login } = await call(app, null, `POST ${API}/auth/token`, { username: 'editor', password })
    const own = { authorization: `Bearer ${login.access_token}` }
    const attempt = () => call(app, null, `POST ${API}/auth/keys`, { name: 'CI', scopes: ['read'] }, own)
    app.advance(11 * 60_000)
    const late = await attempt()
    assert.deepEqual([late.status, late.json.error], [401, 'insufficient_user_authentication'])
    await call(app, null, `POST ${API}/auth/confirm`, { password }, own)
    const { json } = await attempt()
    assert.equal((await call(app, 'editor', `DELETE ${API}/auth/keys/${json.data.id}`)).status, 200)
    app.advance(1000)
    const log = await call(app, 'editor', `GET ${API}/auth/log`)
    assert.deepEqual(
      log.json.data.slice(0, 2).map(({ event }: { event: string }) => event),
      ['key_revoked', 'key_created'],
    )
  })

  keyTest('whose last use is stored to the minute', async (app) => {
    const { id, key } = await keyOf(app, 'editor', ['read'])
    const used = async () =>
      (await call(app, 'editor', `GET ${API}/auth/keys`)).json.data.find((each: { id: number }) => each.id === id).last_used_at
    assert.equal(await used(), null)
    for (const wait of [0, 20_000, 20_000]) {
      app.advance(wait)
      await statusOf(app, key, ARTICLE)
    }
    assert.equal(await used(), '2026-01-15T12:00:00.000Z')
    app.advance(20_000)
    await statusOf(app, key, ARTICLE)
    assert.equal(await used(), '2026-01-15T12:01:00.000Z')
  })
})

describe('a key is refused at once', () => {
  const ends: Readonly<Record<string, (app: TestApp, id: number) => Promise<unknown>>> = {
    'when it is revoked': (app, id) => call(app, 'editor', `DELETE ${API}/auth/keys/${id}`),
    'when a superuser revokes it': (app, id) => call(app, 'super', `DELETE ${API}/auth/keys/${id}`),
    'when its owner is disabled': (app) => call(app, 'super', `PUT ${API}/models/user/2`, { data: { is_active: false } }),
    'when its owner is deleted': (app) => call(app, 'super', `DELETE ${API}/models/user/2`),
    'when it expires': async (app) => app.advance(90 * DAY_MS),
  }
  for (const [when, end] of Object.entries(ends)) {
    keyTest(when, async (app) => {
      const { id, key } = await keyOf(app, 'editor', ['view_article'])
      assert.equal(await statusOf(app, key, ARTICLE), 200)
      await end(app, id)
      assert.equal(await statusOf(app, key, ARTICLE), 401)
      assert.equal(await statusOf(app, key, ARTICLE), 401)
    })
  }

  keyTest('for what its owner may not do any more', async (app) => {
    const { key } = await keyOf(app, 'editor', ['view_article', 'view_memo'])
    await call(app, 'super', `PUT ${API}/models/user/2`, { data: { permissions: [] } })
    assert.deepEqual([await statusOf(app, key, ARTICLE), await statusOf(app, key, `GET ${API}/models/memo`)], [403, 200])
    await call(app, 'super', `PUT ${API}/models/user/2`, { data: { groups: [] } })
    assert.equal(await statusOf(app, key, `GET ${API}/models/memo`), 403)
    await call(app, 'super', `PUT ${API}/models/user/2`, { data: { groups: [1] } })
    assert.equal(await statusOf(app, key, `GET ${API}/models/memo`), 200)
  })

  keyTest('but does not expire without an end, nor by another password of its owner', async (app) => {
    const { key } = await keyOf(app, 'editor', ['view_article'], { expires_in_days: null })
    await call(app, 'super', `PUT ${API}/models/user/2`, { data: { password: 'another-password' } })
    app.advance(4000 * DAY_MS)
    assert.equal(await statusOf(app, key, ARTICLE), 200)
  })

  keyTest('with a wrong letter, cut off, or in another place than the header', async (app) => {
    const { key } = await keyOf(app, 'editor', ['view_article'])
    const other = key.endsWith('0') ? `${key.slice(0, -1)}1` : `${key.slice(0, -1)}0`
    for (const wrong of [other, key.slice(0, -1), `${key}0`, key.toLowerCase(), `adm_${key.slice(5)}`, 'adm_'])
      assert.equal(await statusOf(app, wrong, ARTICLE), 401, wrong)
    const plain = async (url: string, headers: Record<string, string> = {}) =>
      (await app.server.inject({ url, headers })).statusCode
    const url = `${API}/models/article/1`
    for (const name of ['access_token', 'token', 'key', 'api_key']) assert.equal(await plain(`${url}?${name}=${key}`), 401, name)
    for (const name of ['x-api-key', 'api-key', 'cookie']) assert.equal(await plain(url, { [name]: key }), 401, name)
    assert.equal(await plain(url, { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }), 401)
    assert.equal(await plain(url, { authorization: key }), 401)
  })
})

describe('what outlives a request has the rights of its key:', () => {
  keyTest('a signed link ends with the key', async (app) => {
    const authorization = `Bearer ${await app.tokenOf('super')}`
    const upload = await app.server.inject({
      method: 'POST',
      url: `${API}/files/article/attachment?name=a.txt`,
      headers: { authorization, 'content-type': 'application/octet-stream' },
      payload: 'the text of a file',
    })
    const [{ id: file }] = JSON.parse(upload.payload).data
    const { json } = await call(app, 'super', `PUT ${API}/models/article/1`, { data: { attachment: file } })
    const { url } = json.data.attachment
    const links = async (scope: string) => {
      const { id, key } = await keyOf(app, 'super', [scope])
      return { id, link: (await call(app, key, `POST ${API}/files/links`, { files: [url] })).json.data[0] as string }
    }
    const [good, narrow] = [await links('view_article'), await links('view_person')]
    const open = async (link: string) => (await app.server.inject({ url: link })).statusCode
    assert.equal(await open(good.link), 200)
    assert.notEqual(await open(narrow.link), 200)
    await call(app, 'super', `DELETE ${API}/auth/keys/${good.id}`)
    assert.equal(await open(good.link), 403)
  })

  keyTest('requests count towards the limit of the owner', async () => {
    await using app = await openKeyed({ settings: { rate_limits: { default: 12 } } })
    app.advance(60_000)
    const { key } = await keyOf(app, 'editor', ['view_article'])
    const left = async (as: string) => Number((await call(app, as, ARTICLE)).headers['x-ratelimit-remaining'])
    const before = await left('editor')
    assert.deepEqual([await left(key), await left('editor')], [before - 1, before - 2])
  })
})

test('a key is nowhere but in the answer that created it', { skip: NEEDS_DATA_FOLDER }, async () => {
  await using app = await openKeyed()
  const { id, key } = await keyOf(app, 'editor', ['*'])
  await call(app, key, `PUT ${API}/models/article/1`, { data: { title: 'by a key' } })
  // Where somebody puts it by mistake, the server does not keep it either.
  for (const query of [`access_token=${key}`, `filters=title=${key}`, `search=${key}`]) {
    await app.server.inject({ url: `${API}/models/article?${query}`, headers: { authorization: `Bearer ${key}` } })
    await app.server.inject({ url: `${API}/models/article?${query}` })
  }
  await call(app, 'super', `POST ${API}/snapshots`, { name: 'one' })
  app.advance(61_000)
  await call(app, key, ARTICLE)
  const texts = new Map<string, string>([['log', app.logged.join('\n')]])
  for (const request of [
    `GET ${API}/history?page_size=100`,
    `GET ${API}/models/article/1/history`,
    `GET ${API}/models/user/export?format=json`,
    `GET ${API}/auth/keys?user_id=2`,
    `GET ${API}/auth/log?all=true`,
  ])
    texts.set(request, (await call(app, 'super', request)).text)
  const reopened = await app.reopen()
  const folder = app.folder.path
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile() || name.parentPath.includes('node_modules')) continue
    const path = join(name.parentPath, name.name)
    texts.set(path, await readFile(path, 'latin1'))
  }
  assert.ok(
    [...texts.keys()].some((path) => path.includes('db.json') || path.includes('journal')),
    [...texts.keys()].join(),
  )
  const secret = key.slice('adm_'.length, -6)
  for (const [place, text] of texts) assert.ok(!text.includes(secret), place)
  assert.ok(texts.get(`GET ${API}/auth/keys?user_id=2`)?.includes(`adm_…${key.slice(-4)}`))
  assert.equal(await statusOf(reopened, key, ARTICLE), 200)
  assert.ok(id > 0)
  await reopened.close()
})
