import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdmissionFilter } from '../../src/util/admission-filter.ts'
import { mulberry32 } from '../bench/data/random.ts'

describe('a doorkeeper', () => {
  test('admits keys seen before', () => {
    const door = new AdmissionFilter()
    assert.deepEqual([door.admits(7), door.admits(8), door.admits(7), door.admits(7)], [false, false, true, true])
  })

  test('soon admits all of few keys', () => {
    const door = new AdmissionFilter()
    const kept = new Set<number>()
    for (let round = 0; round < 5; round++) for (let id = 1; id <= 8000; id++) if (door.admits(id)) kept.add(id)
    assert.equal(kept.size, 8000)
  })

  test('rejects nearly all of many keys, in any order', () => {
    for (const idOf of [(turn: number) => turn % 1_000_000, () => Math.floor(random() * 1_000_000)]) {
      const door = new AdmissionFilter()
      let admitted = 0
      for (let turn = 0; turn < 300_000; turn++) if (door.admits(idOf(turn))) admitted++
      assert.ok(admitted < 15_000, `${admitted} of 300,000 were let in`)
    }
  })
})

const random = mulberry32(5)
