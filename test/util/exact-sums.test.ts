import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DoubleSum, IntegerSum, nearestDouble } from '../../src/util/decimal.ts'
import { mulberry32 } from '../bench/data/random.ts'

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
  // Partial sums are greater than every double.
  assert.equal(sumOf([1e308, 1e308, -1e308]), 1e308)
  assert.equal(sumOf([-1e308, -1e308, 1e308, 1e308, 5e-324]), 5e-324)
  assert.equal(sumOf([1e308, 1e308, -1e308, -1e308, 0.1, 0.2, -0.3]), sumOf([0.1, 0.2, -0.3]))
  assert.equal(sumOf([1e308, 1e308]), Number.POSITIVE_INFINITY)
  assert.equal(sumOf([Number.MAX_VALUE, 2 ** 970]), Number.POSITIVE_INFINITY)
  assert.equal(sumOf([Number.MAX_VALUE, 2 ** 969]), Number.MAX_VALUE)
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

test('sums of numbers of every size equal those of fractions', () => {
  const random = mulberry32(11)
  for (let round = 0; round < 200; round++) {
    const numbers = Array.from({ length: 20 }, () => (random() - 0.5) * 2 ** Math.floor(random() * 2090 - 1070))
    const expected = nearestDouble(numbers.reduce((sum, each) => sum + unitsOf(each), 0n))
    assert.equal(sumOf(numbers), expected)
    assert.equal(sumOf(numbers.toReversed()), expected)
  }
})

/** A double as a multiple of 2 ** -1074, by its bits. */
function unitsOf(number: number): bigint {
  const bits = new DataView(new Float64Array([number]).buffer).getBigUint64(0, true)
  const exponent = (bits >> 52n) & 2047n
  const fraction = bits & ((1n << 52n) - 1n)
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
  return number < 0 ? -size : size
}

test('sums of integers are exact beyond those of doubles', () => {
  const max = Number.MAX_SAFE_INTEGER
  const sum = new IntegerSum()
  for (const integer of [max, max, -3, max, 2, -max]) sum.add(integer)
  assert.equal(sum.value, 2n * BigInt(max) - 1n)
})
