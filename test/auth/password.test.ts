import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { verify } from '@node-rs/argon2'
import { argon2id, DUMMY_HASH, normalizing, type PasswordHasher } from '../../src/auth/password.ts'
import { valuesOf } from '../helpers/values-of.ts'

const PREFIX = '$argon2id$v=19$m=19456,t=2,p=1$'

describe('argon2id', () => {
  const hasher = argon2id()
  for (const password of ['correct horse battery staple', 'ä👍\u0000x', ' ', 'x'.repeat(1024)]) {
    test(`hashes and verifies ${JSON.stringify(password.slice(0, 30))}`, async () => {
      const hash = await hasher.hash(password)
      assert.ok(hash.startsWith(PREFIX), hash)
      assert.ok(!hash.includes(password))
      assert.equal(await hasher.verify(hash, password), true)
      assert.equal(await hasher.verify(hash, `${password}x`), false)
      assert.equal(await hasher.verify(hash, ''), false)
    })
  }

  test('two hashes of one password differ', async () => {
    assert.notEqual(await hasher.hash('same'), await hasher.hash('same'))
  })

  for (const stored of ['', 'plain', '$argon2id$', `${PREFIX}!!!$!!!`, '$2b$10$abcdefghijklmnopqrstuv']) {
    test(`${JSON.stringify(stored)} is not a hash and verifies as false`, async () => {
      assert.equal(await hasher.verify(stored, 'plain'), false)
    })
  }

  test('more concurrent calls than the limit all resolve', async () => {
    const hash = await hasher.hash('right')
    const answers = await Promise.all(['right', 'wrong', 'right', 'wrong', 'right'].map((each) => hasher.verify(hash, each)))
    assert.deepEqual(answers, [true, false, true, false, true])
  })
})

describe('the dummy hash', () => {
  test('has the parameters of all others, so that verification takes as long', async () => {
    assert.ok(DUMMY_HASH.startsWith(PREFIX))
    const made = await argon2id().hash('x')
    assert.deepEqual(valuesOf(DUMMY_HASH.split('$'), 'length'), valuesOf(made.split('$'), 'length'))
    await assert.doesNotReject(verify(DUMMY_HASH, 'x'), 'the raw package reads it')
  })

  for (const password of ['', 'x', 'nobody', 'nobody has this!']) {
    test(`${JSON.stringify(password)} does not match it`, async () => {
      assert.equal(await argon2id().verify(DUMMY_HASH, password), false)
    })
  }
})

describe('normalized passwords', () => {
  /** A hasher that notes what it compares. */
  const noting = () => {
    const compared: string[] = []
    const plain: PasswordHasher = {
      hash: async (password) => `#${password}`,
      verify: async (stored, password) => {
        compared.push(password)
        return stored === `#${password}`
      },
    }
    return { hasher: normalizing(plain), compared }
  }
  const [composed, decomposed] = ['caf\u00e9-au-lait', 'cafe\u0301-au-lait']

  test('are hashed in one form: that of NFKC', async () => {
    const { hasher } = noting()
    assert.equal(await hasher.hash(decomposed), `#${composed}`)
    assert.equal(await hasher.hash('\uff41\ufb01'), '#afi')
  })

  test('are the same in each form', async () => {
    const { hasher } = noting()
    for (const set of [composed, decomposed]) {
      for (const typed of [composed, decomposed]) assert.equal(await hasher.verify(await hasher.hash(set), typed), true)
    }
  })

  test('match hashes of earlier versions as they are typed', async () => {
    const { hasher } = noting()
    assert.equal(await hasher.verify(`#${decomposed}`, decomposed), true)
    assert.equal(await hasher.verify(`#${decomposed}`, composed), false)
  })

  test('are compared as often for one account as for another, and once if they have one form', async () => {
    const { hasher, compared } = noting()
    for (const stored of [`#${composed}x`, DUMMY_HASH]) await hasher.verify(stored, decomposed)
    assert.deepEqual(compared, [composed, decomposed, composed, decomposed])
    await hasher.verify(DUMMY_HASH, 'plain')
    assert.equal(compared.length, 5)
  })
})
