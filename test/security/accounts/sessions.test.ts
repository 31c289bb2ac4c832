import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { play, type Scenario } from '../../helpers/api/scenario.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { ANNA, appTest, ask, type Grant, login, logout, refresh, standing } from '../access.ts'

type App = Parameters<typeof login>[0]

const change = (app: App, data: object, request: Scenario['request'] = 'PUT /api/v1/models/user/3') =>
  play(app, { request, body: { data }, status: 200 })

describe('a live token', () => {
  appTest('of a deleted user is worth nothing', async (app) => {
    const grant = await login(app, { username: 'tomasz', password: 'quiet-moderator-5' })
    assert.equal((await ask(app, grant.access_token)).status, 200)
    await play(app, { request: 'DELETE /api/v1/models/user/6', status: 200 })
    assert.deepEqual((await ask(app, grant.access_token)).json, UNAUTHENTICATED)
    assert.deepEqual(await standing(app, grant), [401, 401])
  })

  appTest('of a disabled user is worth nothing, also when the user has been enabled again', async (app) => {
    const grant = await login(app)
    assert.equal((await ask(app, grant.access_token)).status, 200)
    await change(app, { is_active: false })
    assert.deepEqual((await ask(app, grant.access_token)).json, UNAUTHENTICATED)
    await change(app, { is_active: true })
    assert.deepEqual(await standing(app, grant), [401, 401])
    assert.deepEqual(await standing(app, await login(app)), [200, 200])
  })

  appTest('of a user disabled in bulk, the same', async (app) => {
    const grant = await login(app)
    for (const is_active of [false, true]) {
      const body = { updates: [{ id: 3, data: { is_active } }] }
      await play(app, { request: 'PUT /api/v1/models/user/bulk', body, status: 200 })
    }
    assert.deepEqual(await standing(app, grant), [401, 401])
  })

  for (const [name, data] of [
    ['another password', { password: 'another-lighthouse-18' }],
    ['disabling the account', { is_active: false }],
  ] as const) {
    appTest(`ends with ${name} in one transaction, or not at all`, async (app) => {
      const grant = await login(app)
      assert.equal((await ask(app, grant.access_token)).status, 200)
      const { store } = app.app
      const { transact } = store
      let left = 0
      store.transact = async (...sent) => {
        if (left-- > 0) return transact.apply(store, sent)
        throw new AppError('STORE_UNAVAILABLE', 'The disk is full')
      }
      await play(app, { request: 'PUT /api/v1/models/user/3', body: { data }, status: 503 })
      assert.equal((await ask(app, grant.access_token)).status, 200, 'nothing was changed')
      left = 1
      await play(app, { request: 'PUT /api/v1/models/user/3', body: { data }, status: 200 })
      store.transact = transact
      assert.equal((await ask(app, grant.access_token)).status, 401)
      await change(app, { is_active: true })
      assert.deepEqual(await standing(app, grant), [401, 401])
      app.reported.length = 0
    })
  }

  appTest('of a demoted user shows only what the user may see now', async (app) => {
    await change(app, { is_superuser: true })
    const { access_token } = await login(app)
    assert.equal((await ask(app, access_token, 'GET /api/v1/models/user')).status, 200)
    assert.equal((await ask(app, access_token, 'GET /api/v1/models/post/1')).json.data.author.username, 'admin')
    await change(app, { is_superuser: false })
    assert.equal((await ask(app, access_token, 'GET /api/v1/models/user')).status, 403)
    assert.deepEqual((await ask(app, access_token, 'GET /api/v1/models/post/1')).json.data.author, { id: 1 })
    await change(app, { groups: [] })
    assert.equal((await ask(app, access_token)).status, 403)
  })

  appTest('outlives changes that are no concern of it', async (app) => {
    const grant = await login(app)
    await change(app, { first_name: 'Ann', is_active: true })
    await login(app)
    assert.deepEqual(await standing(app, grant), [200, 200])
  })

  appTest('ends with the password, as do all sessions of this user only', async (app) => {
    const [one, other] = [await login(app), await login(app)]
    const editor = await login(app, { username: 'm.keller', password: 'harbour-editor-2024' })
    assert.equal((await ask(app, one.access_token)).status, 200)
    await change(app, { password: 'something-new-18' })
    for (const grant of [one, other]) assert.deepEqual(await standing(app, grant), [401, 401])
    assert.deepEqual(await standing(app, editor), [200, 200])
  })

  appTest('is worth nothing with another password, also where the session could not be ended', async (app) => {
    const grant = await login(app)
    const values = { password: 'another hash, written by hand' }
    const [user] = await app.app.store.get('user', [3])
    assert.ok(user)
    await app.app.store.transact([{ kind: 'update', table: 'user', id: 3, values, expect: user }])
    assert.deepEqual(await standing(app, grant), [401, 401])
  })

  appTest('ends with the password when the password is the same again', async (app) => {
    const grant = await login(app)
    await change(app, { password: 'something-new-18' })
    await change(app, { password: ANNA.password })
    assert.deepEqual(await standing(app, grant), [401, 401])
  })

  appTest('ends with `admin users disable` and `passwd`, also after `enable`', async (app) => {
    const anna = await login(app)
    const editor = await login(app, { username: 'm.keller', password: 'harbour-editor-2024' })
    await app.app.close()
    const users = (...args: readonly string[]) =>
      runCli(['users', ...args], { cwd: app.folder.path, stdin: 'something-new-18\n' })
    for (const args of [
      ['disable', 'anna.lind'],
      ['enable', 'anna.lind'],
      ['passwd', 'm.keller', '--password-stdin'],
    ]) {
      const { code, stderr } = await users(...args)
      assert.equal(code, 0, stderr)
    }
    const reopened = await app.reopen()
    assert.deepEqual(await standing(reopened, anna), [401, 401])
    assert.deepEqual(await standing(reopened, editor), [401, 401])
    await login(reopened)
    await reopened.close()
  })

  appTest('is good after a restart', async (app) => {
    const grant = await login(app)
    const reopened = await app.reopen()
    assert.deepEqual(await standing(reopened, grant), [200, 200])
    await reopened.close()
  })

  appTest(
    'is good for its time, though refresh tokens are for a shorter one',
    async (app) => {
      const grant = await login(app)
      app.advance(10 * 60_000)
      await login(app)
      assert.deepEqual(await standing(app, grant), [200, 401])
    },
    { settings: { jwt: { refresh_token_minutes: 5 } } },
  )
})

