import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DoubleSum, IntegerSum } from '../../../src/util/numbers/exact-sums.ts'
import { mulberry32 } from '../../bench/data/random.ts'

const sumOf = (numbers: readonly number[]): number => {
  const sum = new DoubleSum()
  for (const number of numbers) sum.add(number)
  return sum.value
}

test('sums are rounded once', () => {
  assert.equal(sumOf([]), 0)
  assert.equal(sumOf(Array(10).fill(0.1)), 1)
  assert.equal(sumOf([1e16, 1, -1e16]), 1)
  assert.equal(sumOf([1e308, 1, -1e308]), 1)
  assert.equal(sumOf([1, 1e100, 1, -1e100]), 2)
  // Halfway between two doubles, and just above.
  assert.equal(sumOf([2 ** 53, 1]), 2 ** 53)
  assert.equal(sumOf([2 ** 53, 1, 2 ** -60]), 2 ** 53 + 2)
})

test('sums of fractions equal those of whole numbers, in any order', () => {
  const random = mulberry32(7)
  for (let round = 0; round < 200; round++) {
    // Multiples of 2^-20 below 2^40, whose exact sum a BigInt holds.
    const wholes = Array.from({ length: 50 }, () => Math.floor((random() - 0.5) * 2 ** 52))
    const expected = Number(wholes.reduce((sum, each) => sum + BigInt(each), 0n)) / 2 ** 20
    const numbers = wholes.map((each) => each / 2 ** 20)
    assert.equal(sumOf(numbers), expected)
    assert.equal(sumOf(numbers.toReversed()), expected)
  }
})

test('sums of integers are exact beyond those of doubles', () => {
  const max = Number.MAX_SAFE_INTEGER
  const sum = new IntegerSum()
  for (const integer of [max, max, -3, max, 2, -max]) sum.add(integer)
  assert.equal(sum.value, 2n * BigInt(max) - 1n)
})
