import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Settings } from '../../src/config/settings.ts'
import { openTestApp } from '../helpers/api/app.ts'

interface Caller {
  readonly remoteAddress: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose token is sent. */
  readonly as?: string
}

const HERE = { remoteAddress: '127.0.0.1', headers: { host: 'localhost:8000' } }
const ELSEWHERE = { remoteAddress: '192.0.2.7', headers: { host: 'shop.example.org' } }

async function statusFor(metrics: Settings['metrics'], { remoteAddress, headers = {}, as }: Caller): Promise<number> {
  await using app = await openTestApp({ settings: { metrics } })
  const authorization = as === undefined ? {} : { authorization: `Bearer ${await app.tokenOf(as)}` }
  const reply = await app.server.inject({ url: '/metrics', remoteAddress, headers: { ...headers, ...authorization } })
  if (reply.statusCode === 401) assert.equal(reply.headers['www-authenticate'], 'Bearer')
  if (reply.statusCode !== 200) assert.doesNotMatch(reply.payload, /admin_records/)
  return reply.statusCode
}

const rows: readonly (readonly [name: string, metrics: Settings['metrics'], caller: Caller, status: number])[] = [
  ['a program on this machine', 'local', HERE, 200],
  ['a program on this machine, by IPv6', 'local', { remoteAddress: '::1', headers: { host: '[::1]:8000' } }, 200],
  ['one that listens to both', 'local', { remoteAddress: '::ffff:127.0.0.1', headers: { host: '127.0.0.1:8000' } }, 200],
  ['somebody elsewhere', 'local', ELSEWHERE, 401],
  ['somebody elsewhere who claims to be here', 'local', { ...ELSEWHERE, headers: { host: 'localhost' } }, 401],
  ['a name that leads here (DNS rebinding)', 'local', { ...HERE, headers: { host: 'evil.example:8000' } }, 401],
  ['a name that only begins like ours', 'local', { ...HERE, headers: { host: 'localhost.evil.example' } }, 401],
  ['a proxy on this machine', 'local', { ...HERE, headers: { ...HERE.headers, 'x-forwarded-for': '192.0.2.7' } }, 401],
  ['a proxy that claims to speak for here', 'local', { ...HERE, headers: { ...HERE.headers, forwarded: 'for=127.0.0.1' } }, 401],
  ['another kind of proxy', 'local', { ...HERE, headers: { ...HERE.headers, via: '1.1 cache' } }, 401],
  ['a superuser elsewhere', 'local', { ...ELSEWHERE, as: 'admin' }, 200],
  ['another user elsewhere', 'local', { ...ELSEWHERE, as: 'm.keller' }, 403],
  ['a bad token elsewhere', 'local', { ...ELSEWHERE, headers: { authorization: 'Bearer nonsense' } }, 401],
  ['anybody, when it is open', 'open', ELSEWHERE, 200],
  ['nobody, when it is off', 'off', HERE, 404],
  ['not even a superuser, when it is off', 'off', { ...HERE, as: 'admin' }, 404],
]

describe('access to the metrics', () => {
  for (const [name, metrics, caller, status] of rows) {
    test(`${metrics}: ${name} gets ${status}`, async () => assert.equal(await statusFor(metrics, caller), status))
  }

  test('pages of other origins have none, whatever cors says', async () => {
    await using app = await openTestApp({ settings: { cors: ['http://localhost:5173'] } })
    const headers = { ...HERE.headers, origin: 'http://localhost:5173' }
    const reply = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers })
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['access-control-allow-origin'], undefined)
  })
})
