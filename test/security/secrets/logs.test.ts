import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { argon2id } from '../../../src/auth/password.ts'
import type { LogLevel } from '../../../src/log/log.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { assertNoSecrets } from '../../helpers/secrets.ts'

const ADMIN = { username: 'admin', password: 'harbour-admin-2024' }
const PASSWORDS = {
  wrong: 'not-the-right-password-1',
  misplaced: 'a-password-typed-as-a-name-2',
  created: 'the-first-password-of-ann-3',
  changed: 'the-second-password-of-ann-4',
  refused: 'a-password-of-a-user-who-is-refused-5',
  broken: 'a-password-in-broken-json-6',
  form: 'a-password-in-a-form-7',
  query: 'a-password-in-a-query-8',
  cookie: 'a-session-in-a-cookie-9',
  basic: 'a-password-for-basic-10',
} as const

interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string
}
type Send = (path: string, call?: Call) => Promise<{ status: number; json: Record<string, unknown> }>

/** Requests of every kind that carry a secret, good and bad. Returns the secrets that the server gave away. */
async function everyKindOfRequest(send: Send): Promise<string[]> {
  const login = (body: object) => send('/api/v1/auth/token', { method: 'POST', body })
  const { status, json } = await login(ADMIN)
  assert.equal(status, 200)
  const [access, refresh] = [String(json.access_token), String(json.refresh_token)]
  const authorization = `Bearer ${access}`
  const as = (more: Call = {}): Call => ({ ...more, headers: { authorization, ...more.headers } })

  await login({ ...ADMIN, password: PASSWORDS.wrong })
  await login({ username: PASSWORDS.misplaced, password: 'x' })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await send('/api/v1/auth/token', { method: 'POST', headers: form, raw: `username=admin&password=${PASSWORDS.form}` })
  const next = await send('/api/v1/auth/refresh', { method: 'POST', body: { refresh_token: refresh } })
  assert.equal(next.status, 200)
  assert.equal((await send('/api/v1/auth/refresh', { method: 'POST', body: { refresh_token: refresh } })).status, 401)
  await send('/api/v1/auth/logout', { method: 'POST', body: { refresh_token: next.json.refresh_token } })

  const again = (await login(ADMIN)).json
  const fresh = `Bearer ${again.access_token}`
  const user = { username: 'ann.of.the.test', email: 'ann@example.org', password: PASSWORDS.created }
  const users = '/api/v1/models/user'
  const write = (method: string, path: string, data: object) =>
    send(path, { method, headers: { authorization: fresh }, body: { data } })
  const created = await write('POST', users, user)
  assert.equal(created.status, 201, JSON.stringify(created.json))
  const { id } = created.json.data as { id: number }
  assert.equal((await write('PUT', `${users}/${id}`, { password: PASSWORDS.changed })).status, 200)
  assert.equal((await write('POST', users, { ...user, email: 'no', password: PASSWORDS.refused })).status, 400)
  await write('DELETE', `${users}/${id}`, {})
  await send(users, { method: 'POST', headers: { authorization: fresh }, raw: `{"data":{"password":"${PASSWORDS.broken}` })

  await send(`/api/v1/models/post?access_token=${access}&filters=password=${PASSWORDS.query}`, as())
  await send(`/api/v1/models/${access}`, as())
  await send(`/nowhere/${access}`, as())
  await send('/api/v1/models/post', { headers: { authorization: `Bearer ${access}x` } })
  const basic = Buffer.from(`admin:${PASSWORDS.basic}`).toString('base64')
  await send('/api/v1/models/post', { headers: { authorization: `Basic ${basic}`, cookie: `session=${PASSWORDS.cookie}` } })
  await send('/metrics', as({ headers: { 'x-request-id': access } }))
  return [access, refresh, String(next.json.access_token), String(again.access_token), String(again.refresh_token), basic]
}

const injected =
  ({ server }: TestApp): Send =>
  async (url, { method = 'GET', headers = {}, body, raw } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const type = { 'content-type': 'application/json' }
    const options = payload === undefined ? { headers } : { payload, headers: { ...type, ...headers } }
    const response = await server.inject({ method, url, ...options })
    return { status: response.statusCode, json: objectIn(response.payload) }
  }

const fetched =
  (address: string): Send =>
  async (path, { method = 'GET', headers = {}, body, raw } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const type = { 'content-type': 'application/json' }
    const options = payload === undefined ? { headers } : { body: payload, headers: { ...type, ...headers } }
    const response = await fetch(`${address}${path}`, { method, ...options })
    return { status: response.status, json: objectIn(await response.text()) }
  }

function objectIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** A fault that carries all that was at hand when it happened, as those of libraries do. */
function failWithEverything({ app: { store } }: TestApp, secrets: Record<string, string>): void {
  const request = { headers: { authorization: `Bearer ${secrets.token}`, cookie: secrets.cookie }, payload: { ...secrets } }
  const message = `cannot use Bearer ${secrets.token} with {"password":"${secrets.password}"} and ${secrets.hash}`
  store.find = async () => {
    throw Object.assign(new Error(message, { cause: Object.assign(new Error(message), request) }), request, { request })
  }
}

describe('logs hold no token, no password, no hash and no secret', () => {
  for (const level of ['info', 'debug'] satisfies LogLevel[]) {
    test(`at level ${level}`, async () => {
      await using app = await openTestApp({ settings: { log: { level } }, hasher: argon2id() })
      const secrets = await everyKindOfRequest(injected(app))
      const key = await readFile(join(app.folder.path, 'data', 'secret'), 'utf8')
      const { records } = await app.app.store.find('user', { filters: [], sort: [], offset: 0, limit: 100 })
      const hashes = records.map(({ password }) => String(password).split('$').slice(-2).join('$'))
      assert.ok(hashes.length > 5 && hashes.every((hash) => hash.length > 40), 'there are no hashes to look for')
      assert.ok(app.logged.length > 5, 'there is no log to look into')
      assertNoSecrets(app.logged, [...secrets, key.trim(), ...hashes, ADMIN.password, ...Object.values(PASSWORDS)])
    })

    test(`of a fault that carries them, at level ${level}`, async () => {
      await using app = await openTestApp({ settings: { log: { level } } })
      const token = await app.tokenOf('admin')
      const hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g'
      const secrets = { token, password: 'the-password-in-the-fault', cookie: 'session=8f14e45fceea167a', hash }
      failWithEverything(app, secrets)
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await app.server.inject({ url: '/api/v1/models/tag', headers })).statusCode, 500)
      assert.match(app.logged.join(''), /"level":"error"/)
      assertNoSecrets(app.logged, [...Object.values(secrets), 'aGFzaGhhc2hoYXNo'])
    })
  }

  for (const [name, argv, terminal] of [
    ['JSON', ['serve'], false],
    ['text on a terminal', ['serve'], true],
    ['JSON with --debug', ['--debug', 'serve'], false],
    ['text with --debug', ['--debug', 'serve', '--log-format', 'text'], false],
  ] as const) {
    test(`of admin serve, ${name}`, async () => {
      await using project = await copyFixture('blog')
      let secrets: string[] = []
      const { code, stderr } = await runCli([...argv, '--port', '0', '--no-rate-limit'], {
        cwd: project.path,
        terminal,
        whileRunning: async (stdout) => {
          secrets = await everyKindOfRequest(fetched(addressIn(stdout)))
        },
      })
      assert.equal(code, 0, stderr)
      assert.match(stderr, /Login failed/)
      assertNoSecrets([stderr], [...secrets, ADMIN.password, ...Object.values(PASSWORDS)])
    })
  }
})
