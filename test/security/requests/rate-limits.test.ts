import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SlidingWindow } from '../../../src/limit/sliding-window.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { send } from '../../helpers/api/scenario.ts'

const LIMITS = { default: 100, auth: 5, upload: 10 }
const LOGIN = { request: 'POST /api/v1/auth/token', as: null } as const

async function withLimits(work: (app: TestApp) => Promise<void>, trusted_proxies = 0): Promise<void> {
  await using app = await openTestApp({ settings: { rate_limits: LIMITS, trusted_proxies } })
  await work(app)
}

const login = (app: TestApp, forwarded: string, password = 'wrong', username = 'nobody') =>
  send(app, { ...LOGIN, body: { username, password }, headers: { 'x-forwarded-for': forwarded } })

test('the sixth login in a minute is refused, however X-Forwarded-For rotates, and though it be the right one', () =>
  withLimits(async (app) => {
    const statuses = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      statuses.push((await login(app, `10.0.0.${attempt}`, 'wrong', `nobody${attempt}`)).status)
    }
    const sixth = await login(app, '10.0.0.6', 'harbour-admin-2024', 'admin')
    assert.deepEqual([...statuses, sixth.status], [401, 401, 401, 401, 401, 429])
    assert.match(sixth.text, /At most 5 logins a minute/)
    assert.equal(sixth.headers['retry-after'], '60')
    app.advance(60_000)
    assert.equal((await login(app, '10.0.0.7', 'harbour-admin-2024', 'admin')).status, 200)
  }))

describe('the address that logins are counted by, behind one proxy', () => {
  const counted = (name: string, first: (attempt: number) => string, sixth: number) =>
    test(name, () =>
      withLimits(async (app) => {
        for (let attempt = 0; attempt < 5; attempt++) assert.equal((await login(app, first(attempt))).status, 401)
        assert.equal((await login(app, first(5))).status, sixth)
      }, 1),
    )

  counted('is the last that was forwarded', (attempt) => `10.0.0.${attempt}, 192.0.2.1`, 429)
  counted('is another for another client', (attempt) => `192.0.2.1, 10.0.0.${attempt}`, 401)
  counted('is without its port', (attempt) => `192.0.2.1:${4000 + attempt}`, 429)
  counted('is the /56 of IPv6', (attempt) => `2001:db8:0:12${attempt}${attempt}::${attempt}`, 429)
  counted('is another for another /56', (attempt) => `2001:db8:0:${attempt}00::1`, 401)
  counted('is IPv4 in the clothes of IPv6', (attempt) => (attempt % 2 === 0 ? '::ffff:192.0.2.1' : '192.0.2.1'), 429)
  counted('is without its zone', (attempt) => `"[fe80::1%eth${attempt}]:${4000 + attempt}"`, 429)
  counted('is the socket when nobody knows', (attempt) => `unknown${attempt}`, 429)
})

test('the 101st request in a minute is refused', () =>
  withLimits(async (app) => {
    const token = await app.tokenOf('admin')
    const headers = { authorization: `Bearer ${token}` }
    const list = () => app.server.inject({ url: '/api/v1/models/tag?page_size=1', headers })
    for (let request = 0; request < 100; request++) assert.equal((await list()).statusCode, 200)
    const refused = await list()
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '60')
    app.advance(59_999)
    assert.equal((await list()).statusCode, 429)
    app.advance(1)
    assert.equal((await list()).statusCode, 200)
  }))

test('a burst over the edge of a window gets no more than 100 in any 60 seconds', () =>
  withLimits(async (app) => {
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    const granted: number[] = []
    let now = 0
    const burst = async (count: number) => {
      for (let request = 0; request < count; request++) {
        const { statusCode } = await app.server.inject({ url: '/api/v1/models/tag?page_size=1', headers })
        if (statusCode === 200) granted.push(now)
      }
    }
    const wait = (milliseconds: number) => {
      app.advance(milliseconds)
      now += milliseconds
    }
    await burst(1)
    wait(59_000)
    await burst(110)
    wait(1000)
    await burst(110)
    wait(30_000)
    await burst(20)
    wait(29_000)
    await burst(110)
    assert.deepEqual(new Set(granted), new Set([0, 59_000, 60_000, 119_000]))
    for (const from of granted) {
      const within = granted.filter((at) => at >= from && at < from + 60_000).length
      assert.ok(within <= 100, `${within} requests in the minute from ${from}`)
    }
  }))

test('a corrected clock does not let more than the limit into a minute', () => {
  let now = 1_000_000
  const window = new SlidingWindow({ limit: 100, windowMs: 60_000, clock: () => now })
  const granted = (requests: number) =>
    Array.from({ length: requests }, () => window.take('ann')).filter(({ allowed }) => allowed)
  assert.equal(granted(150).length, 100)
  now -= 5000
  assert.equal(granted(150).length, 0, 'set back by five seconds, it forgets nobody')
  now += 64_999
  assert.equal(granted(1).length, 0)
  now += 1
  assert.equal(granted(150).length, 100)
})

test('a million addresses are not remembered', () => {
  const window = new SlidingWindow({ limit: 5, windowMs: 60_000, clock: () => 0 })
  for (let caller = 0; caller < 1_000_000; caller++) window.take(String(caller))
  assert.ok(window.entries <= 10_001, `${window.entries} entries`)
})

test('a caller is counted anew after 10,000 others, and not after fewer', () => {
  for (const [others, isAllowed] of [
    [9999, false],
    [10_000, true],
  ] as const) {
    const window = new SlidingWindow({ limit: 1, windowMs: 60_000, clock: () => 0 })
    window.take('first')
    for (let caller = 0; caller < others; caller++) window.take(String(caller))
    assert.equal(window.take('first').allowed, isAllowed, `${others} others`)
  }
})
