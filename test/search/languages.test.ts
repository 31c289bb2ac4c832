import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import lunr from 'lunr'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { STOP_WORDS } from '../../src/search/stems.ts'
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

  test('matches the pairs of a run of characters anywhere', () =>
    assert.deepEqual(found(['京都と東京', '東京都', '東京'], '東京都'), ['[東京都]', '[京都]と[東京]']))

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
  test('are found', () => {
    for (const word of STOP_WORDS) {
      assert.deepEqual(found([word, 'Jo Ray'], word.toUpperCase()), [`[${word}]`])
      assert.deepEqual(found([`Jo ${word} Ray`, 'owl'], word), [`Jo [${word}] Ray`])
    }
  })

  test('are those of lunr', () => {
    const isStopWord = (word: string) => lunr.stopWordFilter(new lunr.Token(word, {})) === undefined
    assert.equal(STOP_WORDS.length, 119)
    assert.deepEqual(
      STOP_WORDS.filter((word) => !isStopWord(word)),
      [],
    )
  })

  test('are all required if there is no other word, or any if no text has all', () => {
    assert.deepEqual(found(['The Who', 'the end', 'who'], 'the who'), ['[The] [Who]'])
    assert.deepEqual(found(['the end', 'owl'], 'the who'), ['[the] end'])
  })

  test('are not required beside others, and raise the rank', () => {
    assert.deepEqual(found(['the cat', 'a dog'], 'the cat'), ['[the] [cat]'])
    assert.deepEqual(found(['Jane Smith', 'Will Smith', 'Will Jones'], 'will smith'), ['[Will] [Smith]', 'Jane [Smith]'])
    assert.deepEqual(found(['Jane Smith', 'Will Smith', 'Will Jones'], 'Smith, Will'), ['[Will] [Smith]', 'Jane [Smith]'])
    assert.deepEqual(found(['IT', 'Strategy', 'Old Owl'], 'it fox'), [])
  })

  test('raise the rank less than a better kind of match does', () => {
    assert.deepEqual(found(['it owls', 'owl', 'it owl'], 'it owl'), ['[it] [owl]', '[owl]', '[it] [owls]'])
    const many = 'is it not in or at the'
    assert.deepEqual(found([`${many} owlet`, 'owl'], `${many} owl`), ['[owl]', `${many.replaceAll(/\w+/g, '[$&]')} [owlet]`])
  })

  test('are prefixes if there is no other word', () => assert.deepEqual(found(['Ann', 'an owl'], 'an'), ['[an] owl', '[Ann]']))

  test('match their first three letters', () => {
    assert.deepEqual(found(['About us', 'absent'], 'abo'), ['[About] us'])
    assert.deepEqual(found(['the cat', 'Thomas'], 'th'), ['[Thomas]'])
    assert.deepEqual(found(['the cat', 'Thomas'], 'x-th'), [])
    assert.deepEqual(found(['these the Thomas'], 'th'), ['these the [Thomas]'])
  })

  test('have no other forms, and match no misspelt word', () => {
    assert.deepEqual(found(['US', 'it is used'], 'us -'), ['[US]', 'it is [used]'], 'as a prefix')
    assert.deepEqual(found(['US', 'it was used'], 'used'), ['it was [used]'])
    assert.deepEqual(found(['his', 'hi'], 'hi'), ['[hi]'])
    assert.deepEqual(found(['Will', 'willing'], 'willing'), ['[willing]'])
    assert.deepEqual(found(['from', 'form'], 'form', true), ['[form]'])
    assert.deepEqual(found(['about', 'abort'], 'about', true), ['[about]', '[abort]'])
  })

  test('are parts of joined words if these have no other part', () => {
    assert.deepEqual(found(['a list to do', 'a to-do list', 'owl'], 'to-do'), ['a [to-do] list', 'a list [to] [do]'])
    assert.deepEqual(found(['state of the art', 'art state'], 'state-of-the-art'), ['[art] [state]', '[state] of the [art]'])
    assert.deepEqual(found(['the IT-Department'], 'it'), ['the [IT]-Department'])
  })
})

describe('a search for words beside stop words', () => {
  test('finds the same records as one without', () => {
    const texts = ['the owl and the sea', 'an owl', 'sea', 'owl sea', 'the sea of it']
    const idsOf = (q: string) =>
      indexOf(...texts)
        .search(readQuery(q, { fuzzy: false }), ALL)
        .hits.map(({ id }) => id)
        .sort()
    for (const [q, without] of [
      ['the owl', 'owl'],
      ['owl and sea', 'owl sea'],
      ['it sea of the', 'sea'],
      ['an owl fox', 'owl fox'],
    ] as const)
      assert.deepEqual(idsOf(q), idsOf(without), q)
  })
})
