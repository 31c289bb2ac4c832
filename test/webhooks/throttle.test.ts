import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RequestPace } from '../../src/util/traffic.ts'
import { Throttle } from '../../src/webhooks/delivery-buffer.ts'
import { fakeTime } from '../helpers/time.ts'
import { delivering, makeTag } from './delivering.ts'

/** Number of attempts that start in the given milliseconds of constant requests. */
function begunIn(milliseconds: number, backlog: number, requests = 1): number {
  const { clock, advance } = fakeTime(0)
  const traffic = new RequestPace(clock)
  for (let count = 0; count < 8 * requests; count++) traffic.note()
  const throttle = new Throttle({ clock, traffic })
  let begun = 0
  for (let passed = 0; passed < milliseconds; passed++) {
    advance(1)
    for (let count = 0; count < requests; count++) traffic.note()
    for (; begun < 1_000_000 && throttle.delay(() => backlog) === 0; begun++) throttle.takeToken()
  }
  return begun
}

describe('the throttle', () => {
  test('limits attempts while requests arrive', () => {
    const begun = begunIn(10_000, 0)
    assert.ok(begun >= 1000 && begun <= 1010, `${begun} in ten seconds`)
  })

  test('raises its rate with the backlog, so that no event waits long', () => {
    const begun = begunIn(10_000, 120_000)
    assert.ok(begun >= 19_000 && begun <= 20_010, `${begun} in ten seconds`)
  })

  test('does not limit attempts without requests', () => {
    assert.equal(begunIn(1, 0, 0), 1_000_000)
  })

  test('returns the delay of the next attempt', () => {
    const { clock, advance } = fakeTime(0)
    const traffic = new RequestPace(clock)
    for (let count = 0; count < 8; count++) traffic.note()
    const throttle = new Throttle({ clock, traffic })
    for (let count = 0; count < 2; count++) throttle.takeToken()
    assert.equal(
      throttle.delay(() => 0),
      10,
    )
    advance(10)
    assert.equal(
      throttle.delay(() => 0),
      0,
    )
  })
})

test('deliveries are slow while requests arrive, and complete afterwards', () =>
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

test('a first attempt does not wait for a retry', () =>
  delivering([500, 200], async ({ app, receiver, worker, pass }) => {
    await makeTag(app)
    await worker.idle()
    for (let count = 0; count < 8; count++) app.app.traffic.note()
    for (let count = 0; count < 10; count++) await makeTag(app)
    await worker.idle()
    assert.equal(receiver.received.length, 2, 'the first, and one with a token')
    // No more requests arrive, and the retry is due in four seconds or more.
    for (let tenths = 0; tenths < 5; tenths++) await pass(100)
    assert.equal(receiver.received.length, 11)
    assert.equal(await app.app.webhooks.depth(), 1)
  }))

test('while requests arrive no timer fires before a retry is due', () =>
  delivering([500], async ({ app, worker }) => {
    await makeTag(app)
    await worker.idle()
    for (let count = 0; count < 8; count++) app.app.traffic.note()
    await makeTag(app)
    await worker.idle()
    const [soonest = 0] = app.time.waits()
    assert.ok(soonest >= 4000, `a timer fires in ${soonest} ms`)
  }))
