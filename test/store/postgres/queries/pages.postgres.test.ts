import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Plan } from '../../../../src/query/plan.ts'
import type { Connection, Database, ResultRows } from '../../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { Queries } from '../../../../src/store/postgres/queries/queries.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import type { FoundPage } from '../../../../src/store/store.ts'
import { newSchema, type TestSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'

const PAGE: Plan = { filters: [], sort: [{ field: 'title', order: 'asc' }], offset: 1, limit: 2 }
const BY_AUTHOR: Plan = {
  ...PAGE,
  offset: 0,
  sort: [{ field: 'name', order: 'asc', through: { field: 'author_id', target: 'author' } }],
}

describe('pages that are asked for again', { skip: NO_POSTGRES ?? false }, () => {
  let own: TestSchema
  let layout: Layout
  let queries: Queries
  let last: Sql

  before(async () => {
    own = newSchema(await sharedDatabase())
    layout = new Layout(libraryRegistry(), own.schema)
    await applySchema(own.database, layout)
    await own.database.query(sql`insert into ${layout.of('author').table} ("name") values ('Ann'), ('Ben')`)
    await own.database.query(sql`insert into ${layout.of('genre').table} ("name") values ('crime')`)
    await own.database.query(sql`insert into ${layout.of('book').table} ("title", "isbn", "author_id")
      select 'Book ' || i, i::text, 1 + i % 2 from generate_series(1, 5) i`)
    queries = new Queries(watched(own.database), layout)
  })
  after(() => own.drop())

  /** The database; the last statement that it is sent is kept. */
  function watched(database: Database): Database {
    const query: Connection['query'] = (statement, options): Promise<ResultRows> => {
      last = statement
      return database.query(statement, options)
    }
    return new Proxy(database, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) })
  }

  const lastPages = new Map<string, FoundPage>()
  /** The page of a plan. The store is given the last page of the same plan. */
  async function find(plan: Partial<Plan> = {}): Promise<FoundPage> {
    const whole = { ...PAGE, ...plan }
    const key = JSON.stringify(whole)
    const found = await queries.find('book', whole, { last: lastPages.get(key) })
    lastPages.set(key, found)
    return found
  }

  const titles = async (plan?: Partial<Plan>) => (await find(plan)).records.map(({ title }) => title)
  const write = (statement: Sql) => own.database.query(statement)
  test('are not read again while nothing was written', async () => {
    const page = await find()
    assert.deepEqual([page.records.map(({ title }) => title), page.total], [['Book 2', 'Book 3'], 5])
    assert.equal(await find(), page)
    const { rows } = await own.database.query(sql`explain (analyze, costs off, timing off) ${last}`)
    assert.match(rows.join('\n'), /"?book"? .*never executed/)
  })

  test('are read again after a write of another program', async () => {
    assert.deepEqual(await titles(), ['Book 2', 'Book 3'])
    await write(sql`update ${layout.of('book').table} set "title" = 'Book 2a' where "title" = 'Book 2'`)
    assert.deepEqual(await titles(), ['Book 2a', 'Book 3'])
    await write(sql`delete from ${layout.of('book').table} where "title" = 'Book 1'`)
    const { records, total } = await find()
    assert.deepEqual([records.map(({ title }) => title), total], [['Book 3', 'Book 4'], 4])
  })

  test('are read again after a change of links', async () => {
    const before = await find()
    const [link] = layout.of('book').links
    await write(
      sql`insert into ${link?.table ?? assert.fail()} ("owner", "target", "position") values (${before.records[0]?.id ?? null}, 1, 0)`,
    )
    assert.deepEqual((await find()).records[0]?.genres, [1])
  })

  test('are read again after a change of a record that a filter reads', async () => {
    const filters: Plan['filters'] = [
      { field: 'author_id', target: 'author', filter: { field: 'name', operator: 'eq', value: 'Ben' } },
    ]
    const before = await titles({ filters, offset: 0 })
    assert.ok(before.length > 0)
    await write(sql`update ${layout.of('author').table} set "name" = 'Zoe' where "name" = 'Ben'`)
    assert.deepEqual(await titles({ filters, offset: 0 }), [])
  })

  test('in an order by another table are read each time', async () => {
    const before = await titles(BY_AUTHOR)
    await write(sql`update ${layout.of('author').table} set "name" = case "name" when 'Ann' then 'Zoe' else 'Ann' end`)
    assert.notDeepEqual(await titles(BY_AUTHOR), before)
  })

  test('may be empty, or without a limit', async () => {
    for (const plan of [{ offset: 100 }, { limit: Number.POSITIVE_INFINITY }]) {
      const page = await find(plan)
      assert.equal(await find(plan), page)
    }
  })
})
