import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  chunkOf,
  eachPlace,
  letterSignature,
  maxDifference,
  type Place,
  placesText,
} from '../../../../src/store/postgres/search/places.ts'
import { integer, mulberry32, pick } from '../../../bench/data/random.ts'
import { distanceOf, makeWords, misspelt } from '../../../search/brute-force.ts'

const random = mulberry32(3)

const read = (chunk: number, text: string): Place[] => {
  const places: Place[] = []
  eachPlace(chunk, text, (id, field, times, length) => places.push({ id, field, times, length }))
  return places
}

describe('the places of a word in a chunk', () => {
  test('are read as they were written', () => {
    const places = [
      { id: 4096, field: 0, times: 1, length: 1 },
      { id: 4096, field: 200, times: 4, length: 65_535 },
      { id: 4223, field: 3, times: 2, length: 127 },
      { id: 6143, field: 0, times: 3, length: 128 },
    ]
    assert.deepEqual(read(2, placesText(places)), places)
    assert.deepEqual(read(2, placesText([])), [])
  })

  test('are of 2,048 ids, also of the highest', () => {
    assert.deepEqual([0, 2047, 2048, 4095].map(chunkOf), [0, 0, 1, 1])
    const place = { id: Number.MAX_SAFE_INTEGER, field: 1, times: 1, length: 5 }
    assert.deepEqual(read(chunkOf(place.id), placesText([place])), [place])
  })

  test('are read as they were written, whatever they are', () => {
    for (let round = 0; round < 200; round++) {
      const ids = new Set(Array.from({ length: integer(random, 1, 60) }, () => integer(random, 2048, 4095)))
      const places = [...ids]
        .sort((a, b) => a - b)
        .map((id) => ({ id, field: integer(random, 0, 9), times: integer(random, 1, 4), length: integer(random, 1, 70_000) }))
      assert.deepEqual(read(1, placesText(places)), places)
    }
  })
})

const bits = (value: bigint): number => BigInt.asUintN(64, value).toString(2).replaceAll('0', '').length

describe('the signature of a word', () => {
  test('differs in at most two bits for each edit', () => {
    const words = makeWords(random, 500)
    let differences = 0
    for (let round = 0; round < 3000; round++) {
      const word = pick(random, words)
      const other = misspelt(random, word)
      const difference = bits(letterSignature(word) ^ letterSignature(other))
      assert.ok(difference <= maxDifference(distanceOf(word, other)), `${word} ${other}: ${difference}`)
      differences += difference
    }
    assert.ok(differences > 1000, `${differences} different bits`)
  })

  test('fits into 64 bits with a sign', () => {
    for (const word of ['', 'a', 'zz', '東京', '0123456789'.repeat(6), 'abcdefghijklmnopqrstuvwxyz'.repeat(2)]) {
      assert.equal(BigInt.asIntN(64, letterSignature(word)), letterSignature(word), word)
    }
  })
})
