import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_LENGTH } from '../../src/search/documents.ts'
import { LiveIndex } from '../../src/search/live-index.ts'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { textAnalyser } from '../../src/search/stored-words.ts'
import { MAX_SEARCHED, textOf } from '../../src/search/tokens.ts'
import { mulberry32 } from '../bench/data/random.ts'

const FIELDS = [{ name: 'text', weight: 1 }]
const PAGE = { offset: 0, limit: 10 }
const HALVES = '\u{20000}'

const search = (index: SearchIndex, q: string) => index.search(readQuery(q, { fuzzy: false }), PAGE)
const idsOf = (index: SearchIndex, q: string): number[] => search(index, q).hits.map(({ id }) => id)

/** A text of this length that ends with `end`. */
const ending = (end: string, length: number): string => `${'owl '.repeat(length / 4).slice(0, length - end.length)}${end}`

const random = mulberry32(3)
const han = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, () => 0x4e00 + Math.floor(random() * 20_000)))

describe('the first 100,000 characters of a text', () => {
  test('are searched, and no others', () => {
    const index = new SearchIndex(FIELDS)
    const text = `${ending(' fox', MAX_SEARCHED)} elk`
    index.replace(1, { text })
    assert.deepEqual([idsOf(index, 'owl'), idsOf(index, 'fox'), idsOf(index, 'elk')], [[1], [1], []])
    assert.deepEqual(search(index, 'fox elk').positionsIn({ text }), { text: [[MAX_SEARCHED - 3, 3]] })
  })

  test('are those of a list with commas, too', () => {
    const index = new SearchIndex(FIELDS)
    index.replace(1, { text: [ending('fox', MAX_SEARCHED - 5), 'elk', 'owl', 'cat'] })
    assert.deepEqual([idsOf(index, 'fox'), idsOf(index, 'elk'), idsOf(index, 'cat')], [[1], [1], []])
  })

  test('hold both halves of the last character, or neither', () => {
    for (const before of [-3, -2, -1, 0, 1]) {
      const text = textOf({ text: `${'x'.repeat(MAX_SEARCHED + before)}${HALVES}${HALVES}` }, 'text')
      assert.ok(text.isWellFormed(), `${before}`)
      assert.equal(text.length, before === -1 ? MAX_SEARCHED - 1 : before === -3 ? MAX_SEARCHED - 1 : MAX_SEARCHED)
    }
  })

  test('are those that a store keeps the words of', async () => {
    const { words, lengths } = await textAnalyser.analyse([`${ending(' fox', MAX_SEARCHED)} elk`], async () => {})
    assert.deepEqual([words.has('fox'), words.has('elk'), lengths], [true, false, [25_000]])
  })
})

describe('a long text', () => {
  const long = han(MAX_SEARCHED)
  const beginning = long.slice(0, 3)
  const end = long.slice(-3)

  test('is indexed in steps, and found when all are done', () => {
    const index = new SearchIndex(FIELDS)
    index.replace(1, { text: long })
    index.replace(2, { text: beginning })
    let steps = 0
    while (!index.isSettled) {
      index.settle(() => true)
      steps++
    }
    assert.ok(steps > 100, `${steps} steps`)
    assert.deepEqual([idsOf(index, beginning), idsOf(index, end), index.words.live], [[2, 1], [1], MAX_LENGTH + 3])
    assert.equal(index.backlog, 0)
  })

  test('that changes or goes before all steps are done is as it is last', () => {
    const index = new SearchIndex(FIELDS)
    for (const text of [long, undefined, `fox ${end}`]) {
      index.replace(1, text === undefined ? undefined : { text })
      for (let step = 0; step < 20; step++) index.settle(() => true)
    }
    assert.deepEqual([idsOf(index, beginning), idsOf(index, 'fox'), index.size], [[], [1], 1])
  })

  test('is worked in as one that is searched in between', () => {
    const index = new SearchIndex(FIELDS)
    index.replace(1, { text: long })
    index.settle(() => true)
    assert.deepEqual(idsOf(index, end), [1])
  })

  for (const [kind, text] of Object.entries({
    'in a script without spaces': long,
    'of words with marks': 'müde '.repeat(20_000),
    'of joined words': 'ä-b.c '.repeat(16_000),
  })) {
    test(`${kind} leaves turns to others: when it is created, and when the index is built`, async () => {
      let time = 0
      let pauses = 0
      const live = new LiveIndex({
        fields: FIELDS,
        async *records() {
          yield [
            { id: 1, text },
            { id: 2, text: `${text.slice(5)}z` },
          ]
        },
        now: () => ++time,
        later: setImmediate,
        pause: async () => void pauses++,
        failed: (error) => assert.fail(String(error)),
      })
      await live.build()
      const building = pauses
      assert.ok(building > 5, `${building} pauses while the index is built`)
      live.note(3, undefined, { id: 3, text })
      assert.ok(live.catchUp() !== undefined)
      await live.catchUp()
      assert.ok(pauses - building > 2, `${pauses - building} pauses after a create`)
      assert.equal(live.ready?.size, 3)
    })

    test(`${kind} leaves turns to others while its words are made for a store`, async () => {
      let pauses = 0
      const { words } = await textAnalyser.analyse([text, text], async () => void pauses++)
      assert.ok(pauses > 20, `${pauses} pauses`)
      assert.ok([...words.values()].every((places) => places.length === 2))
    })
  }
})
