import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WeakCache } from '../../src/util/weak-cache.ts'

test('a WeakCache keeps at least the latest entries, and drops those older than two generations', () => {
  const keys = Array.from({ length: 12 }, (_, index) => ({ index }))
  const lately = new WeakCache<object, number>(4)
  for (const key of keys) lately.set(key, key.index)
  const known = keys.map((key) => lately.get(key))
  assert.deepEqual(known.slice(8), [8, 9, 10, 11])
  assert.deepEqual(known.slice(0, 4), [undefined, undefined, undefined, undefined])
})
