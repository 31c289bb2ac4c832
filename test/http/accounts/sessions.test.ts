import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { ANNA, appTest, ask, type Grant, login, refresh, standing } from '../../security/access.ts'
import { FORBIDDEN, UNAUTHENTICATED } from '../records/expected.ts'

const EDITOR = { username: 'm.keller', password: 'harbour-editor-2024' }

const sessionsOf = async (app: TestApp, token: string) => {
  const { status, json, text } = await ask(app, token, 'GET /api/v1/auth/sessions')
  assert.equal(status, 200, text)
  return json
}

describe('the own sessions', () => {
  const from = (address: string, agent: string) => ({ 'x-forwarded-for': address, 'user-agent': agent })
  const loginFrom = async (app: TestApp, headers: Record<string, string>): Promise<Grant> =>
    (await play(app, { request: 'POST /api/v1/auth/token', as: null, body: ANNA, headers, status: 200 })).json

  appTest(
    'are listed, newest first, with their client and the last login or refresh',
    async (app) => {
      const first = await loginFrom(app, from('192.0.2.1', 'curl/8'))
      app.advance(60_000)
      const second = await loginFrom(app, from('2001:db8:1:2::3', 'x'.repeat(300)))
      await login(app, EDITOR)
      app.advance(60_000)
      const { refresh_token } = first
      const body = { refresh_token }
      const headers = from('192.0.2.9', 'curl/9')
      await play(app, { request: 'POST /api/v1/auth/refresh', as: null, body, headers, status: 200 })
      app.advance(1000)
      assert.deepEqual(await sessionsOf(app, second.access_token), {
        data: [
          {
            id: 2,
            created_at: '2026-01-15T12:01:00.000Z',
            last_used_at: '2026-01-15T12:01:00.000Z',
            address: '2001:db8:1::/56',
            user_agent: 'x'.repeat(200),
            current: true,
          },
          {
            id: 1,
            created_at: '2026-01-15T12:00:00.000Z',
            last_used_at: '2026-01-15T12:02:00.000Z',
            address: '192.0.2.9',
            user_agent: 'curl/9',
            current: false,
          },
        ],
        total: 2,
      })
    },
    { settings: { trusted_proxies: 1 } },
  )

  appTest('of an earlier version have no client and no time of use', async (app) => {
    const { access_token, refresh_token } = await login(app)
    const { records } = await app.app.store.find('authsession', { filters: [], sort: [], offset: 0, limit: 1 })
    const [{ id, ...session } = { id: 0 }] = records
    const added = new Set(['last_used_at', 'address', 'user_agent', 'in_cookie', 'replaced'])
    const old = Object.fromEntries(Object.entries(session).filter(([name]) => !added.has(name)))
    await app.app.store.transact([{ kind: 'remove', table: 'authsession', id }])
    await app.app.store.transact([{ kind: 'insert', table: 'authsession', values: old, id: 7 }])
    const { data } = await sessionsOf(app, access_token)
    const unknown = { last_used_at: null, address: null, user_agent: null }
    assert.deepEqual(data, [{ id: 7, created_at: '2026-01-15T12:00:00.000Z', ...unknown, current: true }])
    assert.equal((await refresh(app, refresh_token)).status, 200)
    assert.equal((await sessionsOf(app, access_token)).data[0].last_used_at, '2026-01-15T12:00:00.000Z')
  })

  appTest('are listed until they expire, and for a token without a session none is current', async (app) => {
    await login(app)
    app.advance(3 * 24 * 3_600_000)
    await login(app)
    const token = () => app.tokenOf('anna.lind')
    const { data, total } = await sessionsOf(app, await token())
    assert.deepEqual([data.map(({ current }: { current: boolean }) => current), total], [[false, false], 2])
    app.advance(5 * 24 * 3_600_000)
    assert.equal((await sessionsOf(app, await token())).total, 1)
  })

  appTest('are ended one by one', async (app) => {
    const [own, other] = [await login(app), await login(app)]
    assert.equal((await ask(app, other.access_token)).status, 200)
    const { json, status } = await ask(app, own.access_token, 'DELETE /api/v1/auth/sessions/2')
    assert.deepEqual([status, json.message, json.data.id], [200, 'Session ended successfully', 2])
    assert.deepEqual(await standing(app, other), [401, 401])
    assert.equal((await ask(app, own.access_token, 'DELETE /api/v1/auth/sessions/2')).status, 404)
    assert.equal((await ask(app, own.access_token, 'DELETE /api/v1/auth/sessions/1')).json.data.current, true)
    assert.deepEqual(await standing(app, own), [401, 401])
  })

  appTest('are the own ones: those of others are 404, for superusers too', async (app) => {
    const anna = await login(app)
    const editor = await login(app, EDITOR)
    for (const token of [editor.access_token, await app.tokenOf('admin')]) {
      const reply = await ask(app, token, 'DELETE /api/v1/auth/sessions/1')
      assert.deepEqual(
        [reply.status, reply.json],
        [404, { error: 'Record not found', status_code: 404, details: 'Session with ID 1 does not exist' }],
      )
    }
    assert.deepEqual(await standing(app, anna), [200, 200])
  })
})

