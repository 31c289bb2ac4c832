import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RulesByModel } from '../../../../src/access/access-rules.ts'
import { Condition } from '../../../../src/access/condition.ts'
import { ANONYMOUS } from '../../../../src/auth/permissions.ts'
import type { FoundPageOfModel } from '../../../../src/reads/searches.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import type { Operation } from '../../../../src/store/store.ts'
import type { JsonObject } from '../../../../src/util/json.ts'
import { integer, mulberry32, pick } from '../../../bench/data/random.ts'
import { makePaper, makeWords, misspelt } from '../../../search/brute-force.ts'
import { CASES, marked, unmarked } from '../../../search/language-cases.ts'
import {
  type Asked,
  embeddedStore,
  insert,
  noteRegistry,
  remove,
  type SearchedSchema,
  type SearchedStore,
  searchedSchema,
  update,
} from './searched-store.ts'

const registry = noteRegistry()
const note = registry.expect('note')

/** What a page shows, with positions of words. */
const shown = ({ hits, total, notices, matchesIn }: FoundPageOfModel) => ({
  total,
  notices,
  hits: hits.map(({ id, score, record }) => ({ id, score, record, matches: matchesIn(record) })),
})

/**
 * Compares searches in a database with those of the embedded engine.
 *
 * @param queries number of random queries that are compared
 */