describe('a refresh token', () => {
  appTest('is good once; used again it ends its family, access tokens and all', async (app) => {
    const first = await login(app)
    const second: Grant = (await refresh(app, first.refresh_token)).json
    assert.equal((await ask(app, first.access_token)).status, 200, 'a refresh ends nothing')
    assert.equal((await ask(app, second.access_token)).status, 200)
    assert.deepEqual((await refresh(app, first.refresh_token)).json, UNAUTHENTICATED)
    assert.deepEqual(await standing(app, second), [401, 401])
    assert.equal((await ask(app, first.access_token)).status, 401)
  })

  appTest('used concurrently is accepted at most once, and then ends its family', async (app) => {
    for (const times of [2, 3, 10]) {
      const { refresh_token } = await login(app)
      const replies = await Promise.all(Array.from({ length: times }, () => refresh(app, refresh_token)))
      const winners = replies.filter(({ status }) => status === 200)
      assert.ok(winners.length <= 1, `${winners.length} of ${times} won`)
      for (const { status, json } of replies) if (status !== 200) assert.deepEqual([status, json], [401, UNAUTHENTICATED])
      for (const { json } of winners) assert.deepEqual(await standing(app, json), [401, 401])
    }
  })

  appTest('used twice in the same step of the event loop is good for one', async (app) => {
    const { refresh_token } = await login(app)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => app.app.logins.refresh(refresh_token)))
    const granted = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.equal(granted.length, 1)
    for (const each of outcomes) if (each.status === 'rejected') assert.equal(each.reason.code, 'UNAUTHENTICATED')
    for (const grant of granted) assert.deepEqual(await standing(app, grant), [401, 401])
  })

  appTest('used while its session is ended ends in nothing', async (app) => {
    const { refresh_token } = await login(app)
    const [ended, refreshed] = await Promise.all([logout(app, refresh_token), refresh(app, refresh_token)])
    assert.equal(ended.status, 200)
    if (refreshed.status === 200) assert.deepEqual(await standing(app, refreshed.json), [401, 401])
    else assert.equal(refreshed.status, 401)
  })

  appTest('is not an access token, nor the reverse', async (app) => {
    const { access_token, refresh_token } = await login(app)
    assert.equal((await ask(app, refresh_token)).status, 401)
    assert.equal((await refresh(app, access_token)).status, 401)
    assert.equal((await logout(app, access_token)).status, 401)
    assert.deepEqual(await standing(app, { access_token, refresh_token }), [200, 200])
  })
})

describe('logging out', () => {
  appTest('ends the session: its refresh token and its access token', async (app) => {
    const [grant, other] = [await login(app), await login(app)]
    for (const { access_token } of [grant, other]) assert.equal((await ask(app, access_token)).status, 200)
    assert.equal((await logout(app, grant.refresh_token)).status, 200)
    assert.deepEqual(await standing(app, grant), [401, 401])
    assert.deepEqual(await standing(app, other), [200, 200])
    assert.deepEqual((await logout(app, grant.refresh_token)).json, UNAUTHENTICATED, 'twice')
  })

  appTest('leaves nothing in the store', async (app) => {
    const { refresh_token } = await login(app)
    await logout(app, refresh_token)
    const { total } = await app.app.store.find('authsession', { filters: [], sort: [], offset: 0, limit: 1 })
    assert.equal(total, 0)
  })
})

appTest('sessions are not accessible through the Models API with any permission', async (app) => {
  await login(app)
  for (const request of ['GET /api/v1/models/authsession', 'GET /api/v1/models/authsession/1'] as const) {
    await play(app, { request, status: 404 })
  }
  await play(app, { request: 'DELETE /api/v1/models/authsession/1', status: 404 })
  await play(app, { request: 'PUT /api/v1/models/authsession/1', body: { data: {} }, status: 400 })
})
