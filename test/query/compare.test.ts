import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { comparer, compareValues } from '../../src/query/match.ts'
import type { SortKey } from '../../src/query/plan.ts'
import type { Json } from '../../src/util/json.ts'

function sorted(values: readonly Json[], order: SortKey['order']): Json[] {
  const records = values.map((value, index) => ({ id: index + 1, a: value }))
  return records.sort(comparer([{ field: 'a', order }])).map(({ a }) => a)
}

describe('one key: ascending has nulls last, descending has them first', () => {
  const rows: readonly (readonly Json[])[] = [
    [-1, 0, 1.5, 10, null],
    ['', 'A', 'B', 'a', 'aa', 'b', 'é', null],
    ['2023-12-31', '2024-01-01', null],
    [false, true, null],
    [null],
  ]
  for (const ascending of rows) {
    test(JSON.stringify(ascending), () => {
      const descending = [...ascending].reverse()
      assert.deepEqual(sorted(descending, 'asc'), ascending)
      assert.deepEqual(sorted(ascending, 'desc'), descending)
    })
  }
})

describe('ties end in ascending id', () => {
  const records = [
    { id: 4, a: 1, b: 'x' },
    { id: 2, a: 1, b: 'y' },
    { id: 3, a: 1, b: 'x' },
    { id: 1, a: null, b: 'x' },
    { id: 5, b: 'x' },
  ]
  const rows: readonly (readonly [string, readonly SortKey[], number[]])[] = [
    ['no key', [], [1, 2, 3, 4, 5]],
    ['ascending', [{ field: 'a', order: 'asc' }], [2, 3, 4, 1, 5]],
    ['descending', [{ field: 'a', order: 'desc' }], [1, 5, 2, 3, 4]],
    [
      'two keys',
      [
        { field: 'a', order: 'asc' },
        { field: 'b', order: 'desc' },
      ],
      [2, 3, 4, 1, 5],
    ],
    [
      'two keys the other way',
      [
        { field: 'b', order: 'asc' },
        { field: 'a', order: 'desc' },
      ],
      [1, 5, 3, 4, 2],
    ],
    ['id descending', [{ field: 'id', order: 'desc' }], [5, 4, 3, 2, 1]],
    ['a field that nobody has', [{ field: 'c', order: 'desc' }], [1, 2, 3, 4, 5]],
  ]
  for (const [name, sort, ids] of rows) {
    test(name, () => {
      const order = [...records].sort(comparer(sort)).map(({ id }) => id)
      assert.deepEqual(order, ids)
    })
  }
})

test('two values are equal only to themselves', () => {
  assert.deepEqual([compareValues(null, null), compareValues('a', 'a'), compareValues(0, 0)], [0, 0, 0])
  assert.deepEqual([compareValues(null, 0), compareValues(0, null)].map(Math.sign), [1, -1])
  assert.deepEqual([compareValues(1, 2), compareValues(2, 1)], [-1, 1])
})

test('values of different types have an order too, and lists are all alike', () => {
  const inOrder = [['a'], false, true, -1, 7, '', 'a', null]
  for (const [place, value] of inOrder.entries()) {
    for (const [otherPlace, other] of inOrder.entries()) {
      assert.equal(Math.sign(compareValues(value, other)), Math.sign(place - otherPlace), JSON.stringify([value, other]))
    }
  }
  assert.equal(compareValues(['a'], { b: 1 }), 0)
})
