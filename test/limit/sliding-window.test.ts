import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SlidingWindow } from '../../src/limit/sliding-window.ts'

/** A window of three requests a minute, whose clock is moved by hand. */
function makeWindow(maxCallers?: number) {
  const time = { now: 1_000_000 }
  const window = new SlidingWindow({
    limit: 3,
    windowMs: 60_000,
    clock: () => time.now,
    ...(maxCallers === undefined ? {} : { maxCallers }),
  })
  return { window, time, allowed: (caller: string) => window.take(caller).allowed }
}

describe('SlidingWindow', () => {
  test('counts down, and states when there is room again', () => {
    const { window, time } = makeWindow()
    assert.deepEqual(window.take('ann'), { allowed: true, limit: 3, remaining: 2, resetSeconds: 60 })
    time.now += 20_000
    assert.deepEqual(window.take('ann'), { allowed: true, limit: 3, remaining: 1, resetSeconds: 40 })
    assert.deepEqual(window.take('ann'), { allowed: true, limit: 3, remaining: 0, resetSeconds: 40 })
    assert.deepEqual(window.take('ann'), { allowed: false, limit: 3, remaining: 0, resetSeconds: 40 })
  })

  test('callers do not count for each other', () => {
    const { allowed } = makeWindow()
    for (let request = 0; request < 3; request++) assert.ok(allowed('ann'))
    assert.ok(!allowed('ann'))
    assert.ok(allowed('bob'))
  })

  test('a refused request does not count', () => {
    const { time, allowed } = makeWindow()
    for (let request = 0; request < 10; request++) allowed('ann')
    time.now += 60_000
    for (let request = 0; request < 3; request++) assert.ok(allowed('ann'))
  })

  test('no interval of a minute contains more than the limit', () => {
    const { window, time } = makeWindow()
    const granted: number[] = []
    let seed = 7
    for (let request = 0; request < 2000; request++) {
      seed = (seed * 48_271) % 2_147_483_647
      time.now += seed % 30_000
      if (window.take('ann').allowed) granted.push(time.now)
    }
    assert.ok(granted.length > 300)
    for (const [index, at] of granted.entries()) {
      const fourth = granted[index + 3]
      if (fourth !== undefined) assert.ok(fourth - at >= 60_000, `four requests within ${fourth - at} ms`)
    }
  })

  test('forgets the callers that were quiet longest', () => {
    const { allowed } = makeWindow(2)
    for (let request = 0; request < 3; request++) allowed('ann')
    allowed('bob')
    assert.ok(!allowed('ann'))
    allowed('cid')
    assert.ok(!allowed('ann'), 'ann was busy a moment ago and is remembered')
    for (const other of ['dan', 'eve']) allowed(other)
    assert.ok(allowed('ann'), 'two others were busy since')
  })
})

describe('memory of a SlidingWindow', () => {
  const LIMIT = 100_000_000

  test('counts exactly, also for simultaneous requests', () => {
    const time = { now: 5_000 }
    const window = new SlidingWindow({ limit: 10, windowMs: 1000, clock: () => time.now })
    const take = (times: number) => Array.from({ length: times }, () => window.take('ann')).at(-1)?.remaining
    assert.equal(take(4), 6)
    time.now += 600
    assert.equal(take(5), 1)
    time.now += 399
    assert.equal(take(1), 0)
    assert.ok(!window.take('ann').allowed)
    time.now += 1
    assert.equal(take(4), 0, 'the four of the first moment have left, together')
    assert.ok(!window.take('ann').allowed)
    time.now += 600
    assert.equal(take(5), 0)
  })

  test('does not grow with the limit: an entry for each tick of the clock within the window, and as many that have left it', () => {
    const time = { now: 0 }
    const window = new SlidingWindow({ limit: LIMIT, windowMs: 1000, clock: () => time.now })
    let most = 0
    for (let request = 0; request < 100_000; request++) {
      if (request % 5 === 0) time.now++
      const { remaining } = window.take('ann')
      assert.equal(remaining, LIMIT - Math.min(request + 1, 999 * 5 + (request % 5) + 1))
      if (request % 1000 === 0) most = Math.max(most, window.entries)
    }
    assert.ok(most <= 2 * 1000 + 512, `${most} entries`)
  })

  test('is freed after a window for callers who do not return', () => {
    const time = { now: 0 }
    const window = new SlidingWindow({ limit: LIMIT, windowMs: 1000, clock: () => time.now })
    for (let caller = 0; caller < 500; caller++) window.take(`early ${caller}`)
    assert.equal(window.entries, 500)
    time.now = 1000
    for (let caller = 0; caller < 250; caller++) window.take(`late ${caller}`)
    assert.equal(window.entries, 250)
    assert.equal(window.take('early 3').remaining, LIMIT - 1)
  })

  test('keeps the caller of the request when all callers were quiet', () => {
    const { time, allowed } = makeWindow()
    for (const caller of ['ann', 'bob']) allowed(caller)
    time.now += 60_000
    for (let request = 0; request < 3; request++) assert.ok(allowed('ann'))
    allowed('bob')
    assert.ok(!allowed('ann'))
  })

  test('keeps a caller in the window while others come', () => {
    const time = { now: 0 }
    const window = new SlidingWindow({ limit: 1, windowMs: 1000, clock: () => time.now })
    assert.ok(window.take('ann').allowed)
    time.now = 999
    for (let caller = 0; caller < 100; caller++) window.take(`late ${caller}`)
    assert.ok(!window.take('ann').allowed)
    time.now = 1000
    assert.ok(window.take('ann').allowed)
  })

  test('a clock that is set back does not lock callers out', () => {
    const { window, time } = makeWindow()
    for (let request = 0; request < 4; request++) window.take('ann')
    time.now -= 3_600_000
    assert.equal(window.take('ann').allowed, true)
  })
})
