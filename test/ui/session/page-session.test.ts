import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdminError, type Client } from '../../../src/client/client.ts'
import type { PreferenceStore } from '../../../src/ui/preferences.ts'
import { PageSession } from '../../../src/ui/session/page-session.ts'

const ENDED = new AdminError('The session has ended', { type: 'authentication', status: 401 })

/** A session that is logged in. */
async function openSession(): Promise<PageSession> {
  const client = { hasToken: async () => true, login: async () => {}, logout: async () => {} }
  const preferences = { isKept: false, get: () => undefined, set: () => {} }
  const session = new PageSession(client as unknown as Client, preferences as unknown as PreferenceStore)
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