export function comparedSearches(name: string, open: () => Promise<Database>, queries: number, skip?: string): void {
  describe(`searches in ${name}`, { skip }, () => {
    let schema: SearchedSchema
    let process: SearchedStore
    before(async () => {
      schema = await searchedSchema(await open(), registry)
      process = schema.open()
    })
    after(() => schema.drop())

    describe('beside the embedded engine', () => {
      const embedded = embeddedStore(registry)
      const random = mulberry32(21)
      const stopWords = ['the', 'will', 'it', 'us', 'wants', 'about', 'th', 'wil']
      const words = [...makeWords(random, 600), ...stopWords, 'used', 'willing']
      const ids = new Set<number>()
      let nextId = 1

      const values = (id: number): JsonObject => {
        const { title, body } = makePaper(random, id, words)
        const labels = pick(random, [null, [], ['red'], ['dark blue', 'green']])
        return { title, body, labels, rank: pick(random, [null, 1, 2, 3]), hidden: pick(random, words) }
      }
      const both = async (...operations: readonly Operation[]) => {
        await embedded.write(...operations)
        await process.write(...operations)
      }
      const change = (): Operation => {
        const deed = random()
        if (deed < 0.4 || ids.size === 0) {
          ids.add(nextId)
          return insert(values(nextId), nextId++)
        }
        const id = pick(random, [...ids])
        if (deed < 0.8) return update(id, random() < 0.2 ? { rank: 5 } : values(id))
        ids.delete(id)
        return remove(id)
      }
      const queryOf = (round: number): string => {
        const word = () => pick(random, words)
        if (round % 9 === 0) return pick(random, stopWords)
        if (round % 7 === 0) return `${pick(random, stopWords)} ${word()} ${pick(random, stopWords)}`
        if (round % 4 === 0) return misspelt(random, word())
        if (round % 4 === 1) return `${misspelt(random, word())} ${misspelt(random, word())}`
        if (round % 4 === 2) return `${word()} ${word().slice(0, 3)}`
        return word().slice(0, integer(random, 1, 8))
      }
      const compare = async (q: string, asked: Asked = {}) => {
        const expected = shown(await embedded.search(q, asked))
        assert.deepEqual(shown(await process.search(q, asked)), expected, `${q} ${JSON.stringify(asked)}`)
        return expected.total
      }

      before(async () => {
        const first = Array.from({ length: 1200 }, () => {
          ids.add(nextId)
          return insert(values(nextId), nextId++)
        })
        await both(...first)
        await process.engine.make(note)
      })

      test(`finds the same records for ${queries} queries, most of them misspelt, with the same scores and positions`, async () => {
        let total = 0
        for (let round = 0; round < queries; round++) total += await compare(queryOf(round), { fuzzy: round % 4 !== 3 })
        assert.ok(total > 10 * queries, `${total} found`)
      })

      test('with filters, fields and sort keys, page by page', async () => {
        const ranked = { field: 'rank', operator: 'gt', value: 1 } as const
        const unranked = { field: 'rank', operator: 'isnull', value: true } as const
        for (let round = 0; round < queries / 8; round++) {
          const filters = pick(random, [
            [],
            [ranked],
            [{ any: [ranked, unranked] }, { not: { field: 'id', operator: 'in', values: [3, 4, 5] } as const }],
          ])
          const sort = pick(random, [
            [],
            [{ field: 'rank', order: 'desc' } as const],
            [{ field: 'title', order: 'asc' } as const],
          ])
          const fields = pick(random, [['title'], ['body', 'labels'], ['title', 'body', 'labels']])
          const paging = { page: integer(random, 1, 3), pageSize: pick(random, [1, 7, 50]) }
          await compare(queryOf(round), {
            fuzzy: round % 2 === 0,
            filters,
            sort,
            ...paging,
            ...(fields === undefined ? {} : { fields }),
          })
        }
        assert.ok((await compare('dark blue', { fields: ['labels'] })) > 50)
      })

      test('for users who may view some of the records', async () => {
        const view = { kind: 'condition', condition: Condition.compile('self.rank == 2', note, registry) } as const
        const rules: RulesByModel = new Map([['note', { view }]])
        for (let round = 0; round < queries / 16; round++) {
          const q = queryOf(round)
          const asked = { fuzzy: round % 2 === 0 }
          const expected = shown(await embedded.search(q, asked, ANONYMOUS, rules))
          assert.deepEqual(shown(await process.search(q, asked, ANONYMOUS, rules)), expected, q)
          assert.ok(expected.hits.every(({ record }) => record.rank === 2))
        }
      })

      test('after every change, whether its words are stored or not', async () => {
        for (let round = 0; round < queries / 6; round++) {
          await both(...Array.from({ length: integer(random, 1, 4) }, change))
          if (round % 20 === 19) await process.engine.make(note)
          await compare(queryOf(round), { fuzzy: round % 4 !== 3 })
        }
      })

      const row = (title: string, body: string | null = null): Operation =>
        insert({ title, body, labels: null, rank: null, hidden: null }, nextId++)

      test('with stop words beside a word that few records have, and beside one that most have', async () => {
        await both(...Array.from({ length: 4500 }, (_, at) => row(at % 900 === 0 ? 'the zebra' : 'the owl', 'it')))
        await process.engine.make(note)
        await both(row('zebra of the us'), row('zebra', 'wants it'))
        for (const q of [
          'zebra',
          'the zebra',
          'the zebra it wants',
          'of the owl',
          'it us',
          'the',
          'zebra the owl',
          'of lion the',
        ])
          await compare(q, { pageSize: 20 })
        assert.deepEqual([await compare('the zebra'), await compare('zebra')], [7, 7])
      })

      test('in the first 100,000 characters of a text', async () => {
        const [halves, wide] = ['\u{20000}'.repeat(60_000), '渡'.repeat(99_995)]
        await both(row('long', `${'kelp '.repeat(20_000)}otter`), row(`${wide} eel1 eel2`, `${halves}eel3`))
        const found = (page: FoundPageOfModel) =>
          page.hits.map(({ id, score, record }) => ({ id, score, matches: page.matchesIn(record) }))
        for (const state of ['changed', 'stored']) {
          for (const q of ['kelp', 'otter', 'eel1', 'eel2', 'eel3', '\u{20000}', 'long kelp otter']) {
            const expected = found(await embedded.search(q))
            assert.deepEqual(found(await process.search(q)), expected, `${q}, ${state}`)
            assert.equal(expected.length, ['otter', 'eel2', 'eel3'].includes(q) ? 0 : 1, q)
          }
          await process.engine.make(note)
        }
      })
    })

    describe('knows', () => {
      for (const [kind, cases] of Object.entries(CASES)) {
        test(kind, async () => {
          for (const [q, text] of cases) {
            const title = unmarked(text)
            const outcome = await process.store.transact([insert({ title })])
            const id = outcome.ok ? (outcome.records[0]?.id ?? 0) : 0
            const only = { filters: [{ field: 'id', operator: 'eq', value: id } as const] }
            for (const state of ['changed', 'stored']) {
              const { hits, matchesIn } = await process.search(q, only)
              assert.deepEqual(
                hits.map(({ record }) => marked(title, matchesIn(record).title)),
                [text],
                `${q}, ${state}`,
              )
              await process.engine.make(note)
            }
          }
        })
      }
    })
  })
}
