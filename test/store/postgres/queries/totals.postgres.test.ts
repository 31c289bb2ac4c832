import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Filter, Plan } from '../../../../src/query/plan.ts'
import type { Connection, Database, ResultRows } from '../../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { readPage, selectPage } from '../../../../src/store/postgres/queries/page.ts'
import { Queries } from '../../../../src/store/postgres/queries/queries.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { newSchema, type TestSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'

const plan = (filters: readonly Filter[] = [], page: Partial<Plan> = {}): Plan => ({
  filters,
  sort: [],
  offset: 0,
  limit: 2,
  ...page,
})
const ANN: Filter = { field: 'author_id', target: 'author', filter: { field: 'name', operator: 'startswith', value: 'Ann' } }
const CRIME: Filter = { field: 'genres', operator: 'eq', value: 1 }

/** A database that keeps the statements that it is sent. */
function recorded(database: Database): { database: Database; statements: Sql[] } {
  const statements: Sql[] = []
  const query: Connection['query'] = (statement, options): Promise<ResultRows> => {
    statements.push(statement)
    return database.query(statement, options)
  }
  return {
    statements,
    database: new Proxy(database, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) }),
  }
}

describe('totals', { skip: NO_POSTGRES ?? false }, () => {
  let own: TestSchema
  let layout: Layout
  let queries: Queries
  let statements: Sql[]

  before(async () => {
    own = newSchema(await sharedDatabase())
    layout = new Layout(libraryRegistry(), own.schema)
    await applySchema(own.database, layout)
    const { table } = layout.of('author')
    await own.database.query(sql`insert into ${table} ("name") select 'Ann ' || i from generate_series(1, 3) i`)
    await own.database.query(sql`insert into ${layout.of('genre').table} ("name") values ('crime'), ('poetry')`)
    await own.database.query(sql`insert into ${layout.of('book').table} ("title", "isbn", "author_id")
      select 'Book ' || i, i::text, 1 + i % 3 from generate_series(1, 9) i`)
    const watched = recorded(own.database)
    statements = watched.statements
    queries = new Queries(watched.database, layout)
  })
  after(() => own.drop())

  /** How PostgreSQL executes the last statement. */
  async function executed(): Promise<string> {
    const { rows } = await own.database.query(sql`explain (analyze, costs off, timing off) ${statements.at(-1) ?? assert.fail()}`)
    return rows.map(([line]) => line).join('\n')
  }

  const total = async (filters: readonly Filter[], page?: Partial<Plan>) =>
    (await queries.find('book', plan(filters, page))).total

  test('of all records are those of the counters', async () => {
    assert.equal(await total([]), 9)
    assert.doesNotMatch(statements.at(-1)?.compile().text ?? assert.fail(), /count\(/)
    await own.database.query(
      sql`insert into ${layout.of('book').table} ("title", "isbn", "author_id") values ('Late', 'late', 1)`,
    )
    assert.equal(await total([]), 10)
    await own.database.query(sql`delete from ${layout.of('book').table} where "isbn" = 'late'`)
    assert.equal(await total([]), 9)
  })

  test('of filters are counted once for each version of the tables that are read', async () => {
    assert.equal(await total([ANN]), 9)
    assert.doesNotMatch(await executed(), /never executed/)
    assert.equal(await total([ANN], { offset: 4 }), 9)
    assert.match(await executed(), /never executed/)
    await own.database.query(sql`update ${layout.of('author').table} set "name" = 'Bob' where "id" = 1`)
    assert.equal(await total([ANN]), 6)
    assert.equal(await total([ANN]), 6)
    assert.match(await executed(), /never executed/)
  })

  test('are not counted for a reader that does not use them', async () => {
    const { records } = await queries.find('book', plan([ANN], { offset: 1 }), { withoutTotal: true })
    assert.deepEqual(records, (await queries.find('book', plan([ANN], { offset: 1 }))).records)
    const [statement] = statements.slice(-2)
    assert.doesNotMatch(statement?.compile().text ?? assert.fail(), /count\(|counters/)
  })

  test('notice other links', async () => {
    assert.equal(await total([CRIME]), 0)
    const [link] = layout.of('book').links
    await own.database.query(sql`insert into ${link?.table ?? assert.fail()} ("owner", "target", "position") values (2, 1, 0)`)
    assert.equal(await total([CRIME]), 1)
  })

  test('are known behind the last page, and without a page', async () => {
    for (const [page, expected] of [
      [plan([ANN], { offset: 100 }), 6],
      [plan([ANN], { limit: 0 }), 6],
      [plan([], { offset: 100 }), 9],
    ] as const) {
      const { records, total: found } = await queries.find('book', page)
      assert.deepEqual([records, found], [[], expected])
    }
    assert.deepEqual(await queries.findEach('book', [plan([], { offset: 100 }), plan([ANN], { limit: 0 })]), [
      { records: [], total: 9 },
      { records: [], total: 6 },
    ])
  })

  test('let a page near the end be read from there', async () => {
    await own.database.query(
      sql`insert into ${layout.of('category').table} ("name") select 'C ' || i % 7 from generate_series(1, 3000) i`,
    )
    const read = async (page: Partial<Plan>) => {
      const { records, total: all } = await queries.find(
        'category',
        plan([], { sort: [{ field: 'name', order: 'desc' }], ...page }),
      )
      return [records.map(({ id }) => id), all] as const
    }
    const [all] = await read({ limit: 3000 })
    for (const [offset, limit] of [
      [2000, 20],
      [2990, 20],
      [2999, 1],
      [3000, 5],
      [4000, 5],
      [1400, 20],
    ] as const) {
      assert.deepEqual(await read({ offset, limit }), [all.slice(offset, offset + limit), 3000], `${offset}`)
    }
    await read({ offset: 2900, limit: 20 })
    assert.match(await executed(), /actual rows=100/)
  })

  test('and pages are of one snapshot', async () => {
    const table = layout.of('book')
    await own.database.transaction(
      async (connection) => {
        const read = async () => readPage(table, (await connection.query(selectPage(table, plan([ANN]), layout, undefined))).rows)
        const before = await read()
        await own.database.query(sql`update ${layout.of('author').table} set "name" = 'Ann' where "id" = 1`)
        assert.deepEqual(await read(), before)
      },
      { isolation: 'repeatable read' },
    )
    assert.equal(await total([ANN]), 9)
  })

  test('a count whose client has gone is cancelled', async () => {
    const client = new AbortController()
    // The count waits for the lock, so it cannot end before its client goes.
    await own.database.transaction(async (connection) => {
      await connection.query(sql`lock table ${layout.of('book').table} in access exclusive mode`)
      const answer = queries.find('book', plan([CRIME]), { signal: client.signal })
      setImmediate(() => client.abort(new Error('The client has gone')))
      await assert.rejects(answer, /The client has gone/)
    })
  })
})
