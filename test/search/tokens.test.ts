import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eachToken, eachWord, MAX_WORD, unitsOf } from '../../src/search/tokens.ts'
import { mulberry32 } from '../bench/data/random.ts'

/** More code units than most texts have: those get an array of their own. */
const LONG = 40_000

const tokensOf = (text: string): string[] => {
  const words: string[] = []
  eachToken(text, (word) => words.push(word))
  return words
}

const wordsOf = (text: string): string[] => {
  const words: string[] = []
  eachWord(text, (units, from, to) => words.push(String.fromCharCode(...units.subarray(from, to))))
  return words
}

describe('words without their text', () => {
  const texts: Readonly<Record<string, string>> = {
    'letters and digits': 'The quick brown fox of 1999',
    'words that are joined': "ann.lee@example.com, o'brien; 3.14 -x- a--b .",
    'nothing but what stands between': ' \t\0 … +++',
    nothing: '',
    'letters with marks': 'Müller, Straße; Mu\u0308ller’s',
    'scripts without spaces': '東京都に住む, 조선글 ﾊﾟﾝ',
    'characters of two code units': '𝒜lpha 😀 beta',
    'half of one': 'alpha\ud83d beta',
    'a word that is longer than words are known by': `${'x'.repeat(MAX_WORD)}y and ${'ü'.repeat(MAX_WORD + 5)}`,
    'a joined one': `${'x'.repeat(40)}@${'y'.repeat(80)}`,
    'a long text': 'alpha beta '.repeat(LONG / 10),
    'a long text with marks': `${'alpha '.repeat(LONG / 5)}ümlaut`,
    'a long word': 'z'.repeat(LONG),
  }
  for (const [what, text] of Object.entries(texts)) {
    test(`are those that have one: ${what}`, () => assert.deepEqual(wordsOf(text), tokensOf(text)))
  }

  test('are those that have one, of a thousand random texts', () => {
    const random = mulberry32(7)
    const alphabet = [..."abYZ019 .,@-_+'’üÅß東京ー😀\0\u0308"]
    for (let count = 0; count < 1000; count++) {
      const text = Array.from({ length: 60 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
      assert.deepEqual(wordsOf(text), tokensOf(text), JSON.stringify(text))
    }
  })
})

test('words are the same where a text is ASCII up to somewhere and where it never is', () => {
  const placesOf = (text: string) => {
    const places: [string, string, number, number][] = []
    eachToken(text, (word, kind, start, end) => places.push([word, kind, start, end]))
    return places
  }
  const random = mulberry32(12)
  const characters = ['a', 'B', '7', '.', '-', '@', "'", ' ', ',', 'é', '’', 'e\u0301', '東', '…']
  const never = 'é '
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 12 }, () => characters[Math.floor(random() ** 1.5 * characters.length)]).join('')
    const [, ...after] = placesOf(never + text)
    const expected = after.map(([word, kind, start, end]) => [word, kind, start - never.length, end - never.length])
    assert.deepEqual(placesOf(text), expected, text)
  }
})

test('a callback may request the code units of another text', () => {
  const words: string[] = []
  eachToken('alpha beta', (word) => {
    unitsOf('something else')
    words.push(word)
  })
  assert.deepEqual(words, ['alpha', 'beta'])
})

test('code units of a text that is longer than most are all there', () => {
  const text = 'ab'.repeat(LONG)
  assert.equal(unitsOf(text).length, text.length)
  assert.equal(unitsOf(text)[text.length - 1], 'b'.charCodeAt(0))
})
