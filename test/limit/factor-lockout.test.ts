import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FACTOR_POLICY, Lockout } from '../../src/limit/lockout.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** More than any lock. */
const LONGEST = 2 * 60 * MINUTE
/** Maximum number of wrong codes that are compared in any 24 hours. */
const MOST = 120

/** The times at which an attacker's codes are compared in some days, if they wait a while after each lock that lasts at least `from`. */
function guesses(options: { wait: number; from: number; pause?: number; ownerEvery?: number; days?: number }): number[] {
  const { wait, from, pause = 0, ownerEvery = Number.POSITIVE_INFINITY, days = 4 } = options
  let now = 1_800_000_000_000
  const end = now + days * DAY
  const lockout = new Lockout({ clock: () => now, ...FACTOR_POLICY })
  const times: number[] = []
  let ownerAt = now + ownerEvery
  /** Moves the clock to the first moment without a lock, to half a second. */
  const passLock = () => {
    let [locked, open] = [now, now + LONGEST]
    while (open - locked > 500) {
      now = (locked + open) / 2
      if (lockout.locks('1')) locked = now
      else open = now
    }
    now = open
  }
  while (now < end) {
    const since = now
    if (lockout.locks('1')) {
      passLock()
      if (now - since >= from) now += wait
    }
    if (now >= ownerAt) {
      lockout.admit('1', true)
      ownerAt = now + ownerEvery
    }
    lockout.admit('1', false)
    times.push(now)
    now += pause
  }
  return times
}

/** The largest number of times in any window of 24 hours. */
function mostInADay(times: readonly number[]): number {
  let [most, first] = [0, 0]
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? time) <= time - DAY) first++
    most = Math.max(most, index - first + 1)
  }
  return most
}

test('at most 120 codes are compared in any 24 hours, however an attacker spreads them, and whenever the owner logs in', () => {
  const greedy = mostInADay(guesses({ wait: 0, from: 0 }))
  assert.ok(greedy > 80, `${greedy}: the owner is not locked out for a day by a few`)
  const rows = [0, 1, 10, 30, 60, 61, 75, 120, 600, 1439, 1440, 1441].flatMap((minutes) =>
    [0, 1000, 64_000, 512_000, 900_000, 4_000_000].map((from) => ({ wait: minutes * MINUTE, from })),
  )
  for (const row of [...rows, { wait: 0, from: 0, pause: 61 * MINUTE }, { wait: 0, from: 0, pause: 12 * MINUTE }]) {
    for (const ownerEvery of [MINUTE, 60 * MINUTE, 8 * 60 * MINUTE, Number.POSITIVE_INFINITY]) {
      const most = mostInADay(guesses({ ...row, ownerEvery }))
      assert.ok(most <= MOST, `${most} codes with ${JSON.stringify({ ...row, ownerEvery })}`)
    }
  }
})
