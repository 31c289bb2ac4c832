import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { integer, mulberry32, pick, type Random } from '../bench/data/random.ts'
import { bestGrade, gradeOf, makePaper, makeWords, misspelt, type Paper, type Way } from './brute-force.ts'

const FIELDS = [
  { name: 'title', weight: 1 },
  { name: 'body', weight: 0.5 },
]
const ALL = { offset: 0, limit: 1_000_000 }

/** An index, and beside it the papers that it should know. */
class Library {
  readonly papers = new Map<number, Paper>()
  readonly index = new SearchIndex(FIELDS)
  readonly #language: readonly string[]

  constructor(language: readonly string[]) {
    this.#language = language
  }

  put(paper: Paper): void {
    this.papers.set(paper.id, paper)
    this.index.replace(paper.id, { ...paper })
  }

  remove(id: number): void {
    this.papers.delete(id)
    this.index.replace(id, undefined)
  }

  /** How well each word of the language answers to one that is looked for. */
  grades(wanted: string, ways: readonly Way[]): ReadonlyMap<string, number> {
    const graded = this.#language.map((word) => [word, gradeOf(wanted, word, ways)] as const)
    return new Map(graded.filter((each): each is readonly [string, number] => each[1] !== undefined))
  }

  /** Searches for one word and holds the answer against every paper there is. */
  check(word: string, ways: readonly Way[]): void {
    const words = [{ text: word, parts: [], prefix: ways.includes('prefix') }]
    const found = this.index.search({ words, slight: [], fields: undefined, fuzzy: ways.includes('fuzzy'), notices: [] }, ALL)
    const byWord = this.grades(word, ways)
    const papers = [...this.papers.values()].map((paper) => [paper.id, bestGrade(paper, byWord)] as const)
    const grades = new Map(papers.filter(([, grade]) => grade !== undefined))
    const ids = found.hits.map(({ id }) => id)
    assert.deepEqual(ids.toSorted(byNumber), [...grades.keys()].sort(byNumber), `${word} (${ways.join()})`)
    assert.equal(found.total, grades.size)
    const ranked = ids.map((id) => grades.get(id) ?? Number.NaN)
    assert.deepEqual(ranked, ranked.toSorted(byNumber), `better answers to ${word} come first`)
  }
}

const byNumber = (a: number, b: number): number => a - b

function fill(random: Random, words: readonly string[], count: number): Library {
  const stacks = new Library(words)
  for (let id = 1; id <= count; id++) stacks.put(makePaper(random, id, words))
  return stacks
}

describe('changes of a search index', () => {
  test('are worked in once each, however often the work is broken off', () => {
    const index = new SearchIndex(FIELDS)
    for (let id = 1; id <= 10; id++) index.replace(id, { title: `owl ${id}`, body: 'sea' })
    for (let size = 3; size <= 9; size += 3) {
      let taken = 0
      index.settle(() => ++taken === 3)
      assert.deepEqual([index.size, index.words], [size, { live: 3 * size, wasted: 0 }])
    }
    assert.ok(index.backlog > 0)
    index.settle()
    assert.deepEqual([index.size, index.words, index.backlog], [10, { live: 30, wasted: 0 }, 0])
  })
})

