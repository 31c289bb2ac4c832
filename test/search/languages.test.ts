import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { CASES, marked, unmarked } from './language-cases.ts'

const ALL = { offset: 0, limit: 100 }

function indexOf(...texts: readonly string[]): SearchIndex {
  const index = new SearchIndex([{ name: 'text', weight: 1 }])
  for (const [at, text] of texts.entries()) index.replace(at + 1, { text })
  return index
}

/** What is found, each text with the words marked that were found in it. */
function found(texts: readonly string[], q: string, fuzzy = false): string[] {
  const index = indexOf(...texts)
  const result = index.search(readQuery(q, { fuzzy }), ALL)
  return result.hits.map(({ id }) => {
    const text = texts[id - 1] ?? ''
    return marked(text, result.positionsIn({ text }).text)
  })
}

describe('a search', () => {
  for (const [kind, cases] of Object.entries(CASES)) {
    test(`knows ${kind}`, () => {
      for (const [q, text] of cases) assert.deepEqual(found([unmarked(text)], q), [text], q)
    })
  }

  test('matches the pairs of a run of characters anywhere', () => {
    assert.deepEqual(found(['京都と東京', '東京都', '東京'], '東京都'), ['[東京都]', '[京都]と[東京]'])
  })

  test('highlights misspelt words in fuzzy mode', () => {
    assert.deepEqual(found(['a Recieved letter'], 'received', true), ['a [Recieved] letter'])
    assert.deepEqual(found(['a Recieved letter'], 'received'), [])
    assert.deepEqual(found(['foo-bar'], 'foobar', true), ['[foo-bar]'])
    assert.deepEqual(found(['foobar foo-bar'], 'foobar', true), ['[foobar] [foo-bar]'])
  })

  test('requires exact letters in words of one or two', () => {
    assert.deepEqual(found(['ab', 'ax'], 'ab', true), ['[ab]'])
    assert.deepEqual(found(['abc', 'abx', 'axy'], 'abc', true), ['[abc]', '[abx]'])
    assert.deepEqual(found(['planet', 'plxnxt', 'xlxnxt'], 'planet', true), ['[planet]', '[plxnxt]'])
  })

  test('searches lists as their items with commas between them', () => {
    const index = new SearchIndex([{ name: 'tags', weight: 1 }])
    index.replace(1, { tags: ['red', 'dark blue'] })
    const result = index.search(readQuery('blue', { fuzzy: false }), ALL)
    assert.deepEqual(result.positionsIn({ tags: ['red', 'dark blue'] }), { tags: [[10, 4]] })
  })

  test('knows nothing of fields that are no text or are not there', () => {
    const index = indexOf()
    for (const [id, text] of [null, 5, true, { a: 'owl' }].entries()) index.replace(id + 1, { text })
    index.replace(9, {})
    assert.equal(index.search(readQuery('owl', { fuzzy: true }), ALL).total, 0)
  })
})

describe('stop words', () => {
  test('are ignored beside others', () => {
    assert.deepEqual(found(['the cat', 'a dog'], 'the cat'), ['the [cat]'])
    assert.deepEqual(found(['the cat', 'a dog'], 'cat the'), ['the [cat]'])
  })

  test('are prefixes if there is no other word', () => {
    assert.deepEqual(found(['Ann', 'an owl'], 'an'), ['[Ann]'])
    assert.deepEqual(found(['the cat'], 'the'), [])
  })
})
