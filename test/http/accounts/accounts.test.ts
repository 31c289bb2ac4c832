import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { FORBIDDEN } from '../records/expected.ts'

/** Gives tomasz the permissions to look after accounts. */
async function givenAccountManager(app: TestApp): Promise<void> {
  const filters = ['view_user', 'change_user', 'delete_user', 'view_permission', 'change_permission', 'add_permission']
  const list = await play(app, {
    request: `GET /api/v1/models/permission?page_size=100&filters=codename__in=${filters.join()}`,
    status: 200,
  })
  const permissions = list.json.data.map(({ id }: { id: number }) => id)
  assert.equal(permissions.length, filters.length)
  await play(app, { request: 'PUT /api/v1/models/user/6', body: { data: { permissions } }, status: 200 })
}

const MANAGER = { as: 'tomasz', given: givenAccountManager } as const

scenarios('an account with more permissions cannot be taken over', [
  scenario('the password of a user with other permissions', 'PUT /api/v1/models/user/2', 403, {
    ...MANAGER,
    body: { data: { password: 'mine-from-now-on' } },
    expect: FORBIDDEN,
  }),
  scenario('the same in bulk', 'PUT /api/v1/models/user/bulk', 403, {
    ...MANAGER,
    body: { updates: [{ id: 2, data: { password: 'mine-from-now-on' } }] },
    expect: FORBIDDEN,
  }),
  scenario('other fields of that user may be changed', 'PUT /api/v1/models/user/2', 200, {
    ...MANAGER,
    body: { data: { bio: 'Edits.' } },
  }),
  scenario('the password of a user without permissions', 'PUT /api/v1/models/user/9', 200, {
    ...MANAGER,
    body: { data: { password: 'a-new-one-for-you' } },
  }),
  scenario('their own password', 'POST /api/v1/auth/password', 200, {
    ...MANAGER,
    body: { current_password: 'quiet-moderator-5', new_password: 'a-new-one-for-me' },
  }),
  scenario('the superuser, to be deleted', 'DELETE /api/v1/models/user/1', 403, { ...MANAGER, expect: FORBIDDEN }),
  scenario('a permission under another name', 'PUT /api/v1/models/permission/bulk', 403, {
    ...MANAGER,
    body: { updates: [{ id: 1, data: { codename: 'view_everything' } }] },
    expect: FORBIDDEN,
  }),
  scenario('a new permission', 'POST /api/v1/models/permission', 403, {
    ...MANAGER,
    body: { data: { codename: 'view_session' } },
    expect: FORBIDDEN,
  }),
])

describe('a login', () => {
  const LOGIN = {
    request: 'POST /api/v1/auth/token',
    as: null,
    body: { username: 'anna.lind', password: 'lighthouse-keys-17' },
  } as const

  test('ends when the password is changed', async () => {
    await using app = await openTestApp()
    const { refresh_token } = (await play(app, { ...LOGIN, status: 200 })).json
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { password: 'something-new-18' } }, status: 200 })
    await play(app, { request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token }, status: 401 })
  })

  test('notes the time and leaves updated_at alone', async () => {
    await using app = await openTestApp()
    const before = (await play(app, { request: 'GET /api/v1/models/user/3', status: 200 })).json.data
    app.advance(60_000)
    await play(app, { ...LOGIN, status: 200 })
    const after = (await play(app, { request: 'GET /api/v1/models/user/3', status: 200 })).json.data
    assert.deepEqual(after, { ...before, last_login: '2026-01-15T12:01:00.000Z' })
  })

  test('must not be stored by caches', async () => {
    await using app = await openTestApp()
    await play(app, { ...LOGIN, status: 200, expectHeaders: { 'cache-control': 'no-store' } })
  })
})
