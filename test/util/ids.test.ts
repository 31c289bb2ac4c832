import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemRandom, uniqueId } from '../../src/util/ids.ts'
import { valuesOf } from '../helpers/values-of.ts'

describe('ids', () => {
  test('encode their random bytes as base64url', () => {
    const asked: number[] = []
    const id = uniqueId((bytes) => {
      asked.push(bytes)
      return Buffer.alloc(bytes, 0xff)
    })
    assert.equal(id, '_____________________w')
    assert.deepEqual(asked, [16])
  })

  test('do not repeat', () => {
    const ids = Array.from({ length: 1000 }, () => uniqueId(systemRandom))
    assert.equal(new Set(ids).size, 1000)
    for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{22}$/)
  })

  test('share no byte, however many they are', () => {
    const sizes = [16, 4090, 16, 5000, 1, ...Array.from({ length: 600 }, () => 16)]
    const taken = sizes.map(systemRandom)
    assert.deepEqual(valuesOf(taken, 'length'), sizes)
    for (const bytes of taken) bytes.fill(0)
    for (const bytes of taken) {
      assert.ok(bytes.every((byte) => byte === 0))
      bytes.fill(1)
    }
  })
})
