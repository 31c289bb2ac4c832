import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Traffic } from '../../src/util/traffic.ts'
import { Throttle } from '../../src/webhooks/throttle.ts'
import { fakeTime } from '../helpers/time.ts'
import { delivering, makeTag } from './delivering.ts'

/** How many attempts begin in so many milliseconds in which requests come without a pause. */
function begunIn(milliseconds: number, backlog: number, requests = 1): number {
  const { clock, advance } = fakeTime(0)
  const traffic = new Traffic(clock)
  for (let count = 0; count < 8 * requests; count++) traffic.note()
  const pace = new Throttle({ clock, traffic })
  let begun = 0
  for (let passed = 0; passed < milliseconds; passed++) {
    advance(1)
    for (let count = 0; count < requests; count++) traffic.note()
    for (; begun < 1_000_000 && pace.delay(() => backlog) === 0; begun++) pace.takeToken()
  }
  return begun
}

describe('the pace of attempts', () => {
  test('is held while requests come', () => {
    const begun = begunIn(10_000, 0)
    assert.ok(begun >= 1000 && begun <= 1010, `${begun} in ten seconds`)
  })

  test('grows with what waits, so that nothing waits for long', () => {
    const begun = begunIn(10_000, 120_000)
    assert.ok(begun >= 19_000 && begun <= 20_010, `${begun} in ten seconds`)
  })

  test('is free when none come', () => {
    assert.equal(begunIn(1, 0, 0), 1_000_000)
  })

  test('what has to wait is told for how long', () => {
    const { clock, advance } = fakeTime(0)
    const traffic = new Traffic(clock)
    for (let count = 0; count < 8; count++) traffic.note()
    const pace = new Throttle({ clock, traffic })
    for (let count = 0; count < 2; count++) pace.takeToken()
    assert.equal(
      pace.delay(() => 0),
      10,
    )
    advance(10)
    assert.equal(
      pace.delay(() => 0),
      0,
    )
  })
})

test('while requests come receivers are told slowly, and all of it once there are none', () =>
  delivering([200], async ({ app, receiver, worker, pass }) => {
    const busy = () => {
      for (let count = 0; count < 8; count++) app.app.traffic.note()
    }
    busy()
    for (let count = 0; count < 10; count++) await makeTag(app)
    await worker.idle()
    assert.equal(receiver.received.length, 2)
    for (let count = 0; count < 3; count++) {
      busy()
      await pass(10)
    }
    assert.equal(receiver.received.length, 5)
    await pass(200)
    assert.equal(receiver.received.length, 10)
  }))

test('what was never tried does not wait for what is to be tried again', () =>
  delivering([500, 200], async ({ app, receiver, worker, pass }) => {
    await makeTag(app)
    await worker.idle()
    for (let count = 0; count < 8; count++) app.app.traffic.note()
    for (let count = 0; count < 10; count++) await makeTag(app)
    await worker.idle()
    assert.equal(receiver.received.length, 2, 'the first, and one for which there was credit')
    // Nothing comes any more, and the retry is four seconds away at least.
    for (let tenths = 0; tenths < 5; tenths++) await pass(100)
    assert.equal(receiver.received.length, 11)
    assert.equal(await app.app.webhooks.depth(), 1)
  }))

test('while requests come nobody looks for a retry before it is due', () =>
  delivering([500], async ({ app, worker }) => {
    await makeTag(app)
    await worker.idle()
    for (let count = 0; count < 8; count++) app.app.traffic.note()
    await makeTag(app)
    await worker.idle()
    const [soonest = 0] = app.time.waits()
    assert.ok(soonest >= 4000, `somebody looks in ${soonest} ms`)
  }))
