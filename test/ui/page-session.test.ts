import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdminError, type Client } from '../../src/client/client.ts'
import { PageSession } from '../../src/ui/data/page-session.ts'
import { RequestWaits } from '../../src/ui/data/request-waits.ts'
import type { PreferenceStore } from '../../src/ui/preferences.ts'

const ENDED = new AdminError('The session has ended', { type: 'authentication', status: 401 })

/** A session that is logged in. */
async function openSession(waits?: RequestWaits): Promise<PageSession> {
  const client = { hasToken: async () => true, login: async () => {}, logout: async () => {} }
  const preferences = { isKept: false, get: () => undefined, set: () => {} }
  const session = new PageSession(client as unknown as Client, preferences as unknown as PreferenceStore, waits)
  await session.start()
  return session
}

/** Work whose attempts the test answers one by one. */
function answering() {
  const attempts: { answer(value: string): void; refuse(): void }[] = []
  const work = () =>
    new Promise<string>((answer, reject) => {
      attempts.push({ answer, refuse: () => reject(ENDED) })
    })
  return { attempts, work }
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise(setImmediate)

test('a call that meets an ended session waits for the login and is repeated', async () => {
  const session = await openSession()
  const { attempts, work } = answering()
  const result = session.run(work)
  attempts[0]?.refuse()
  await settle()
  assert.equal(session.state(), 'expired')
  assert.equal(attempts.length, 1)
  await session.login('ann', 'a password')
  await settle()
  attempts[1]?.answer('read')
  assert.equal(await result, 'read')
  assert.equal(session.state(), 'logged-in')
})

test('a refusal that arrives after the login of another call does not ask for the password again', async () => {
  const session = await openSession()
  const [first, late] = [answering(), answering()]
  const results = [session.run(first.work), session.run(late.work)]
  first.attempts[0]?.refuse()
  await settle()
  await session.login('ann', 'a password')
  late.attempts[0]?.refuse()
  await settle()
  assert.equal(session.state(), 'logged-in')
  first.attempts[1]?.answer('first')
  late.attempts[1]?.answer('late')
  assert.deepEqual(await Promise.all(results), ['first', 'late'])
})

test('a call that waits for the password fails when the user leaves', async () => {
  const session = await openSession()
  const { attempts, work } = answering()
  const result = session.run(work)
  attempts[0]?.refuse()
  await settle()
  session.leave()
  await assert.rejects(result, /Logged out/)
  assert.equal(session.state(), 'logged-out')
})

describe('calls that need more of the user', () => {
  const unconfirmed = new AdminError('Confirm', {
    ...{ type: 'authentication', status: 401 },
    summary: 'insufficient_user_authentication',
  })
  const unprotected = new AdminError('Set one up', { type: 'permission', status: 403, secondFactor: { enrol: true } })

  /** Work that fails once. */
  const failingOnce = (error: AdminError) => {
    let calls = 0
    return async () => {
      if (calls++ === 0) throw error
      return 'done'
    }
  }

  for (const [error, state] of [
    [unconfirmed, 'unconfirmed'],
    [unprotected, 'unprotected'],
  ] as const) {
    test(`wait while the session is ${state}, and are then repeated`, async () => {
      const session = await openSession()
      const result = session.run(failingOnce(error))
      await settle()
      assert.equal(session.state(), state)
      await session.enter(async () => {})
      assert.equal(await result, 'done')
      assert.equal(session.state(), 'logged-in')
    })
  }

  test('fail with the message of the user who declines, and the session goes on', async () => {
    const session = await openSession()
    const result = session.run(failingOnce(unconfirmed))
    await settle()
    session.decline('Not confirmed')
    await assert.rejects(result, /Not confirmed/)
    assert.equal(session.state(), 'logged-in')
  })

  test('wait for one login if the session has ended meanwhile', async () => {
    const session = await openSession()
    const results = [session.run(failingOnce(ENDED)), session.run(failingOnce(unconfirmed))]
    await settle()
    assert.equal(session.state(), 'expired')
    await session.login('ann', 'a password')
    assert.deepEqual(await Promise.all(results), ['done', 'done'])
  })

  test('a wrong confirmation leaves them waiting', async () => {
    const session = await openSession()
    const result = session.run(failingOnce(unconfirmed))
    await settle()
    await assert.rejects(session.enter(() => Promise.reject(ENDED)))
    assert.equal(session.state(), 'unconfirmed')
    await session.enter(async () => {})
    assert.equal(await result, 'done')
  })

  test('a refusal for another reason is no need', async () => {
    const session = await openSession()
    const refused = new AdminError('No', { type: 'permission', status: 403 })
    await assert.rejects(session.run(failingOnce(refused)), /No/)
    assert.equal(session.state(), 'logged-in')
  })
})

describe('calls that are refused for now', () => {
  const refusal = (retryAfter: number | undefined) =>
    new AdminError('Too many', { type: 'rate_limit', status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) })
  const { signal } = new AbortController()

  /** A session whose waits end at once, and what it has waited for. */
  async function patientSession() {
    const waited: number[] = []
    const waits = new RequestWaits(async (milliseconds) => void waited.push(milliseconds))
    return { session: await openSession(waits), waited }
  }

  /** Work that is refused some times. */
  const refused = (times: number, retryAfter: number | undefined) => {
    let calls = 0
    return async () => {
      if (calls++ < times) throw refusal(retryAfter)
      return calls
    }
  }

  test('a call that reads is repeated after each wait', async () => {
    const { session, waited } = await patientSession()
    assert.equal(await session.read(signal, refused(2, 12)), 3)
    assert.deepEqual(waited, [12_000, 12_000])
  })

  test('other calls fail at once', async () => {
    const { session, waited } = await patientSession()
    await assert.rejects(session.run(refused(1, 12)), /Too many/)
    assert.deepEqual(waited, [])
  })

  test('a call is repeated ten times, after at most a minute, and only if the server says when', async () => {
    const { session, waited } = await patientSession()
    await assert.rejects(session.read(signal, refused(11, 1)), /Too many/)
    assert.equal(waited.length, 10)
    await assert.rejects(session.read(signal, refused(1, 61)), /Too many/)
    await assert.rejects(session.read(signal, refused(1, undefined)), /Too many/)
    assert.equal(waited.length, 10)
  })

  test('the wait that ends last is the one to show', async () => {
    const ends: (() => void)[] = []
    const waits = new RequestWaits(() => new Promise((resolve) => ends.push(resolve)))
    const shown: unknown[] = []
    waits.subscribe(() => shown.push(waits.last()?.cause))
    const both = [waits.wait(5, 'unavailable'), waits.wait(12, 'rate_limit')]
    ends[1]?.()
    await both[1]
    ends[0]?.()
    await both[0]
    assert.deepEqual(shown, ['unavailable', 'rate_limit', 'unavailable', undefined])
  })

  test('a wait ends when nothing needs the answer any more', async () => {
    const waits = new RequestWaits()
    const controller = new AbortController()
    const waiting = waits.wait(60, 'rate_limit', controller.signal)
    assert.equal(waits.last()?.cause, 'rate_limit')
    controller.abort(new Error('left'))
    await assert.rejects(waiting, /left/)
    assert.equal(waits.last(), undefined)
  })
})
