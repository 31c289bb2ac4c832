import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type ParsedSearch, readQuery } from '../../src/search/query.ts'
import { SearchIndex } from '../../src/search/search-index.ts'
import { excerptIndex, textAnalyser, wantedWords } from '../../src/search/stored-words.ts'
import type { RecordWords, WordSelection } from '../../src/store/search-storage.ts'
import { mulberry32, pick } from '../bench/data/random.ts'
import { distanceOf, makePaper, makeWords, misspelt, type Paper } from './brute-force.ts'

const FIELDS = [
  { name: 'title', weight: 1 },
  { name: 'body', weight: 0.5 },
]
const PAGE = { offset: 0, limit: 1000 }

const textsOf = ({ title, body }: Paper): string[] => [title, body]

const isSelected = (word: string, { words, stems, prefixes, near }: WordSelection): boolean =>
  words.includes(word) ||
  stems.includes(textAnalyser.stemOf(word)) ||
  prefixes.some(({ prefix, except }) => word.startsWith(prefix) && !except.includes(word)) ||
  near.some((each) => Math.abs(each.word.length - word.length) <= 2 && distanceOf(each.word, word) <= each.distance)

/** Stored words of papers, as a store keeps them; `change` makes those of a paper outdated. */
class Shelf {
  readonly #stored = new Map<number, RecordWords>()
  readonly #changed = new Map<number, Paper | undefined>()

  async store(paper: Paper): Promise<void> {
    this.#stored.set(paper.id, await textAnalyser.analyse(textsOf(paper), async () => {}))
  }

  change(id: number, paper: Paper | undefined): void {
    this.#changed.set(id, paper)
  }

  excerpt(query: ParsedSearch): SearchIndex {
    const wanted = wantedWords(query)
    const known = new Map<string, boolean>()
    const isWanted = (word: string): boolean => {
      const answer = known.get(word) ?? isSelected(word, wanted)
      known.set(word, answer)
      return answer
    }
    const words = this.#placesOf(isWanted)
    const slight = this.#placesOf((word) => wanted.slight.includes(word))
    const sums = FIELDS.map((_, field) => [...this.#stored.values()].reduce((sum, { lengths }) => sum + (lengths[field] ?? 0), 0))
    const changed = [...this.#changed].map(([id, paper]) => ({
      id,
      texts: paper === undefined ? undefined : textsOf(paper),
      lengths: this.#stored.get(id)?.lengths,
    }))
    return excerptIndex(FIELDS, { totals: { records: this.#stored.size, words: sums }, words, slight, changed })
  }

  #placesOf(isWanted: (word: string) => boolean) {
    return [...this.#stored].flatMap(([id, { lengths, words }]) =>
      [...words].flatMap(([word, places]) =>
        isWanted(word)
          ? [
              {
                word,
                eachPlace: (take: (id: number, field: number, times: number, length: number) => void) => {
                  for (const { field, times } of places) take(id, field, times, lengths[field] ?? 0)
                },
              },
            ]
          : [],
      ),
    )
  }

  lengthsOf(id: number): readonly number[] {
    return this.#changed.has(id) ? [] : (this.#stored.get(id)?.lengths ?? [])
  }
}

describe('an excerpt of an index', () => {
  const random = mulberry32(11)
  // Some are stop words.
  const words = [...makeWords(random, 300), 'the', 'it', 'will', 'about', 'wants', 'us', 'used']
  const whole = new SearchIndex(FIELDS)
  const shelf = new Shelf()
  const papers: Paper[] = []
  before(async () => {
    for (const paper of papers) await shelf.store(paper)
  })
  for (let id = 1; id <= 400; id++) {
    const paper = makePaper(random, id, words)
    papers.push(paper)
    // Some are changed or removed since, and some are new.
    const present = id % 7 === 0 ? undefined : id % 5 === 0 ? makePaper(random, id, words) : paper
    if (present !== paper) shelf.change(id, present)
    if (present !== undefined) whole.replace(id, { ...present })
  }
  for (let id = 401; id <= 420; id++) {
    const paper = makePaper(random, id, words)
    shelf.change(id, paper)
    whole.replace(id, { ...paper })
  }
  const stopWords = ['the', 'will', 'th', 'us', 'about it']
  const queries = Array.from({ length: 100 }, (_, round) => {
    const chosen = Array.from({ length: 1 + (round % 3) }, () => pick(random, words)).join(' ')
    const text = round < 60 ? chosen : round < 65 ? stopWords[round - 60] : `${pick(random, stopWords)} ${chosen}`
    return readQuery(round % 2 === 0 && round < 60 ? misspelt(random, chosen) : (text ?? ''), { fuzzy: round % 2 === 0 })
  })

  test('finds what the whole index finds, with the same scores', () => {
    let found = 0
    for (const query of queries) {
      const expected = whole.search(query, PAGE)
      const actual = shelf.excerpt(query).search(query, PAGE)
      assert.deepEqual(actual.hits, expected.hits, JSON.stringify(query.words))
      assert.deepEqual([actual.total, actual.partial], [expected.total, expected.partial])
      found += actual.total
    }
    assert.ok(found > 1000, `${found} found`)
  })

  test('scores some of the records by their words only, once it knows the lengths of their fields', () => {
    for (const query of queries) {
      const index = shelf.excerpt(query)
      const among = new Set(index.candidates(query).filter((id) => id % 3 === 0))
      for (const id of among) index.loadLengths(id, shelf.lengthsOf(id))
      assert.deepEqual(index.search(query, PAGE, among, 140).hits, whole.search(query, PAGE, among, 140).hits)
    }
  })

  test('finds the positions of the words', async () => {
    const paper = { title: 'Ferries', body: 'a ferry at the harbour, ferrymen' }
    const query = readQuery('harbor ferr', { fuzzy: true })
    const full = new SearchIndex(FIELDS)
    full.replace(1, paper)
    const stored = new Shelf()
    await stored.store({ id: 1, ...paper })
    const positions = stored.excerpt(query).search(query, PAGE).positionsIn(paper)
    assert.deepEqual(positions, full.search(query, PAGE).positionsIn(paper))
    assert.deepEqual(positions, {
      title: [[0, 7]],
      body: [
        [2, 5],
        [15, 7],
        [24, 8],
      ],
    })
  })
})

test('a word that is cut keeps both halves of its last character', async () => {
  const text = `${'x'.repeat(63)}\u{10330}\u{10331}`
  const { words } = await textAnalyser.analyse([text], async () => {})
  assert.deepEqual([...words.keys()], ['x'.repeat(63)])
})
