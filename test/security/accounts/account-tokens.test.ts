import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'
import { ask, withApp } from '../access.ts'

const SNAPSHOTS = '/api/v1/snapshots'
const ME = 'GET /api/v1/auth/me'

/** A superuser of whom all is the same each time but the moment and what is given here. */
async function addCarl(app: TestApp, change: { readonly password?: string } = {}): Promise<number> {
  const data = { username: 'carl', email: 'c@example.com', password: 'long-enough-1', is_superuser: true, ...change }
  const { json } = await play(app, { request: 'POST /api/v1/models/user', body: { data }, status: 201 })
  return json.data.id
}

const statusOf = async (app: TestApp, token: string): Promise<number> => (await ask(app, token, ME)).status

describe('a token that was issued without a login', () => {
  for (const [name, later, change] of [
    ['made at another moment', 1000, {}],
    ['with another password', 0, { password: 'long-enough-2' }],
  ] as const) {
    test(`is not valid for another account with the same id after a snapshot is loaded: ${name}`, () =>
      withApp(async (app) => {
        await play(app, { request: `POST ${SNAPSHOTS}`, body: { name: 'before' }, status: 201 })
        const id = await addCarl(app)
        const token = await app.tokenOf('carl')
        const admin = await app.tokenOf('admin')
        assert.equal(await statusOf(app, token), 200)
        await play(app, { request: `POST ${SNAPSHOTS}/before/load`, status: 200 })
        app.advance(later)
        assert.equal(await addCarl(app, change), id, 'ids begin anew')
        assert.equal(await statusOf(app, token), 401)
        assert.equal(await statusOf(app, await app.tokenOf('carl')), 200)
        assert.equal(await statusOf(app, admin), 200, 'who is in the copy, too, stays')
      }))
  }

  test('stays valid after a reset that keeps accounts, and is not that of a seed user after a reset of accounts', () =>
    withApp(async (app) => {
      const token = await app.tokenOf('anna.lind')
      app.advance(1000)
      await play(app, { request: 'POST /api/v1/reset', body: { seed_data: true }, status: 200 })
      assert.equal(await statusOf(app, token), 200)
      await play(app, { request: 'POST /api/v1/reset', body: { seed_data: true, accounts: true }, status: 200 })
      assert.equal(await statusOf(app, token), 401)
      assert.equal(await statusOf(app, await app.tokenOf('anna.lind')), 200)
    }))

  test('ends with the password, also when it was used before', () =>
    withApp(async (app) => {
      const token = await app.tokenOf('anna.lind')
      const change = (data: object) => play(app, { request: 'PUT /api/v1/models/user/3', body: { data }, status: 200 })
      await change({ first_name: 'Ann' })
      assert.equal(await statusOf(app, token), 200)
      await change({ password: 'another-lighthouse-18' })
      assert.equal(await statusOf(app, token), 401)
    }))

  test('stays valid after a restart, and after a replacement that keeps the data', () =>
    withApp(async (app) => {
      const token = await app.tokenOf('anna.lind')
      await app.live.replace({})
      assert.equal(await statusOf(app, token), 200)
      const reopened = await app.reopen()
      assert.equal(await statusOf(reopened, token), 200)
      await reopened.close()
    }))
})
