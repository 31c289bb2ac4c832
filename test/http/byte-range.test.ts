import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { byteRange } from '../../src/http/byte-range.ts'

/** Ranges of a file of ten bytes: the header, and the bytes that are sent. */
const RANGES: readonly (readonly [header: string | undefined, expected: string])[] = [
  ['bytes=0-0', '0-0'],
  ['bytes=5-5', '5-5'],
  ['bytes=0-', '0-9'],
  ['bytes=-1', '9-9'],
  ['bytes=-10', '0-9'],
  ['bytes=-99', '0-9'],
  ['bytes=9-', '9-9'],
  ['bytes=0-999', '0-9'],
  ['bytes=3-99999999999999999999999999', '3-9'],
  ['Bytes=2-3', '2-3'],
  ['bytes= 2-3', '2-3'],
  ['bytes=10-', 'none'],
  ['bytes=10-10', 'none'],
  ['bytes=99999999999999999999999999-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=10-12,-0', 'none'],
  ['bytes=5-2', 'whole'],
  ['bytes=0-1,5-2', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=1-b', 'whole'],
  ['bytes=+1-2', 'whole'],
  ['bytes=1.0-2', 'whole'],
  ['bytes=1--2', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=--1', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=,', 'whole'],
  ['bytes', 'whole'],
  ['bytes 0-1', 'whole'],
  ['', 'whole'],
  [undefined, 'whole'],
  ['items=0-1', 'whole'],
  ['bytes=0-1,2-4', '0-4'],
  ['bytes=2-4 , 0-1', '0-4'],
  ['bytes=,0-1,,2-4,', '0-4'],
  ['bytes=0-9,2-4', '0-9'],
  ['bytes=0-4,2-6,-4', '0-9'],
  ['bytes=0-1,20-30', '0-1'],
  ['bytes=0-1,5-6', 'whole'],
  ['bytes=0-1,-1', 'whole'],
  [`bytes=${'0-0,'.repeat(99)}1-1`, '0-1'],
  [`bytes=${'0-0,'.repeat(100)}1-1`, 'whole'],
]

describe('a range of ten bytes', () => {
  for (const [header, expected] of RANGES) {
    test(`${header?.slice(0, 40)} is ${expected}`, () => {
      const range = byteRange(header, 10)
      assert.equal(typeof range === 'object' ? `${range.start}-${range.end}` : (range ?? 'whole'), expected)
    })
  }
})

describe('an empty file is sent whole', () => {
  for (const header of ['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=-0']) {
    test(header, () => assert.equal(byteRange(header, 0), undefined))
  }
})