describe('a search', () => {
  const random = mulberry32(5)
  const words = makeWords(random, 600)
  const stacks = fill(random, words, 1000)

  test('finds the records that a scan finds, and ranks exact before prefix before near', () => {
    for (let round = 0; round < 60; round++) {
      const word = pick(random, words)
      stacks.check(word, [])
      stacks.check(word.slice(0, integer(random, 1, word.length)), ['prefix'])
      stacks.check(word.slice(0, integer(random, 3, 8)), ['prefix', 'fuzzy'])
    }
    for (let round = 0; round < 500; round++) stacks.check(misspelt(random, pick(random, words)), ['fuzzy'])
  })

  test('does so after every change, too', () => {
    let nextId = 1001
    for (let round = 0; round < 1000; round++) {
      const id = pick(random, [...stacks.papers.keys()])
      const deed = random()
      if (deed < 0.4) stacks.put(makePaper(random, nextId++, words))
      else if (deed < 0.7) stacks.put(makePaper(random, id, words))
      else stacks.remove(id)
      if (round % 4 === 0) stacks.check(misspelt(random, pick(random, words)), ['fuzzy'])
      if (round % 10 === 0) stacks.check(pick(random, words), [])
    }
    stacks.index.settle()
    assert.equal(stacks.index.size, stacks.papers.size)
  })

  test('finds records with all words, or with any if there are none', () => {
    let [whole, partial] = [0, 0]
    for (let round = 0; round < 200; round++) {
      const wanted = Array.from({ length: integer(random, 2, 4) }, () => pick(random, words))
      const found = stacks.index.search(readQuery(wanted.join(' '), { fuzzy: false }), ALL)
      const grades = wanted.map((word) => stacks.grades(word, word === wanted.at(-1) ? ['prefix'] : []))
      const papers = [...stacks.papers.values()]
      const all = papers.filter((paper) => grades.every((byWord) => bestGrade(paper, byWord) !== undefined))
      const any = papers.filter((paper) => grades.some((byWord) => bestGrade(paper, byWord) !== undefined))
      const expected = all.length > 0 ? all : any
      assert.deepEqual(
        found.hits.map(({ id }) => id).sort(byNumber),
        expected.map(({ id }) => id).sort(byNumber),
        wanted.join(' '),
      )
      assert.deepEqual([found.total, found.partial], [expected.length, all.length === 0 && any.length > 0])
      if (all.length > 0) whole++
      else partial++
    }
    assert.ok(whole > 20 && partial > 20, `${whole} had all words, ${partial} some`)
  })

  test('returns any page of the whole result', () => {
    const query = readQuery('a', { fuzzy: false })
    const all = stacks.index.search(query, ALL).hits
    assert.ok(all.length > 100, `${all.length} is too few`)
    for (const [offset, limit] of [
      [0, 20],
      [20, 20],
      [all.length - 5, 20],
      [all.length, 20],
      [3, 1],
    ] as const) {
      const page = stacks.index.search(query, { offset, limit })
      assert.deepEqual(page.hits, all.slice(offset, offset + limit))
      assert.equal(page.total, all.length)
    }
  })

  test('is limited to the given records', () => {
    const query = readQuery('a', { fuzzy: false })
    const all = stacks.index.search(query, ALL).hits
    const odd = new Set(all.map(({ id }) => id).filter((id) => id % 2 === 1))
    const found = stacks.index.search(query, ALL, odd)
    assert.deepEqual(
      found.hits,
      all.filter(({ id }) => odd.has(id)),
    )
    assert.deepEqual(new Set(stacks.index.candidates(query)), new Set(all.map(({ id }) => id)))
  })
})

describe('the ranking', () => {
  const indexOf = (...texts: readonly (readonly [title: string, body: string])[]) => {
    const index = new SearchIndex(FIELDS)
    for (const [at, [title, body]] of texts.entries()) index.replace(at + 1, { title, body })
    return index
  }
  const ranked = (index: SearchIndex, q: string, fields?: readonly string[]) =>
    index.search(readQuery(q, { fuzzy: true, fields }), ALL).hits.map(({ id }) => id)

  test('ranks the display field before others', () =>
    assert.deepEqual(ranked(indexOf(['sea', 'owl'], ['owl', 'sea']), 'owl'), [2, 1]))

  test('puts a text that has a word more often before one that has it once', () =>
    assert.deepEqual(ranked(indexOf(['x', 'owl sea sky sun'], ['x', 'owl owl sky sun']), 'owl'), [2, 1]))

  test('puts a short text before a long one', () =>
    assert.deepEqual(ranked(indexOf(['x', 'owl and many other birds of the night'], ['x', 'owl']), 'owl'), [2, 1]))

  test('ranks a rare word before a common one', () =>
    assert.deepEqual(ranked(indexOf(['sea', ''], ['sea', ''], ['sea', ''], ['owl', '']), 'sea owl')[0], 4))

  test('orders equal scores by id', () => {
    const index = indexOf(['owl', ''], ['owl', ''], ['owl', ''])
    index.replace(1, { title: 'owl', body: '' })
    assert.deepEqual(ranked(index, 'owl'), [1, 2, 3])
  })

  test('searches the requested fields only', () => {
    const index = indexOf(['sea', 'owl'], ['owl', 'sea'])
    assert.deepEqual(ranked(index, 'owl', ['body']), [1])
  })
})
