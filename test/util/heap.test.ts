import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNearlyFull, systemHeap } from '../../src/util/heap.ts'

const MIB = 2 ** 20

test('a heap is nearly full from 85 %, a small one when 64 MiB are left', () => {
  for (const [used, limit, expected] of [
    [0, 4096, false],
    [3481, 4096, false],
    [3482, 4096, true],
    [63, 128, false],
    [64, 128, true],
    [10, 32, true],
  ] as const) {
    assert.equal(isNearlyFull({ used: used * MIB, limit: limit * MIB }), expected, `${used} of ${limit} MiB`)
  }
})

test('the heap of this process counts what is reachable, and no garbage', () => {
  const heap = systemHeap()
  let texts = Array.from({ length: 80 }, (_, index) => Buffer.alloc(MIB / 2, 97 + (index % 26)).toString('latin1'))
  heap.collect()
  const { used, limit } = heap.use()
  assert.ok(used > 40 * MIB && used < limit)
  assert.ok(texts.every((text) => text.length === MIB / 2))
  texts = []
  heap.collect()
  assert.ok(used - heap.use().used > 30 * MIB)
})
