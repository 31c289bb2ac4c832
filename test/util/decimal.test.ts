import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { canonicalDecimal, DecimalSum, decimalKey, decimalQuotient } from '../../src/util/decimal.ts'
import { mulberry32 } from '../bench/data/random.ts'

const VALUES = 10_000
const PLACES = 12

const random = mulberry32(2024)
const upTo = (end: number): number => Math.floor(random() * end)

/** A numeral of up to 40 digits; many have the same integer part, or differ in length alone. */
function randomNumeral(): string {
  const digits = (count: number) => Array.from({ length: count }, () => upTo(10)).join('')
  const sign = ['', '-'][upTo(2)]
  const integer = [digits(1 + upTo(28)), '7', '10', '99'][upTo(4)]
  const fraction = upTo(3) === 0 ? '' : `.${digits(1 + upTo(PLACES))}`
  return canonicalDecimal(`${sign}${integer}${fraction}`) ?? assert.fail()
}

/** The number times 10^PLACES. */
function scaled(numeral: string): bigint {
  const [integer = '', fraction = ''] = numeral.split('.')
  return BigInt(integer + fraction.padEnd(PLACES, '0'))
}

const numerals = Array.from({ length: VALUES }, randomNumeral)

test('ten thousand numerals are ordered by their keys as their numbers are', () => {
  const byKey = [...numerals].sort((a, b) => (decimalKey(a) < decimalKey(b) ? -1 : 1))
  for (const [index, numeral] of byKey.entries()) {
    const next = byKey[index + 1]
    if (next !== undefined) assert.ok(scaled(numeral) <= scaled(next), `${numeral} before ${next}`)
    if (next !== undefined && scaled(numeral) === scaled(next)) assert.equal(numeral, next)
  }
})

test('the sum of ten thousand numerals is exact', () => {
  const sum = new DecimalSum()
  let expected = 0n
  for (const numeral of numerals) {
    sum.add(numeral)
    expected += scaled(numeral)
    assert.equal(scaled(sum.value), expected)
  }
  assert.equal(canonicalDecimal(sum.value), sum.value)
})

describe('a quotient', () => {
  const rows: readonly (readonly [string, number, number, string])[] = [
    ['10', 4, 2, '2.5'],
    ['10', 3, 4, '3.3333'],
    ['-10', 3, 4, '-3.3333'],
    ['2', 3, 2, '0.67'],
    ['-0.05', 2, 0, '-0.03'],
    ['0.1', 3, 0, '0'],
    ['0', 7, 6, '0'],
  ]
  for (const [numeral, count, places, expected] of rows) {
    test(`${numeral} / ${count} is ${expected}`, () => assert.equal(decimalQuotient(numeral, count, places), expected))
  }
})
