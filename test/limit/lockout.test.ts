import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Lockout } from '../../src/limit/lockout.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Durations of the locks of a series, in seconds. */
const SERIES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 777]

/** A lockout whose clock is moved by hand. */
function makeLockout(capacity?: number) {
  const time = { now: 1_000_000_000 }
  const lockout = new Lockout({ clock: () => time.now, ...(capacity === undefined ? {} : { capacity }) })
  const fail = (account: string, times = 1) => {
    for (let attempt = 0; attempt < times; attempt++) assert.equal(lockout.admit(account, false), false)
  }
  /** How long the right password is refused, in milliseconds; finding out forgives everything. */
  const lockedFor = (account: string): number => {
    const from = time.now
    while (!lockout.admit(account, true)) time.now += 500
    return time.now - from
  }
  return { lockout, time, fail, lockedFor }
}

describe('an account', () => {
  test('is not locked by four failures', () => {
    const { fail, lockedFor } = makeLockout()
    fail('ann', 4)
    assert.equal(lockedFor('ann'), 0)
  })

  test('is locked by the fifth for a second, and by each further one for twice as long, up to a quarter of an hour', () => {
    for (const [index, expected] of SERIES.entries()) {
      const { time, fail, lockedFor } = makeLockout()
      fail('ann', 5)
      for (const wait of SERIES.slice(0, index)) {
        time.now += wait * SECOND
        fail('ann')
      }
      assert.equal(lockedFor('ann'), expected * SECOND, `after ${5 + index} failures`)
    }
  })

  test('is locked for an hour in all by a series of wrong passwords, and then open to four more', () => {
    const { time, fail, lockedFor } = makeLockout()
    let locked = 0
    fail('ann', 5)
    // An attacker who never waits longer than the lock lasts.
    for (const wait of SERIES) {
      locked += wait
      time.now += wait * SECOND
      if (locked < 3600) fail('ann')
    }
    assert.equal(locked, 3600)
    fail('ann', 4)
    assert.equal(lockedFor('ann'), 0)
  })

  test('is locked for an hour by each fifth failure after the series, so that guessing does not become faster', () => {
    const { lockout, time, fail, lockedFor } = makeLockout()
    const day = time.now + 2 * 24 * 60 * MINUTE
    let guesses = 0
    for (; time.now < day - 24 * 60 * MINUTE; time.now += SECOND) if (!lockout.locks('ann')) fail('ann')
    for (; time.now < day; time.now += SECOND) {
      if (lockout.locks('ann')) continue
      fail('ann')
      guesses++
    }
    assert.ok(guesses <= 120, `${guesses} guesses in a day`)
    time.now += 60 * MINUTE
    assert.equal(lockedFor('ann'), 0)
  })

  test('is locked to the right password too, and to a wrong one without being locked for longer', () => {
    const { lockout, time, fail, lockedFor } = makeLockout()
    fail('ann', 5)
    time.now += 500
    fail('ann', 1000)
    assert.equal(lockout.admit('ann', true), false)
    assert.equal(lockedFor('ann'), 500)
  })

  test('has all forgiven by a success', () => {
    const { time, fail, lockedFor } = makeLockout()
    fail('ann', 8)
    time.now += MINUTE
    assert.equal(lockedFor('ann'), 0)
    fail('ann', 4)
    assert.equal(lockedFor('ann'), 0)
  })

  test('resets all failures on request', () => {
    const { lockout, fail, lockedFor } = makeLockout()
    fail('ann', 5)
    lockout.forgive('ann')
    fail('ann', 4)
    assert.equal(lockedFor('ann'), 0)
  })

  test('has failures forgotten after an hour without one', () => {
    const { time, fail, lockedFor } = makeLockout()
    fail('ann', 4)
    time.now += 60 * MINUTE
    fail('ann')
    assert.equal(lockedFor('ann'), SECOND)
    fail('ann', 4)
    time.now += 60 * MINUTE + 1
    fail('ann')
    assert.equal(lockedFor('ann'), 0)
  })

  test('is locked for itself alone', () => {
    const { fail, lockedFor } = makeLockout()
    fail('ann', 5)
    assert.equal(lockedFor('bob'), 0)
    assert.equal(lockedFor('Ann'), 0)
    assert.equal(lockedFor('ann'), SECOND)
  })

  test('is locked by nothing that was noted by a clock that has been set back since', () => {
    const { time, fail, lockedFor } = makeLockout()
    fail('ann', 12)
    time.now -= MINUTE
    assert.equal(lockedFor('ann'), 0)
  })
})

describe('memory', () => {
  test('is bounded, however many names are tried', () => {
    const { lockout, fail } = makeLockout(1000)
    for (let name = 0; name < 20_000; name++) fail(`nobody ${name}`)
    assert.ok(lockout.size <= 1200, `${lockout.size} are remembered`)
    for (let name = 0; name < 2000; name++) fail(`locked ${name}`, 5)
    assert.ok(lockout.size <= 1200, `${lockout.size} are remembered`)
  })

  test('keeps a lock during a flood of other names', () => {
    const { fail, lockedFor } = makeLockout(1000)
    fail('ann', 5)
    for (let name = 0; name < 20_000; name++) fail(`nobody ${name}`)
    assert.equal(lockedFor('ann'), SECOND)
  })
})
