import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InFlightRequests } from '../../../src/http/request-gate.ts'
import type { Response } from '../../../src/http/response.ts'
import { mulberry32 } from '../../bench/data/random.ts'

test('contains the responses that were added and not deleted, in any order', () => {
  const random = mulberry32(11)
  const underWay = new InFlightRequests()
  const expected: Response[] = []
  for (let step = 0; step < 2000; step++) {
    if (random() < 0.5 || expected.length === 0) {
      const response = { place: -1 } as Response
      underWay.add(response)
      expected.push(response)
    } else {
      const [gone] = expected.splice(Math.floor(random() * expected.length), 1)
      if (gone !== undefined) for (let time = 0; time < 2; time++) underWay.delete(gone)
    }
    assert.equal(underWay.size, expected.length)
    assert.deepEqual(new Set(underWay), new Set(expected))
  }
})
