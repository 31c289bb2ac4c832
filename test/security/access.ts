import assert from 'node:assert/strict'
import { openTestApp, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { play, type Reply, type Scenario, send } from '../helpers/api/scenario.ts'
import { testsOf } from '../helpers/tests-of.ts'
import { ids } from '../http/records/expected.ts'

/** Does something with an application that never calls anything its own fault. */
export async function withApp(work: (app: TestApp) => Promise<void>, options: TestAppOptions = {}): Promise<void> {
  await using app = await openTestApp(options)
  await work(app)
  assert.deepEqual(app.reported, [])
}

/** Declares such a test. */
export const appTest = testsOf(withApp)

/** A user of the blog who may write posts, and sees neither users nor what they hold. */
export const ANNA = { username: 'anna.lind', password: 'lighthouse-keys-17' } as const

export interface Grant {
  readonly access_token: string
  readonly refresh_token: string
}

/** Tries to log in. */
export const tryLogin = (app: TestApp, body: unknown): Promise<Reply> =>
  send(app, { request: 'POST /api/v1/auth/token', as: null, body })

export async function login(app: TestApp, body: unknown = ANNA): Promise<Grant> {
  const reply = await tryLogin(app, body)
  assert.equal(reply.status, 200, reply.text)
  return reply.json
}

export const refresh = (app: TestApp, refresh_token: string): Promise<Reply> =>
  send(app, { request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token } })

export const logout = (app: TestApp, refresh_token: string): Promise<Reply> =>
  send(app, { request: 'POST /api/v1/auth/logout', as: null, body: { refresh_token } })

/** Asks for something with a token of one's own. */
export const ask = (
  app: TestApp,
  token: string,
  request: Scenario['request'] = 'GET /api/v1/models/post/1',
  body?: unknown,
): Promise<Reply> => send(app, { request, as: null, body, headers: { authorization: `Bearer ${token}` } })

/** Whether the tokens of a login are good: `[access, refresh]`. The second costs the session when it is not. */
export async function standing(app: TestApp, { access_token, refresh_token }: Grant): Promise<[number, number]> {
  const { status } = await ask(app, access_token)
  return [status, (await refresh(app, refresh_token)).status]
}

/** Gives a user of the blog these permissions, directly, and no groups. */
export async function permit(app: TestApp, userId: number, ...codenames: readonly string[]): Promise<void> {
  const filter = encodeURIComponent(`codename__in=${codenames.join()}`)
  const { json } = await play(app, { request: `GET /api/v1/models/permission?page_size=100&filters=${filter}`, status: 200 })
  assert.equal(json.total, codenames.length)
  const body = { data: { groups: [], permissions: ids(json) } }
  await play(app, { request: `PUT /api/v1/models/user/${userId}`, body, status: 200 })
}
