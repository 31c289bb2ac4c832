import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKeptExactly } from '../../../src/util/numbers/numeral.ts'

const KEPT = [
  '0',
  '-0',
  '0.0',
  '0e999',
  '1',
  '-1.5',
  '0.1',
  '1e300',
  '1.7976931348623157e308',
  '5e-324',
  '3.14159265358979323846',
]
const WHOLE = ['9007199254740991', '-9007199254740991', '9007199254740992', '9007199254740994', '1000000000000000000000', '+7']
const LOST = [
  '1e999',
  '-1e999',
  '1e309',
  '1e-400',
  `0.${'0'.repeat(400)}1`,
  '9007199254740993',
  '-9007199254740993',
  '+9007199254740993',
]
const LONG = ['9'.repeat(309), '9'.repeat(1_000_000), '123456789012345678901234567890']

for (const [expected, numerals] of [
  [true, [...KEPT, ...WHOLE]],
  [false, [...LOST, ...LONG]],
] as const) {
  for (const numeral of numerals) {
    test(`${numeral.slice(0, 40)} is ${expected ? '' : 'not '}kept exactly`, () => assert.equal(isKeptExactly(numeral), expected))
  }
}