describe('the sessions of another user', () => {
  appTest('are listed and ended by superusers', async (app) => {
    const [one, other, editor] = [await login(app), await login(app), await login(app, EDITOR)]
    const { json } = await play(app, { request: 'GET /api/v1/auth/sessions?user_id=3', status: 200 })
    assert.deepEqual(valuesOf(json.data, 'id', 'current'), [
      [2, false],
      [1, false],
    ])
    const ended = await play(app, { request: 'DELETE /api/v1/auth/sessions?user_id=3', status: 200 })
    assert.deepEqual(ended.json, { message: '2 sessions ended successfully', total: 2 })
    for (const grant of [one, other]) assert.deepEqual(await standing(app, grant), [401, 401])
    assert.deepEqual(await standing(app, editor), [200, 200])
    const again = await play(app, { request: 'DELETE /api/v1/auth/sessions?user_id=2', status: 200 })
    assert.deepEqual(again.json, { message: '1 session ended successfully', total: 1 })
  })
})

const refused = (request: Scenario['request'], status: number, expect: unknown, as: string | null = 'anna.lind'): Scenario =>
  scenario(`is a ${status} for ${as ?? 'nobody'}`, request, status, { as, expect })

const missing = (name: string, id: number) => ({
  error: 'Record not found',
  status_code: 404,
  details: `${name} with ID ${id} does not exist`,
})
const invalid = (details: object) => ({ error: 'Invalid request data', status_code: 400, details })

scenarios('a request for sessions', [
  refused('GET /api/v1/auth/sessions?user_id=1', 403, FORBIDDEN),
  refused('GET /api/v1/auth/sessions?user_id=3', 403, FORBIDDEN),
  refused('DELETE /api/v1/auth/sessions?user_id=3', 403, FORBIDDEN),
  refused('GET /api/v1/auth/sessions', 401, UNAUTHENTICATED, null),
  refused('DELETE /api/v1/auth/sessions?user_id=3', 401, UNAUTHENTICATED, null),
  refused('DELETE /api/v1/auth/sessions/1', 401, UNAUTHENTICATED, null),
  refused('GET /api/v1/auth/sessions?user_id=999', 404, missing('User', 999), 'admin'),
  refused('DELETE /api/v1/auth/sessions?user_id=999', 404, missing('User', 999), 'admin'),
  refused('DELETE /api/v1/auth/sessions/999', 404, missing('Session', 999), 'admin'),
  refused('DELETE /api/v1/auth/sessions', 400, invalid({ user_id: ["'user_id' is mandatory"] }), 'admin'),
  refused(
    'GET /api/v1/auth/sessions?user_id=x',
    400,
    invalid({ user_id: ["'user_id' must be an integer 1 or more, not 'x'"] }),
    'admin',
  ),
  refused(
    'GET /api/v1/auth/sessions?user=3',
    400,
    invalid({ user: ["Unknown query parameter 'user' (known: user_id)"] }),
    'admin',
  ),
  refused('DELETE /api/v1/auth/sessions/x', 400, invalid({ record_id: ["record_id must be an integer, not 'x'"] }), 'admin'),
])

appTest('a command, which has no account of its own, has no password and no sessions', async (app) => {
  const auth = { strategy: 'bearer', credentials: { app: { actor: { ...SYSTEM } } } }
  for (const [method, url, payload] of [
    ['POST', '/api/v1/auth/password', { current_password: 'x', new_password: 'y' }],
    ['GET', '/api/v1/auth/sessions', undefined],
    ['DELETE', '/api/v1/auth/sessions/1', undefined],
  ] as const) {
    const { statusCode } = await app.server.inject({ method, url, auth, ...(payload === undefined ? {} : { payload }) })
    assert.equal(statusCode, 403, url)
  }
})
