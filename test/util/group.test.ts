import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupBy } from '../../src/util/json.ts'

test('groups items by key, in order', () => {
  assert.deepEqual(
    [...groupBy([1, 2, 3, 4, 5], (number) => number % 2)],
    [
      [1, [1, 3, 5]],
      [0, [2, 4]],
    ],
  )
  assert.equal(groupBy([], String).size, 0)
})
