import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isKeptExactly, isShortest } from '../../src/util/numeral.ts'

/** All digits of the double that is written 0.1. */
const TENTH = '0.1000000000000000055511151231257827021181583404541015625'

/** All digits of the least double. */
const LEAST = `${5n ** 1074n}e-1074`

const SHORTEST = [
  ...['0', '-0', '0.0', '0e999', '1', '-1.5', '0.1', '0.30000000000000004', '+7', '12.50', '.5', '5.', '000.5'],
  ...['1e300', '1.7976931348623157e308', '5e-324', '9007199254740991', '-9007199254740991', '9007199254740992'],
  ...['1e21', '1e+21', '1E21', '10e20', '1000000000000000000000', '1e23', '100e-2', '1.0', '1E3', '0.001e3'],
  ...['1234567890123456800', '-1152921504606847000', '1.1529215046068470e18'],
]
const EXACT = ['1152921504606846976', '99999999999999991611392', TENTH, `-${TENTH}000`, LEAST]
const APPROXIMATE = ['1.2345678901234567e18', '-12345.678901234567E14']
const LOST = [
  ...['1e999', '-1e999', '1e309', '1e-400', `0.${'0'.repeat(400)}1`, '2e-324', '1e-999999999999'],
  ...['9007199254740993', '-9007199254740993', '+9007199254740993', '9007199254740993.0', '9007199254740993e0'],
  ...['1234567890123456700', '1152921504606846977', '1.00000000000000001', '0.99999999999999999999', '9007199254740990.9'],
  ...['3.14159265358979323846', '0.10000000000000001', '1.234567890123456789e18', TENTH.replace(/5$/, '4'), '4e-324'],
  ...['9'.repeat(309), '9'.repeat(1_000_000), `0.${'9'.repeat(1_000_000)}`, '123456789012345678901234567890', '1e'],
]

const name = (numeral: string): string =>
  numeral.length > 60 ? `${numeral.slice(0, 60)}… (${numeral.length} characters)` : numeral

describe('a double keeps', () => {
  for (const numeral of [...SHORTEST, ...EXACT, ...APPROXIMATE]) {
    test(name(numeral), () => assert.equal(isKeptExactly(numeral), true))
  }
  for (const numeral of LOST) test(`not ${name(numeral)}`, () => assert.equal(isKeptExactly(numeral), false))
})

describe('the shortest digits of a double are those of', () => {
  for (const numeral of SHORTEST) test(numeral, () => assert.equal(isShortest(numeral), true))
  for (const numeral of [...EXACT, ...APPROXIMATE]) test(`not ${name(numeral)}`, () => assert.equal(isShortest(numeral), false))
})

test('a double keeps the digits that JavaScript writes for it, and all that it has', () => {
  const bits = new DataView(new ArrayBuffer(8))
  let state = 2463534242n
  for (let count = 0; count < 20_000; count++) {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n
    bits.setBigUint64(0, state)
    const double = bits.getFloat64(0)
    if (!Number.isFinite(double)) continue
    for (const text of [String(double), double.toExponential()]) assert.ok(isShortest(text) && isKeptExactly(text), text)
    if (Math.abs(double) > 1) assert.ok(isKeptExactly(String(BigInt(Math.trunc(double)))), `the integer of ${double}`)
    // Ten places behind the point are those of multiples of 2^-10.
    const tenPlaces = (Math.trunc((double % 2 ** 40) * 1024) / 1024).toFixed(10)
    assert.ok(isKeptExactly(tenPlaces), tenPlaces)
  }
})
