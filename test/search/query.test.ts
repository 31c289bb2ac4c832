import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readQuery } from '../../src/search/query.ts'

const read = (q: string) => readQuery(q, { fuzzy: false })
const textsOf = (q: string) => read(q).words.map(({ text }) => text)

describe('the text of a query', () => {
  test('is words, never syntax', () => {
    assert.deepEqual(textsOf('+title:Foo* -bar^10 baz~8'), ['title', 'foo', 'bar', '10', 'baz', '8'])
    for (const q of ['+*', '~', '*', '', '   ', '\n\t', '🎉', '\u0301', '-.-', '"']) {
      assert.deepEqual(
        read(q),
        { words: [], slight: [], fields: undefined, fuzzy: false, notices: ['There is no word to look for'] },
        q,
      )
    }
  })

  test('means its last word to be the beginning of one', () =>
    assert.deepEqual(read('red app').words, [
      { text: 'red', parts: [], prefix: false },
      { text: 'app', parts: [], prefix: true },
    ]))

  test('counts a word once', () => assert.deepEqual(textsOf('Red red RED réd'), ['red']))

  test('may have words that are joined, which are found apart as well', () =>
    assert.deepEqual(read('to ann@example.com').words, [
      { text: 'ann@example.com', parts: ['ann', 'example', 'com'], prefix: true },
    ]))

  test('may be a run of characters without spaces, of which pairs are found', () => {
    assert.deepEqual(read('東京都 x').words, [
      { text: '', parts: ['東京', '京都'], prefix: false },
      { text: 'x', parts: [], prefix: true },
    ])
    assert.deepEqual(read('京 x').words[0], { text: '京', parts: [], prefix: true })
  })

  test('is limited to ten words of 64 characters, with a notice', () => {
    const eleven = read('one1 two2 three3 four4 five5 six6 seven7 eight8 nine9 ten10 eleven11')
    assert.equal(eleven.words.length, 10)
    assert.equal(eleven.words.at(-1)?.prefix, false)
    assert.deepEqual(eleven.notices, ['Only the first 10 words count; 1 is left out'])
    const long = read(`${'x'.repeat(65)} y`)
    assert.equal(long.words[0]?.text, 'x'.repeat(64))
    assert.deepEqual(long.notices, ['Only the first 64 characters of a word count'])
    assert.deepEqual(read('x'.repeat(64)).notices, [])
  })

  test('has a limited number of parts', () => {
    for (const q of ['東京'.repeat(5000), `${'a-'.repeat(5000)}b`]) {
      const [word] = read(q).words
      assert.ok((word?.parts.length ?? 0) <= 64, `${word?.parts.length} parts`)
      assert.deepEqual(read(q).notices, ['Only the first 64 characters of a word count'])
    }
  })
})
