import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestPace } from '../../src/util/traffic.ts'
import { fakeTime } from '../helpers/time.ts'

test('traffic is busy at eight requests in a tenth of a second, and idle a moment later', () => {
  const { clock, advance } = fakeTime(0)
  const traffic = new RequestPace(clock)
  assert.equal(traffic.isBusy, false)
  for (let count = 0; count < 7; count++) traffic.note()
  assert.equal(traffic.isBusy, false)
  traffic.note()
  assert.equal(traffic.isBusy, true)
  advance(101)
  assert.equal(traffic.isBusy, false)
  for (let count = 0; count < 20; count++) {
    advance(20)
    traffic.note()
  }
  assert.equal(traffic.isBusy, false, 'fifty a second are not busy')
})
