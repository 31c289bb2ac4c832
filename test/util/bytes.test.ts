import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatBytes, parseBytes } from '../../src/util/bytes.ts'

describe('parseBytes', () => {
  const sizes: readonly (readonly [unknown, number | undefined])[] = [
    [0, 0],
    [1024, 1024],
    ['1024', 1024],
    ['8 MiB', 8 * 2 ** 20],
    ['8MiB', 8 * 2 ** 20],
    ['1.5 KiB', 1536],
    ['0.001 KiB', 1],
    ['1 GiB', 2 ** 30],
    [1.5, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [2 ** 53, undefined],
    ['9999999 GiB', undefined],
    ['1.5', undefined],
    ['', undefined],
    [' 8 MiB', undefined],
    ['8  MiB', undefined],
    ['8 MB', undefined],
    ['8 mib', undefined],
    ['8 TiB', undefined],
    ['-8 MiB', undefined],
    ['MiB', undefined],
    [null, undefined],
    [true, undefined],
    [[8], undefined],
  ]
  for (const [given, expected] of sizes) {
    test(`${typeof given} ${String(given)} is ${expected}`, () => assert.equal(parseBytes(given), expected))
  }
})

describe('formatBytes', () => {
  const texts: readonly (readonly [number, string])[] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [8 * 2 ** 20, '8 MiB'],
    [10_000_000, '9.53 MiB'],
    [2 ** 30 - 1, '1023.99 MiB'],
    [2 ** 30, '1 GiB'],
    [2 ** 50, '1048576 GiB'],
  ]
  for (const [bytes, expected] of texts) test(`${bytes} is ${expected}`, () => assert.equal(formatBytes(bytes), expected))
})
