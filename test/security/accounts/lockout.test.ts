import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argon2id } from '../../../src/auth/password.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { ANNA, appTest, login, refresh, tryLogin, withApp } from '../access.ts'

const WRONG = { ...ANNA, password: 'lighthouse-keys-18' }

/** Fails to log in so often, and says what the answers were. */
async function failures(app: TestApp, body: { username: string; password: string }, times: number) {
  const replies = []
  for (let attempt = 0; attempt < times; attempt++) replies.push(await tryLogin(app, body))
  return replies.map(({ status, json, headers }) => {
    const retryAfter = headers['retry-after']
    return { status, json, authenticate: headers['www-authenticate'], retryAfter }
  })
}

const REFUSED = { status: 401, json: UNAUTHENTICATED, authenticate: 'Bearer', retryAfter: undefined }

appTest('after five failures the right password is refused as well, for a second', async (app) => {
  await failures(app, WRONG, 4)
  await login(app)
  await failures(app, WRONG, 5)
  assert.equal((await tryLogin(app, ANNA)).status, 401)
  app.advance(999)
  assert.equal((await tryLogin(app, ANNA)).status, 401)
  app.advance(1)
  await login(app)
})

appTest('unknown, locked and disabled accounts get the same response', async (app) => {
  const rows = [WRONG, { username: 'nobody', password: 'x' }, { username: 'old_salt', password: 'anchors-aweigh-61' }]
  for (const body of rows) {
    const answers = await failures(app, body, 8)
    assert.deepEqual(answers, Array(8).fill(REFUSED), body.username)
  }
  const [locked] = await failures(app, ANNA, 1)
  assert.deepEqual(locked, REFUSED)
})

test('a locked account costs a hash like any other, so that timing does not reveal it', () => {
  const checked: string[] = []
  const real = argon2id()
  const hasher = {
    hash: real.hash,
    verify: async (_: string, password: string) => {
      checked.push(password)
      return false
    },
  }
  return withApp(
    async (app) => {
      const names = ['admin', 'nobody']
      for (const username of names) {
        checked.length = 0
        await failures(app, { username, password: 'guess' }, 10)
        assert.equal(checked.length, 10, username)
      }
    },
    { hasher },
  )
})

appTest('concurrent guesses count like consecutive ones', async (app) => {
  const guesses = Array.from({ length: 40 }, (_, index) => ({ ...ANNA, password: `guess ${index}` }))
  const replies = await Promise.all([...guesses, ANNA].map((body) => tryLogin(app, body)))
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [401], 'the right one came after five wrong ones')
})

appTest('an attacker cannot exclude the owner for longer than an hour, nor end a session', async (app) => {
  const session = await login(app)
  for (let minute = 0; minute < 600; minute++) {
    await failures(app, WRONG, 1)
    app.advance(60_000)
  }
  app.advance(60 * 60_000)
  assert.equal((await refresh(app, session.refresh_token)).status, 200)
  await login(app)
})

appTest('a wrong password each minute does not keep the owner out without end', async (app) => {
  await failures(app, WRONG, 4)
  // Up to the locks of a quarter of an hour.
  for (let seconds = 1; seconds < 900; seconds *= 2) {
    await failures(app, WRONG, 1)
    app.advance(seconds * 1000)
  }
  let minutes = 0
  do {
    minutes++
    await failures(app, WRONG, 1)
    app.advance(30_000)
    const { status } = await tryLogin(app, ANNA)
    if (status === 200) break
    app.advance(30_000)
  } while (minutes < 300)
  assert.ok(minutes <= 60, `${minutes} minutes`)
})

appTest('a new password, and enabling the account, ends the lock immediately', async (app) => {
  await failures(app, WRONG, 12)
  const password = 'something-new-18'
  await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { password } }, status: 200 })
  await login(app, { ...ANNA, password })
  await failures(app, WRONG, 12)
  for (const is_active of [false, true]) {
    await play(app, { request: 'PUT /api/v1/models/user/3', body: { data: { is_active } }, status: 200 })
  }
  await login(app, { ...ANNA, password })
})

appTest('a restart ends all locks', async (app) => {
  await failures(app, WRONG, 12)
  const reopened = await app.reopen()
  await login(reopened)
  await reopened.close()
})
