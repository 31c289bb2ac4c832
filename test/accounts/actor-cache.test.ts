import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActorCache } from '../../src/accounts/actor-cache.ts'
import { type Actor, SHELL } from '../../src/auth/permissions.ts'
import type { Claims } from '../../src/auth/token.ts'
import type { Model } from '../../src/model/model.ts'
import type { ChangeListener, Store } from '../../src/store/store.ts'

const CLAIMS: Claims = { iss: 'i', aud: 'a', sub: '1', iat: 0, exp: 1, jti: 'first', type: 'access' }

/** A cache whose time is moved by hand, and a read that counts. */
function openCache({ isShared }: { isShared: boolean }) {
  const time = { now: 0 }
  const told: { change?: ChangeListener; unknown?: (() => void) | undefined } = {}
  const onChange: Store['onChange'] = (change, unknown) => Object.assign(told, { change, unknown })
  const cache = new ActorCache({ isShared, onChange } as unknown as Store, () => time.now)
  let count = 0
  const read = async (): Promise<Actor> => ({ ...SHELL, userId: ++count })
  const userId = async (claims = CLAIMS) => (await cache.of(claims, read)).userId
  const changeOf = (table: string) => [{ table, id: 1, before: undefined, after: undefined }]
  const changed = (table: string) => told.change?.(changeOf(table))
  const committed = (table: string) => cache.hooks.afterCommit?.(changeOf(table), { actor: SHELL, model: {} as Model })
  return { cache, time, userId, changed, committed, missed: () => told.unknown?.() }
}

test('an actor of a shared store is read again after 500 ms', async () => {
  const { time, userId } = openCache({ isShared: true })
  for (const [now, expected] of [
    [0, 1],
    [499, 1],
    [500, 2],
    [999, 2],
  ] as const) {
    time.now = now
    assert.equal(await userId(), expected, `at ${now}`)
  }
})

test('an actor of another store is kept until a change', async () => {
  const { time, userId } = openCache({ isShared: false })
  await userId()
  time.now = 3_600_000
  assert.equal(await userId(), 1)
})

test('each token has an actor of its own', async () => {
  const { userId } = openCache({ isShared: false })
  assert.deepEqual([await userId(), await userId({ ...CLAIMS, jti: 'second' }), await userId({ ...CLAIMS, sub: '2' })], [1, 2, 3])
})

test('actors are read again after a change of accounts, permissions or sessions, and after unknown changes', async () => {
  const { userId, changed, committed, missed } = openCache({ isShared: true })
  await userId()
  let expected = 1
  for (const table of ['user', 'group', 'permission', 'authsession']) {
    for (const tell of [changed, committed]) {
      tell(table)
      assert.equal(await userId(), ++expected, table)
    }
  }
  missed()
  assert.equal(await userId(), ++expected)
  changed('post')
  assert.equal(await userId(), expected)
})

test('an actor that was being read during a change is read again', async () => {
  const { userId, changed } = openCache({ isShared: true })
  const reading = userId()
  changed('user')
  const again = userId()
  assert.deepEqual([await reading, await again, await userId()], [1, 2, 2])
})

test('a rejected read is not kept', async () => {
  const { cache, userId } = openCache({ isShared: true })
  await assert.rejects(
    cache.of(CLAIMS, async () => {
      throw new Error('no account')
    }),
    /no account/,
  )
  assert.equal(await userId(), 1)
})
