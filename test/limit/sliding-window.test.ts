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
  test('counts down, and says when there is room again', () => {
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

  test('no stretch of a minute ever holds more than the limit, however requests are spread', () => {
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
