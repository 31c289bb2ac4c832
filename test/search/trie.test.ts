import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EditDistance } from '../../src/search/edit-distance.ts'
import { unitsOf } from '../../src/search/tokens.ts'
import { Trie } from '../../src/search/trie.ts'
import { mulberry32, pick } from '../bench/data/random.ts'
import { distanceOf, makeWords, misspelt } from './brute-force.ts'

const WORDS = ['car', 'cart', 'carter', 'cat', 'c', 'dog', 'do', '東京', '東', 'x'.repeat(64), `${'x'.repeat(63)}y`]

const add = (trie: Trie, word: string): number => trie.add(unitsOf(word), 0, word.length)

function trieOf(words: readonly string[]): Trie {
  const trie = new Trie()
  for (const word of words) add(trie, word)
  return trie
}

describe('a trie', () => {
  test('numbers words in order, each once', () => {
    const trie = new Trie()
    assert.deepEqual(
      WORDS.map((word) => add(trie, word)),
      [...WORDS.keys()],
    )
    assert.deepEqual(
      WORDS.map((word) => add(trie, word)),
      [...WORDS.keys()],
    )
    assert.equal(trie.size, WORDS.length)
  })

  test('knows how words are written, anywhere in a text', () => {
    const trie = trieOf(WORDS)
    for (const [number, word] of WORDS.entries()) {
      assert.ok(trie.spells(number, unitsOf(`a ${word}s`), 2, 2 + word.length), word)
      for (const other of WORDS)
        if (other !== word) assert.ok(!trie.spells(number, unitsOf(other), 0, other.length), `${word}, ${other}`)
    }
  })

  test('finds words by how they begin', () => {
    const random = mulberry32(8)
    const words = [...new Set([...WORDS, ...makeWords(random, 2000)])]
    const trie = trieOf(words)
    for (let round = 0; round < 300; round++) {
      const word = pick(random, words)
      const prefix = word.slice(0, 1 + Math.floor(random() * word.length))
      const found: number[] = []
      trie.eachFrom(prefix, (number) => found.push(number))
      const expected = [...words.keys()].filter((number) => words[number]?.startsWith(prefix))
      assert.deepEqual(
        found.sort((a, b) => a - b),
        expected,
        prefix,
      )
    }
  })

  test('finds words by how far they are from another', () => {
    const random = mulberry32(9)
    const words = [...new Set([...WORDS, 'ab', 'ba', 'acb', 'bca', ...makeWords(random, 1000)])]
    const edits = new EditDistance(trieOf(words))
    for (let round = 0; round < 150; round++) {
      const wanted = round < WORDS.length ? (WORDS[round] ?? '') : misspelt(random, pick(random, words))
      for (const limit of [1, 2] as const) {
        const found: [number, number][] = []
        edits.eachNear(wanted, limit, (number, distance) => found.push([number, distance]))
        const expected = words.map((word, number): [number, number] => [number, distanceOf(wanted, word)])
        const near = expected.filter(([, distance]) => distance <= limit)
        assert.deepEqual(
          found.sort(([a], [b]) => a - b),
          near,
          `${wanted}, ${limit}`,
        )
      }
    }
  })

  test('counts as one a transposition, and as two one with a letter more or less between', () => {
    const words = ['ca', 'ac', 'abc', 'acb', 'abdc']
    const edits = new EditDistance(trieOf(words))
    const found: string[] = []
    edits.eachNear('ca', 2, (number, distance) => found.push(`${words[number]} ${distance}`))
    assert.deepEqual(found.sort(), ['abc 2', 'ac 1', 'acb 2', 'ca 0'])
  })
})
