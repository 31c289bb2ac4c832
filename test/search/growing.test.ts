import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { roomFor } from '../../src/search/growing.ts'

/** More items than an array has that is copied as it grows. */
const MANY = 1 << 22

describe('an array that grows', () => {
  for (const begun of [new Int32Array(4), new Uint16Array(4), new Uint8Array(4), new Float64Array(4)]) {
    test(`keeps its items and its kind (${begun.constructor.name})`, () => {
      let array: typeof begun = begun
      for (let index = 0; index < MANY; index++) {
        array = roomFor(array, index)
        array[index] = index % 251
      }
      assert.equal(array.constructor, begun.constructor)
      assert.equal(
        array.findIndex((item, index) => item !== (index < MANY ? index % 251 : 0)),
        -1,
      )
    })
  }

  test('is not copied once it is large', () => {
    const large = roomFor(new Int32Array(64), MANY)
    const larger = roomFor(large, 4 * MANY)
    assert.equal(larger.buffer, large.buffer)
    assert.equal(roomFor(larger, 4 * MANY), larger)
  })
})
