import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { excerpt } from '../../src/cli/commands/search.ts'

const mark = (piece: string) => `[${piece}]`
const places = (text: string, ...words: readonly string[]): readonly [number, number][] =>
  words.map((word) => [text.indexOf(word), word.length])
const marked = (text: string, ...words: readonly string[]) => excerpt(text, places(text, ...words), mark)

const LONG = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')

describe('an excerpt', () => {
  test('of a short text is all of it', () => {
    assert.equal(marked('Night ferry, empty deck', 'ferry', 'Night'), '[Night] [ferry], empty deck')
    assert.equal(marked('nothing in here'), 'nothing in here')
    assert.equal(marked(''), '')
  })

  test('of a long text surrounds the first match', () => {
    assert.equal(marked(LONG), `${LONG.slice(0, 100)}…`)
    assert.match(marked(LONG, 'word0'), /^\[word0\] word1 .*…$/)
    assert.match(marked(LONG, 'word30', 'word33'), /^…word26 word27 .* \[word30\] word31 word32 \[word33\] .*…$/)
    assert.match(marked(LONG, 'word59'), /^…word\d\d .* word58 \[word59\]$/)
    for (const word of ['word7', 'word30', 'word59']) assert.ok(marked(LONG, word).length <= 104, marked(LONG, word))
  })

  test('accepts matches in any order, overlapping, and past the end', () => {
    const text = 'abcdefgh'
    assert.equal(
      excerpt(
        text,
        [
          [4, 2],
          [0, 3],
          [1, 4],
          [7, 9],
        ],
        mark,
      ),
      '[abc][de][f]g[h]',
    )
  })

  test('is one line without control characters', () => {
    assert.equal(marked('a\u001b[31mred\nnext\u0007', 'red'), 'a [31m[red] next ')
    assert.equal(marked('x\u202egnp.exe\u2028y'), 'x gnp.exe y')
  })

  test('splits no surrogate pair', () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = `${'a'.repeat(shift)}${'😀'.repeat(80)} end`
      assert.ok(marked(text, 'end').isWellFormed(), `end, ${shift}`)
      assert.ok(marked(text).isWellFormed(), `beginning, ${shift}`)
    }
  })
})
