import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'

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
    const { text: spans = [] } = result.positionsIn({ text })
    return spans.toReversed().reduce((marked, [start, length]) => {
      return `${marked.slice(0, start)}[${marked.slice(start, start + length)}]${marked.slice(start + length)}`
    }, text)
  })
}

/** `q` finds `text`, marked like this. */
const CASES: Readonly<Record<string, readonly (readonly [q: string, marked: string])[]>> = {
  'letters with marks and letters without': [
    ['müller', '[Muller] came'],
    ['muller', '[Müller] came'],
    ['MULLER', '[Mu\u0308ller] came'],
    ['strasse', 'die [Straße]'],
    ['straße', 'die [STRASSE]'],
    ['lodz', '[Łódź]'],
    ['smorrebrod', '[Smørrebrød]'],
    ['file', '[ﬁle]'],
    ['елка', '[Ёлка]'],
    ['αθηνα', '[Αθήνα]'],
    ['ΚΟΣ', '[ΚΟΣΜΟΣ]'],
    ['θεοσ', '[ΘΕΟΣ]'],
  ],
  'scripts without spaces': [
    ['東京', '[東京]都庁'],
    ['京都', '東[京都]庁'],
    ['庁', '東京都[庁]'],
    ['京', '東[京]都庁'],
    ['カメラ', 'デジタル[カメラ]とレンズ'],
    ['ｶﾒﾗ', 'デジタル[カメラ]'],
    ['パソコン', '[ﾊﾟｿｺﾝ]'],
    ['コーヒー', '[ｺｰﾋｰ]'],
    ['한국', `[${'한국'.normalize('NFD')}]${'어'.normalize('NFD')}`],
    ['葛城', '[葛\u{e0100}城]'],
    ['서울', '[서울]특별시'],
    ['กรุงเทพ', '[กรุงเทพ]มหานคร'],
    ['tower', '東京[Tower]展望台'],
    ['東京tower', '[東京][Tower]展望台'],
  ],
  'what is joined': [
    ['ann@example.com', 'write to [ann@example.com] soon'],
    ['ann', 'write to [ann]@example.com soon'],
    ['example', 'write to ann@[example].com soon'],
    ['ann@exam', 'write to [ann@example.com] soon'],
    ['example.com', 'write to ann@[example].[com] soon'],
    ['3.14', 'about [3.14] or so'],
    ['14', 'about 3.[14] or so'],
    ['2024-05', 'on [2024-05-01]'],
    ['555', 'call +1-[555]-1234'],
    ["o'brien", "Mr [O'Brien]"],
    ['o’brien', "Mr [O'Brien]"],
    ['brien', 'Mr O’[Brien]'],
    ['e-mail', 'an [e] [mail]'],
    ['snake_case', 'a [snake_case] name'],
    ['abc-東京都 foo', '[abc]-[東京都]市 [foo]'],
    ['ann bar ann', '[anna] [bar]'],
  ],
  'forms of a word': [
    ['universities', 'a [university]'],
    ['run', 'while [running]'],
    ['jumped', 'she [jumps]'],
    ['catalog', 'the [catalogue]'],
  ],
  'emoji and other signs': [
    ['pizza', '🍕 [pizza] 🎉'],
    ['1 first', '[1️⃣] [first]'],
    ['c', '[C]++ and more'],
  ],
}

describe('a search', () => {
  for (const [kind, cases] of Object.entries(CASES)) {
    test(`knows ${kind}`, () => {
      for (const [q, marked] of cases) assert.deepEqual(found([marked.replaceAll(/[[\]]/g, '')], q), [marked], q)
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
