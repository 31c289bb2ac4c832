import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MORE_TIMES, Postings, TIMES_BITS } from '../../src/search/postings.ts'
import { integer, mulberry32 } from '../bench/data/random.ts'

function postingsOf(postings: Postings, word: number): number[] {
  const all: number[] = []
  postings.eachRun(word, (numbers, from, to) => all.push(...numbers.subarray(from, to)))
  return all
}

describe('postings', () => {
  test('are stored for each word, in any order and number', () => {
    const random = mulberry32(3)
    const postings = new Postings()
    const expected = new Map<number, number[]>()
    for (let place = 0; place < 60_000; place++) {
      const word = Math.floor(300 * random() ** 4)
      postings.add(word, place)
      expected.set(word, [...(expected.get(word) ?? []), place << TIMES_BITS])
    }
    assert.ok((expected.get(0)?.length ?? 0) > 10_000, 'there is a long list')
    for (const [word, places] of expected) assert.deepEqual(postingsOf(postings, word), places, `word ${word}`)
    assert.deepEqual(postingsOf(postings, 999), [])
  })

  test('count occurrences of a word in a place, up to four', () => {
    const random = mulberry32(4)
    const postings = new Postings()
    const times = Array.from({ length: 50 }, () => integer(random, 1, 7))
    for (const [place, count] of times.entries()) for (let time = 0; time < count; time++) postings.add(1, place)
    const expected = times.map((count, place) => (place << TIMES_BITS) | Math.min(count - 1, MORE_TIMES))
    assert.deepEqual(postingsOf(postings, 1), expected)
  })
})
