import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Buckets } from '../../../../src/store/embedded/tables/buckets.ts'

class NoMemory {
  constructor() {
    throw new RangeError('Array buffer allocation failed')
  }
}

test('rows that a bitmap has no memory for are in it after the next read', (t) => {
  const values = Array.from({ length: 1000 }, (_, row) => [row, row] as const)
  const buckets = new Buckets(() => values, values.length, values.length)
  const row = 1_000_000
  buckets.add(row, 0, false)
  t.mock.method(globalThis, 'Uint32Array', NoMemory)
  assert.throws(() => buckets.before(1), RangeError)
  t.mock.restoreAll()
  assert.equal(buckets.before(1)?.has(row), true)
})
