import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Buckets } from '../../../../src/store/embedded/tables/buckets.ts'
import type { Json } from '../../../../src/util/json.ts'

class NoMemory {
  constructor() {
    throw new RangeError('Array buffer allocation failed')
  }
}

test('rows that a bitmap has no memory for are in it after the next read', (t) => {
  const values = Array.from({ length: 1000 }, (_, row) => [row, row] as const)
  const buckets = new Buckets(() => values, values.length, values.length)
  buckets.divide(Number.POSITIVE_INFINITY)
  const row = 1_000_000
  buckets.add(row, 0, false)
  t.mock.method(globalThis, 'Uint32Array', NoMemory)
  assert.throws(() => buckets.before(1), RangeError)
  t.mock.restoreAll()
  assert.equal(buckets.before(1)?.has(row), true)
})

test('bitmaps do not all grow when the first row is added', () => {
  const values = Array.from({ length: 40_000 }, (_, row) => [row, row] as const)
  const buckets = new Buckets(() => values, values.length, values.length)
  buckets.divide(Number.POSITIVE_INFINITY)
  const lengths = () => Array.from({ length: buckets.count - 1 }, (_, bound) => buckets.before(bound + 1)?.words.length)
  const before = lengths()
  for (let row = values.length; row < values.length + 100; row++) buckets.add(row, 0, false)
  assert.equal(buckets.before(1)?.has(values.length + 99), true)
  assert.deepEqual(lengths(), before)
  assert.ok(new Set(before).size > 100, 'Each has a length of its own')
})

test('values may come and go while others are divided', () => {
  const values = new Map(Array.from({ length: 1000 }, (_, row) => [2 * row, row]))
  const inOrder = (from: Json | undefined) =>
    [...values].sort(([a], [b]) => a - b).filter(([value]) => typeof from !== 'number' || value >= from)
  const buckets = new Buckets(inOrder, values.size, 2000)
  for (let step = 0; step < 20; step++) {
    buckets.divide(50)
    for (const [value, row] of [
      [20 * step + 1, 1000 + step],
      [1999 - 20 * step, 1100 + step],
    ] as const) {
      values.set(value, row)
      buckets.add(row, value, true)
    }
    for (const value of [20 * step, 1900 - 20 * step]) {
      const row = values.get(value) ?? 0
      values.delete(value)
      buckets.remove(row, value, true)
    }
  }
  assert.equal(buckets.areComplete, false)
  buckets.divide(Number.POSITIVE_INFINITY)
  assert.equal(buckets.areComplete, true)
  assert.equal(buckets.sizeOf(0, buckets.count - 1), values.size)
  for (let bucket = 1; bucket < buckets.count; bucket++) {
    const rows = [...values].filter(([value]) => value < Number(buckets.startOf(bucket))).map(([, row]) => row)
    assert.deepEqual(
      buckets.before(bucket)?.array(),
      rows.sort((a, b) => a - b),
    )
  }
})
