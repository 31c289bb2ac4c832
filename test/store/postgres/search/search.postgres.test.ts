import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { RulesByModel } from '../../../../src/access/access-rules.ts'
import { Condition } from '../../../../src/access/condition.ts'
import { ANONYMOUS } from '../../../../src/auth/permissions.ts'
import { AppError } from '../../../../src/errors.ts'
import type { FoundPageOfModel } from '../../../../src/reads/searches.ts'
import { textAnalyser, WORDS_REVISION } from '../../../../src/search/stored-words.ts'
import { MAX_SEARCHED } from '../../../../src/search/tokens.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { identifier, sql } from '../../../../src/store/postgres/sql.ts'
import type { TextAnalyser } from '../../../../src/store/search-storage.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'
import {
  type Asked,
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
const idsOf = ({ hits }: FoundPageOfModel): number[] => hits.map(({ id }) => id)
const found = async (searched: SearchedStore, q: string, asked?: Asked): Promise<number[]> =>
  idsOf(await searched.search(q, asked)).sort((a, b) => a - b)

const isNotReady = (error: unknown) => error instanceof AppError && error.code === 'SEARCH_NOT_READY' && error.retryAfter === 2

describe('a search in PostgreSQL', { skip: NO_POSTGRES }, () => {
  let schema: SearchedSchema
  let process: SearchedStore
  const schemas: SearchedSchema[] = []
  const fresh = async (): Promise<SearchedStore> => {
    schema = await searchedSchema(await sharedDatabase(), registry)
    schemas.push(schema)
    process = schema.open()
    return process
  }
  after(async () => {
    for (const each of schemas) await each.drop()
  })

  describe('finds', () => {
    test('what another process wrote, at once', async () => {
      await fresh()
      const url = await serverAddress()
      const pool = new PgDatabase(url, { pool: 2 })
      try {
        const other = schema.open(pool)
        await other.engine.make(note)
        for (let round = 1; round <= 20; round++) {
          await process.write(insert({ title: `Bowline ${round}` }))
          assert.equal((await other.search('bowlin', { fuzzy: true })).total, round)
          await other.write(update(round, { body: `knot${round}` }))
          assert.deepEqual(await found(process, `knot${round}`), [round])
          if (round % 5 === 0) await (round % 2 === 0 ? other : process).engine.make(note)
        }
        await other.write(remove(3))
        assert.deepEqual(await found(process, 'knot3'), [])
      } finally {
        await pool.close()
      }
    })

    test('what other programs wrote, truncated, and wrote before there was a search', async () => {
      await fresh()
      const database = await sharedDatabase()
      const { table } = schema.layout.of('note')
      await database.query(sql`insert into ${table} (title) select 'early ' || n from generate_series(1, 3) n`)
      assert.deepEqual(await found(process, 'early'), [1, 2, 3])
      await process.engine.make(note)
      await database.query(sql`insert into ${table} (title, labels) values ('late', '{dark blue}')`)
      await database.query(sql`update ${table} set title = 'later', id = 9 where id = 2`)
      await database.query(sql`delete from ${table} where id = 3`)
      assert.deepEqual(
        [await found(process, 'early'), await found(process, 'late'), await found(process, 'blue')],
        [[1], [4, 9], [4]],
      )
      await process.engine.make(note)
      assert.deepEqual(
        [await found(process, 'early'), await found(process, 'late'), await found(process, 'blue')],
        [[1], [4, 9], [4]],
      )
      await database.query(sql`truncate ${table}`)
      await database.query(sql`insert into ${table} (title) values ('early')`)
      assert.deepEqual([await found(process, 'early'), await found(process, 'late')], [[5], []])
    })

    test('records with their present text only, while others write', async () => {
      await fresh()
      await process.write(...Array.from({ length: 8 }, () => insert({ title: 'bowline' })))
      let isOver = false
      const writer = async (id: number) => {
        for (let round = 0; !isOver; round++)
          await process.write(update(id, { title: round % 2 === 0 ? 'clove hitch' : 'bowline' }))
      }
      const storing = async () => {
        while (!isOver) await process.engine.make(note)
      }
      const background = Promise.all([writer(1), writer(2), writer(3), storing(), storing()])
      try {
        for (let round = 0; round < 60; round++) {
          const filters = round % 2 === 0 ? [] : [{ field: 'id', operator: 'gt', value: 0 } as const]
          const page = await process.search('bowline', { filters })
          assert.ok(page.hits.every(({ record }) => record.title === 'bowline' && page.matchesIn(record).title !== undefined))
          assert.equal(page.total, page.hits.length)
          assert.ok(page.total >= 5 && page.total <= 8, `${page.total}`)
        }
      } finally {
        isOver = true
        await background
      }
      assert.equal((await process.search('bowline')).total + (await process.search('clove')).total, 8)
    })
  })

  describe('stores words', () => {
    const searched = { table: 'note', fields: ['title', 'body', 'labels'], maxText: MAX_SEARCHED, revision: WORDS_REVISION }
    const count = async (name: string): Promise<number> => {
      const { rows } = await (await sharedDatabase()).query(sql`select count(*) from ${schema.layout.system(name)}`)
      return Number(rows[0]?.[0])
    }
    const pause = async () => {}

    test('of a limited number of records in a transaction, and says whether there are more', async () => {
      await fresh()
      await process.write(...Array.from({ length: 5 }, (_, at) => insert({ title: `owl ${at}` })))
      await schema.storage.open(searched)
      assert.equal(await count('search_changes'), 5)
      const next = () => schema.storage.storeNext(searched, textAnalyser, 2, pause)
      assert.deepEqual([await next(), await next(), await next(), await next()], ['more', 'more', 'none', 'none'])
      assert.deepEqual([await count('search_changes'), await count('search_documents')], [0, 5])
      assert.deepEqual(await schema.storage.behind(['note', 'user']), [])
      await process.write(insert({ title: 'fox' }))
      assert.deepEqual(await schema.storage.behind(['note', 'user']), ['note'])
    })

    test('of records that one statement changes in the order of their ids, so that few rows of words are written', async () => {
      await fresh()
      const database = await sharedDatabase()
      await process.engine.make(note)
      const { table } = schema.layout.of('note')
      await database.query(sql`insert into ${table} (title) select 'owl ' || n from generate_series(1, 3000) n`)
      await database.query(sql`update ${table} set title = 'elk'`)
      const { rows } = await database.query(sql`select id from ${schema.layout.system('search_changes')} order by change`)
      const ids = Array.from({ length: 3000 }, (_, index) => index + 1)
      assert.deepEqual(
        rows.map(([id]) => Number(id)),
        [...ids, ...ids],
      )
    })

    test('in one process at a time', async () => {
      await fresh()
      await process.engine.make(note)
      await process.write(insert({ title: 'owl' }))
      const database = await sharedDatabase()
      await database.transaction(async (connection) => {
        await connection.query(sql`select from ${schema.layout.system('search')} for update`)
        assert.equal(await schema.storage.storeNext(searched, textAnalyser, 10, pause), 'busy')
        assert.deepEqual(await found(process, 'owl'), [1], 'a search waits for no lock')
      })
      assert.equal(await schema.storage.storeNext(searched, textAnalyser, 10, pause), 'none')
    })

    test('again when other fields are searched, and deletes the former ones', async () => {
      await fresh()
      await process.write(insert({ title: 'owl', hidden: 'fox' }), insert({ body: 'owl' }))
      await process.engine.make(note)
      const words = await count('search_words')
      const other = { ...searched, fields: ['title', 'hidden'] }
      const former = schema.open(undefined, 20)
      assert.equal((await former.search('owl')).total, 2)
      await schema.storage.open(other)
      assert.equal((await former.search('owl')).total, 2)
      while ((await schema.storage.storeNext(other, textAnalyser, 10, pause)) === 'more');
      const owls = await former.search('owl')
      assert.equal(owls.total, 1, 'a process with the former definition finds what both search, and does not change it back')
      await schema.storage.open({ ...searched, fields: ['hidden'] })
      await assert.rejects(former.search('owl'), isNotReady)
      await schema.storage.open(other)
      former.engine.close()
      while ((await schema.storage.storeNext(other, textAnalyser, 10, pause)) === 'more');
      const selection = { words: ['owl', 'fox'], stems: [], prefixes: [], slight: [], near: [], nearOf: () => [] }
      const places = await schema.storage.read(other, selection, async ({ stored }) =>
        stored.words.flatMap(({ word, eachPlace }) => {
          const list: unknown[] = []
          eachPlace((...place) => list.push([word, ...place]))
          return list
        }),
      )
      assert.deepEqual(places?.sort(), [
        ['fox', 1, 1, 1, 1],
        ['owl', 1, 0, 1, 1],
      ])
      assert.ok((await count('search_words')) > words)
      while (await schema.storage.discardGarbage());
      assert.deepEqual([await count('search_words'), await count('search_documents')], [2, 2])
    })

    test('again after an update of the program that makes other words', async () => {
      await fresh()
      await process.write(insert({ title: 'Will' }), insert({ title: 'About the owl', body: 'Mül\u00adler' }))
      const former = { ...searched, revision: WORDS_REVISION - 1 }
      const analyser: TextAnalyser = {
        analyse: async (texts) => ({ lengths: texts.map(() => 1), words: new Map([['former', [{ field: 0, times: 1 }]]]) }),
        stemOf: (word) => word,
      }
      await schema.storage.open(former)
      assert.equal(await schema.storage.storeNext(former, analyser, 10, pause), 'none')
      assert.deepEqual(await schema.storage.behind(['note']), [])
      const started = schema.open()
      await started.engine.make(note)
      assert.deepEqual(
        [
          await found(started, 'will'),
          await found(started, 'about'),
          await found(started, 'müller'),
          await found(started, 'former'),
        ],
        [[1], [2], [2], []],
      )
      const { rows } = await (await sharedDatabase()).query(sql`select revision from ${schema.layout.system('search')}`)
      assert.deepEqual(rows, [[String(WORDS_REVISION)]])
    })

    test('in revision 2 or later, since those of revision 1 lack stop words', () => assert.ok(WORDS_REVISION >= 2))

    test('of a few records with long texts in a transaction, and says that there are more', async () => {
      await fresh()
      const long = (word: string) => `${word} ${'渡'.repeat(MAX_SEARCHED)}`
      for (let at = 0; at < 6; at++)
        await process.write(
          insert({ title: long(`owl${at}`), body: `fox ${'x'.repeat(4 * MAX_SEARCHED)}` }),
          insert({ title: 'elk' }),
        )
      await schema.storage.open(searched)
      let pauses = 0
      const counted = async () => void pauses++
      const steps: string[] = []
      do steps.push(await schema.storage.storeNext(searched, textAnalyser, 100, counted))
      while (steps.at(-1) === 'more')
      assert.deepEqual([steps, await count('search_changes'), await count('search_documents')], [['more', 'none'], 0, 12])
      assert.ok(pauses > 100, `${pauses} pauses`)
      assert.deepEqual([await found(process, 'owl5'), (await found(process, 'elk')).length], [[11], 6])
    })

    test('first when more than 1,000 records changed, and a search waits for that', async () => {
      await fresh()
      await process.engine.make(note)
      await process.write(...Array.from({ length: 1001 }, () => insert({ title: 'owl' })))
      assert.equal((await process.search('owl')).total, 1001)
      assert.equal(await count('search_changes'), 0)
      await process.write(...Array.from({ length: 1000 }, () => insert({ title: 'owl' })))
      assert.equal((await process.search('owl')).total, 2001)
      assert.equal(await count('search_changes'), 1000)
    })

    test('of the latest changes after all others, and searches meanwhile say what they miss', async () => {
      await fresh()
      const database = await sharedDatabase()
      const { table } = schema.layout.of('note')
      const row = (count: number, title: string) =>
        sql`insert into ${table} (title, rank) select ${title}, n % 2 from generate_series(1, ${count}) n`
      await database.query(row(1500, 'owl fox'))
      await process.engine.make(note)
      await database.query(sql`update ${table} set title = 'elk fox' where id <= 1400`)
      await database.query(sql`delete from ${table} where id between 1401 and 1450`)
      await database.query(row(1200, 'fox'))
      await process.write(update(1500, { title: 'hen' }))
      // Another process stores the words and is slow.
      await database.transaction(async (connection) => {
        await connection.query(sql`select from ${schema.layout.system('search')} for update`)
        const impatient = schema.open(undefined, 20)
        const counted = async (q: string, asked?: Asked) => {
          const { total, missing, hits } = await impatient.search(q, asked)
          return [total, missing, hits.length]
        }
        // 1,400 updated and 201 new ones; the last 999 new ones and the own write are searched as they are.
        assert.deepEqual(await counted('hen'), [1, 1601, 1])
        assert.deepEqual(await counted('elk'), [0, 1601, 0])
        assert.deepEqual(await counted('fox', { pageSize: 1000 }), [1400 + 49 + 999, 1601, 1000])
        const first = await impatient.search('owl')
        assert.deepEqual(
          [first.total, idsOf(first)],
          [1449, []],
          'no hit that has lost the words, on a page of those that had them',
        )
        const last = { filters: [{ field: 'id', operator: 'gt', value: 1380 } as const], pageSize: 100 }
        assert.deepEqual(await counted('owl', last), [49, 1601, 49])
        assert.deepEqual(await counted('owl elk', { ...last, sort: [{ field: 'id', order: 'asc' }] }), [69, 1601, 69])
        const view = { kind: 'condition', condition: Condition.compile('self.rank == 1', note, registry) } as const
        const rules: RulesByModel = new Map([['note', { view }]])
        assert.equal((await impatient.search('fox', {}, ANONYMOUS, rules)).missing, 801)
        await assert.rejects(impatient.search('fox', { complete: true }), isNotReady)
        impatient.engine.close()
      })
      const { total, missing } = await process.search('fox', { complete: true })
      assert.deepEqual([total, missing], [1400 + 49 + 1200, 0])
      assert.deepEqual((await process.search('owl')).total, 49)
    })

    test('for another role, which needs rights on the table of the records only', async () => {
      await fresh()
      await process.engine.make(note)
      const database = await sharedDatabase()
      const { table } = schema.layout.of('note')
      const role = identifier(`${schema.layout.schema}_writer`)
      await database.query(sql`create role ${role}`)
      try {
        await database.query(sql`grant usage on schema ${identifier(schema.layout.schema)} to ${role}`)
        await database.query(sql`grant insert on ${table} to ${role}`)
        await database.transaction(async (connection) => {
          await connection.query(sql`set local role ${role}`)
          await connection.query(sql`insert into ${table} (title) values ('owl')`)
        })
        assert.deepEqual(await found(process, 'owl'), [1])
      } finally {
        await database.query(sql`drop owned by ${role}`)
        await database.query(sql`drop role ${role}`)
      }
    })
  })
})
