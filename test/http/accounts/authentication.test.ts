import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { argon2id } from '../../../src/auth/password.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { dataOf, fieldErrors, UNAUTHENTICATED, UNLIMITED } from '../records/expected.ts'

const ANNA = { username: 'anna.lind', password: 'lighthouse-keys-17' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MINUTE = 60_000

const checkGrant = ({ json }: Reply) => {
  assert.deepEqual(Object.keys(json).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type'])
  assert.equal(json.token_type, 'bearer')
  assert.equal(json.expires_in, 1800)
  assert.notEqual(json.access_token, json.refresh_token)
}

const refused = (name: string, body: unknown): Scenario =>
  scenario(name, 'POST /api/v1/auth/token', 401, {
    as: null,
    body,
    expect: UNAUTHENTICATED,
    expectHeaders: { 'www-authenticate': 'Bearer' },
  })

scenarios('token', [
  scenario('is issued for a JSON body and is accepted', 'POST /api/v1/auth/token', 200, {
    as: null,
    body: ANNA,
    check: async (reply, app) => {
      checkGrant(reply)
      const headers = { authorization: `Bearer ${reply.json.access_token}` }
      await play(app, { request: 'GET /api/v1/models/post', as: null, headers, status: 200 })
    },
  }),
  scenario('is issued for a form', 'POST /api/v1/auth/token', 200, {
    as: null,
    rawBody: 'grant_type=password&username=anna.lind&password=lighthouse-keys-17',
    headers: FORM,
    check: checkGrant,
  }),
  refused('is not given for a wrong password', { ...ANNA, password: 'lighthouse-keys-18' }),
  refused('is not given for an unknown user', { ...ANNA, username: 'nobody' }),
  refused('is not given to an inactive user', { username: 'old_salt', password: 'anchors-aweigh-61' }),
  refused('is not given for a stored hash', { ...ANNA, password: '$quick$' }),
  scenario('is not issued for a wrong password in a form', 'POST /api/v1/auth/token', 401, {
    as: null,
    rawBody: 'username=anna.lind&password=wrong',
    headers: FORM,
    expect: UNAUTHENTICATED,
  }),
  scenario('wants a username and a password', 'POST /api/v1/auth/token', 400, {
    as: null,
    body: {},
    expect: fieldErrors({ username: ['username is mandatory'], password: ['password is mandatory'] }),
  }),
])

type Grant = { readonly access_token: string; readonly refresh_token: string }

async function withApp(run: (app: TestApp) => Promise<void>, options: Parameters<typeof openTestApp>[0] = {}): Promise<void> {
  await using app = await openTestApp({ ...options, settings: { ...UNLIMITED, ...options.settings } })
  await run(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const login = async (app: TestApp, body: unknown = ANNA): Promise<Grant> =>
  (await play(app, { request: 'POST /api/v1/auth/token', as: null, body, status: 200 })).json

const refresh = async (app: TestApp, refresh_token: string, status: 200 | 401): Promise<Grant> => {
  const body = { refresh_token }
  const reply = await play(app, { request: 'POST /api/v1/auth/refresh', as: null, body, status })
  if (status === 401) assert.deepEqual(reply.json, UNAUTHENTICATED)
  else checkGrant(reply)
  return reply.json
}

const ask = (app: TestApp, token: string, status: number, request: Scenario['request'] = 'GET /api/v1/models/post/1') =>
  play(app, {
    request,
    as: null,
    headers: { authorization: `Bearer ${token}` },
    status,
    ...(status === 401 ? { expect: UNAUTHENTICATED } : {}),
  })

describe('refresh', () => {
  appTest('returns a new pair that is accepted', async (app) => {
    const first = await login(app)
    const second = await refresh(app, first.refresh_token, 200)
    assert.notEqual(second.refresh_token, first.refresh_token)
    await ask(app, second.access_token, 200)
    await refresh(app, second.refresh_token, 200)
  })

  appTest('accepts a token once, and ends the whole family on reuse', async (app) => {
    const first = await login(app)
    const second = await refresh(app, first.refresh_token, 200)
    await refresh(app, first.refresh_token, 401)
    await refresh(app, second.refresh_token, 401)
  })

  appTest('leaves other logins of the user alone when a family ends', async (app) => {
    const first = await login(app)
    const other = await login(app)
    await refresh(app, first.refresh_token, 200)
    await refresh(app, first.refresh_token, 401)
    await refresh(app, other.refresh_token, 200)
  })

  appTest('rejects access tokens and invalid tokens', async (app) => {
    const { access_token } = await login(app)
    await refresh(app, access_token, 401)
    await refresh(app, 'nonsense', 401)
  })

  appTest('rejects a token of a disabled user', async (app) => {
    const { refresh_token } = await login(app)
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { is_active: false } }, status: 200 })
    await refresh(app, refresh_token, 401)
  })

  appTest('accepts a token for a week', async (app) => {
    const [first, second] = [await login(app), await login(app)]
    app.advance(10_080 * MINUTE - 1000)
    await refresh(app, first.refresh_token, 200)
    app.advance(1000)
    await refresh(app, second.refresh_token, 401)
  })

  appTest('wants a refresh_token', async (app) => {
    const expect = fieldErrors({ refresh_token: ['refresh_token is mandatory'] })
    await play(app, { request: 'POST /api/v1/auth/refresh', as: null, body: {}, status: 400, expect })
  })
})

describe('logout', () => {
  appTest('ends the session of the token', async (app) => {
    const { refresh_token } = await login(app)
    const reply = await play(app, { request: 'POST /api/v1/auth/logout', as: null, body: { refresh_token }, status: 200 })
    assert.deepEqual(Object.keys(reply.json), ['message'])
    assert.equal(typeof reply.json.message, 'string')
    await refresh(app, refresh_token, 401)
  })

  appTest('leaves other sessions alone', async (app) => {
    const [first, second] = [await login(app), await login(app)]
    const body = { refresh_token: first.refresh_token }
    await play(app, { request: 'POST /api/v1/auth/logout', as: null, body, status: 200 })
    await refresh(app, second.refresh_token, 200)
  })
})

scenarios('me', [
  scenario('returns the user and the permissions of its groups', 'GET /api/v1/auth/me', 200, {
    as: 'anna.lind',
    check: ({ json, text }) => {
      assert.equal(json.data.id, 3)
      assert.equal(json.data.username, 'anna.lind')
      assert.equal('password' in json.data || text.includes('$quick$'), false)
      assert.deepEqual([...json.permissions].sort(), [
        'add_comment',
        'add_post',
        'add_tag',
        'change_post',
        'view_category',
        'view_comment',
        'view_fee',
        'view_post',
        'view_tag',
      ])
    },
  }),
  scenario("also returns the user's own permissions", 'GET /api/v1/auth/me', 200, {
    as: 'pia.nakamura',
    check: ({ json }) =>
      assert.deepEqual([...json.permissions].sort(), [
        'add_comment',
        'view_category',
        'view_comment',
        'view_fee',
        'view_post',
        'view_tag',
      ]),
  }),
  scenario('returns every permission for a superuser', 'GET /api/v1/auth/me', 200, {
    check: ({ json }) => {
      const models = ['category', 'comment', 'fee', 'group', 'permission', 'post', 'savedview', 'tag', 'user']
      const all = ['add', 'change', 'delete', 'view'].flatMap((action) => models.map((model) => `${action}_${model}`))
      assert.deepEqual([...json.permissions].sort(), all.sort())
    },
  }),
  scenario('returns 401 without a token', 'GET /api/v1/auth/me', 401, { as: null, expect: UNAUTHENTICATED }),
])

describe('an access token', () => {
  appTest('is good for 30 minutes', async (app) => {
    const { access_token } = await login(app)
    app.advance(30 * MINUTE - 1000)
    await ask(app, access_token, 200)
    app.advance(1000)
    await ask(app, access_token, 401)
  })

  appTest('is no good once its user is deleted', async (app) => {
    const { access_token } = await login(app, { username: 'tomasz', password: 'quiet-moderator-5' })
    await ask(app, access_token, 200)
    await dataOf(app, 'DELETE /api/v1/models/user/6')
    await ask(app, access_token, 401)
  })

  appTest('is no good once its user is inactive', async (app) => {
    const { access_token } = await login(app)
    await dataOf(app, 'PUT /api/v1/models/user/3', { body: { data: { is_active: false } } })
    await ask(app, access_token, 401)
  })

  appTest('is good for no more than its user may do by now', async (app) => {
    await dataOf(app, 'PUT /api/v1/models/user/9', { body: { data: { is_superuser: true } } })
    const token = await app.tokenOf('newcomer')
    await ask(app, token, 200, 'GET /api/v1/models/user')
    await dataOf(app, 'PUT /api/v1/models/user/9', { body: { data: { is_superuser: false } } })
    await ask(app, token, 403, 'GET /api/v1/models/user')
  })

  appTest('is good after a restart', async (app) => {
    const token = await app.tokenOf('admin')
    const reopened = await app.reopen()
    await ask(reopened, token, 200)
    await reopened.app.close()
  })
})

describe('the secrets of a project', () => {
  test('has a key that is generated when the settings name none, readable by its owner only', { skip: NEEDS_DATA_FOLDER }, () =>
    withApp(async (app) => {
      const { mode, size } = await stat(join(app.folder.path, 'data/secret'))
      assert.equal(mode & 0o777, 0o600)
      assert.ok(size >= 32)
    }),
  )

  appTest(
    'hold passwords as argon2id',
    async (app) => {
      await play(app, {
        request: 'POST /api/v1/models/user',
        body: { data: { username: 'new.user', email: 'n@example.org', password: 'long-enough-here' } },
        status: 201,
      })
      const stored = await app.app.store.get('user', [1, 2])
      for (const user of stored) assert.match(String(user?.password), /^\$argon2id\$/)
      await login(app, { username: 'new.user', password: 'long-enough-here' })
      await login(app, { username: 'admin', password: 'a-long-password' })
    },
    {
      hasher: argon2id(),
      files: {
        'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
        'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
      },
    },
  )
})

scenarios('a token without a login', [
  scenario('is for local commands, not for superusers', 'POST /api/v1/auth/issue', 403, { body: { username: 'admin' } }),
  scenario('is not for everybody', 'POST /api/v1/auth/issue', 401, { as: null }),
])
