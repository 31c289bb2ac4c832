import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { argon2id, DUMMY_HASH, type PasswordHasher } from '../../../src/auth/password.ts'
import { UNAUTHENTICATED } from '../../http/records/expected.ts'
import { tryLogin, withApp } from '../access.ts'

const PARAMETERS = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Nobody's password is right here. */
const FAILURES = {
  'a wrong password': { username: 'admin', password: 'wrong' },
  'an unknown user': { username: 'nobody', password: 'wrong' },
  'an inactive user': { username: 'old_salt', password: 'wrong' },
} as const

const SEED = {
  'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
  'seed/user.yaml': `- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }
- { username: old_salt, email: o@example.org, password: another-password, is_active: false }
`,
}

describe('an unknown user, an inactive one and a wrong password', () => {
  test('are answered in the same words', () =>
    withApp(async (app) => {
      const failures = [...Object.values(FAILURES), { username: 'old_salt', password: 'anchors-aweigh-61' }]
      const replies = await Promise.all(failures.map((body) => tryLogin(app, body)))
      for (const { status, json, headers } of replies) {
        assert.deepEqual([status, json, headers['www-authenticate']], [401, UNAUTHENTICATED, 'Bearer'])
        assert.deepEqual(Object.keys(headers).sort(), Object.keys(replies[0]?.headers ?? {}).sort())
      }
    }))

  test('cost one hash each, of the same parameters', () => {
    const checked: string[] = []
    const hasher: PasswordHasher = {
      hash: argon2id().hash,
      verify: async (hash) => {
        checked.push(hash.slice(0, PARAMETERS.length))
        return false
      },
    }
    return withApp(
      async (app) => {
        for (const [name, body] of Object.entries(FAILURES)) {
          checked.length = 0
          await tryLogin(app, body)
          assert.deepEqual(checked, [PARAMETERS], name)
        }
      },
      { hasher, files: SEED },
    )
  })

  test('have overlapping response times', () =>
    withApp(
      async (app) => {
        const times: Record<string, number[]> = {}
        for (let round = 0; round < 16; round++) {
          for (const [name, body] of Object.entries(FAILURES)) {
            const started = performance.now()
            await tryLogin(app, body)
            times[name] = [...(times[name] ?? []), performance.now() - started]
          }
          // Nobody is locked: that is told by nothing either, but is another matter.
          app.advance(61 * 60_000)
        }
        const [wrong = [], ...others] = Object.values(times)
        for (const other of others) {
          const share = shareOfShorter(wrong, other)
          assert.ok(share > 0.1 && share < 0.9, `a wrong password was answered faster in ${share} of all pairs`)
        }
      },
      { hasher: argon2id(), files: SEED },
    ))
})

/** In which share of all pairs the first is shorter: half, where both are the same distribution (Mann and Whitney's U). */
function shareOfShorter(some: readonly number[], others: readonly number[]): number {
  const shorter = some.flatMap((one) => others.filter((other) => one < other)).length
  return shorter / (some.length * others.length)
}

/** Work that takes a few turns, and how much of it went on at once at the most. */
function counting() {
  let now = 0
  let most = 0
  const slowly = async <T>(result: T): Promise<T> => {
    most = Math.max(most, ++now)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    now--
    return result
  }
  return { slowly, most: () => most }
}

describe('hashes', () => {
  test('are hashed one and verified two at a time, however many are waiting', async () => {
    const made = counting()
    const checked = counting()
    const { hash, verify } = argon2id(async () => ({ hash: () => made.slowly('hash'), verify: () => checked.slowly(true) }))
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? hash('x') : verify('hash', 'x'))))
    assert.deepEqual([made.most(), checked.most()], [1, 2])
  })

  test('created by the hundred do not block logins', async () => {
    const order: string[] = []
    const said = async <T>(word: string, result: T): Promise<T> => {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(word)
      return result
    }
    const { hash, verify } = argon2id(async () => ({ hash: () => said('made', 'hash'), verify: () => said('checked', true) }))
    await Promise.all([...Array.from({ length: 100 }, () => hash('x')), verify('hash', 'x')])
    assert.ok(order.indexOf('checked') < 5, `it was the ${order.indexOf('checked')}th`)
  })

  test('are refused when very many are waiting to be checked', async () => {
    const { slowly } = counting()
    const { verify } = argon2id(async () => ({ hash: () => slowly('hash'), verify: () => slowly(true) }))
    const all = await Promise.allSettled(Array.from({ length: 300 }, () => verify('hash', 'x')))
    const refused = all.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 98, 'two are checked, 200 wait')
    for (const { reason } of refused) assert.equal(reason.code, 'RATE_LIMITED')
    assert.equal(await verify('hash', 'x'), true, 'once they are done all is well')
  })

  test('beyond the queue are a 429 with Retry-After', () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { verify } = argon2id(async () => ({ hash: async () => 'hash', verify: () => released.then(() => false) }))
    const unlimited = { default: 0, auth: 0, upload: 0 }
    return withApp(
      async (app) => {
        const login = async () => {
          const reply = await tryLogin(app, FAILURES['an unknown user'])
          if (reply.status === 429) release()
          return reply
        }
        const replies = await Promise.all(Array.from({ length: 300 }, login))
        const refused = replies.filter(({ status }) => status === 429)
        assert.ok(refused.length > 0, 'all of them waited')
        for (const { headers } of refused) assert.equal(headers['retry-after'], '5')
      },
      { hasher: { hash: async () => DUMMY_HASH, verify }, settings: { rate_limits: unlimited }, files: SEED },
    )
  })

  test('do not block the event loop', async () => {
    const hasher = argon2id()
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await Promise.all(Array.from({ length: 8 }, () => hasher.hash('a-long-password')))
    clearInterval(timer)
    assert.ok(turns > 1, `the event loop came round ${turns} times`)
  })

  test('are hashed as sent, character by character', () =>
    withApp(
      async (app) => {
        for (const password of ['A-LONG-PASSWORD', 'a-long-password ', ' a-long-password', 'a-long-passwor']) {
          assert.equal((await tryLogin(app, { username: 'admin', password })).status, 401, JSON.stringify(password))
          app.advance(1000)
        }
        const cut = await tryLogin(app, { username: 'admin', password: 'a-long-password\u0000x' })
        assert.equal(cut.status, 400, 'nothing reads up to a NUL and no further')
        assert.equal((await tryLogin(app, { username: 'admin', password: 'a-long-password' })).status, 200)
      },
      { files: SEED },
    ))
})
