import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unitsOf } from '../../src/search/tokens.ts'
import { Trie } from '../../src/search/trie.ts'
import { WordTable } from '../../src/search/vocabulary.ts'
import { mulberry32 } from '../bench/data/random.ts'
import { makeWords } from './brute-force.ts'

function tableOf(words: readonly string[]): WordTable {
  const trie = new Trie()
  const table = new WordTable(trie)
  for (const word of words) table.add(trie.add(unitsOf(word), 0, word.length), unitsOf(word), 0, word.length)
  return table
}

describe('a table of words', () => {
  const words = [...new Set(['car', 'cart', 'c', 'dog', '東京', '東', 'x'.repeat(64), ...makeWords(mulberry32(4), 5000)])]
  const table = tableOf(words)

  test('finds each word among thousands', () => {
    for (const [number, word] of words.entries()) {
      assert.equal(table.find(unitsOf(word), 0, word.length), number, word)
      assert.equal(table.find(unitsOf(`the ${word}s`), 4, 4 + word.length), number, word)
    }
  })

  test('finds no word that was not added', () => {
    const known = new Set(words)
    for (const word of words) {
      for (const other of [word.slice(1), `${word}q`, word.slice(0, -1)]) {
        if (!known.has(other)) assert.equal(table.find(unitsOf(other), 0, other.length), -1, other)
      }
    }
  })
})
