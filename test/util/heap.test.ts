import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Heap } from '../../src/util/heap.ts'

/** Numbers in no order, the same each time, some of them equal. */
const shuffled = (count: number): number[] => Array.from({ length: count }, (_, index) => (index * 7919) % (count - 3))
const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

function takeAll(heap: Heap<number>): number[] {
  const taken: number[] = []
  for (let next = heap.take(); next !== undefined; next = heap.take()) taken.push(next)
  return taken
}

describe('a heap', () => {
  for (const count of [4, 5, 8, 100, 1000]) {
    test(`gives ${count} things in order, however they came`, () => {
      const numbers = shuffled(count)
      const [added, replaced] = [new Heap<number>((a, b) => a - b), new Heap<number>((a, b) => a - b)]
      for (const number of numbers) added.add(number)
      replaced.add(-1)
      replaced.replaceAll(numbers)
      assert.deepEqual([added.first, added.size], [0, count])
      assert.deepEqual(takeAll(added), inOrder(numbers))
      assert.deepEqual(takeAll(replaced), inOrder(numbers))
      assert.deepEqual([added.first, added.size], [undefined, 0])
    })
  }

  test('stays in order when one is removed from anywhere', () => {
    const numbers = Array.from({ length: 50 }, (_, index) => (index * 37) % 50)
    for (const wanted of numbers) {
      const heap = new Heap<number>((a, b) => a - b)
      heap.replaceAll(numbers)
      assert.equal(
        heap.remove((each) => each === wanted),
        wanted,
      )
      assert.equal(
        heap.remove((each) => each === wanted),
        undefined,
      )
      assert.deepEqual(
        takeAll(heap),
        inOrder(numbers).filter((each) => each !== wanted),
      )
    }
  })

  test('compares about as often as things double: 50,000 cost no square', () => {
    const COUNT = 50_000
    let compared = 0
    const heap = new Heap<number>((a, b) => {
      compared++
      return a - b
    })
    const countOf = (work: () => void): number => {
      compared = 0
      work()
      return compared / COUNT
    }
    const descending = Array.from({ length: COUNT }, (_, index) => COUNT - index)
    const each = {
      replaced: countOf(() => heap.replaceAll(descending)),
      taken: countOf(() => takeAll(heap)),
      added: countOf(() => {
        for (const number of descending) heap.add(number)
      }),
    }
    const log = Math.log2(COUNT)
    assert.ok(each.replaced <= 2, `${each.replaced} each when all are replaced`)
    assert.ok(each.taken <= 2 * log, `${each.taken} each when they are taken`)
    assert.ok(each.added <= log, `${each.added} each when they are added`)
  })
})
