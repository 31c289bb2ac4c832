import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Plan } from '../../../../src/query/plan.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { createSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import type { Store, StoredRecord } from '../../../../src/store/store.ts'
import { newSchema, type TestSchema } from '../../../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'

const LAGGING = { mayLag: true }

describe('reads that may lag', { skip: NO_POSTGRES ?? false }, () => {
  let own: TestSchema
  let database: PgDatabase
  let layout: Layout
  let statements = 0

  before(async () => {
    own = newSchema(await sharedDatabase())
    layout = new Layout(libraryRegistry(), own.schema)
    await createSchema(own.database, layout)
    database = new PgDatabase(await serverAddress(), { observe: () => void statements++ })
  })
  after(async () => {
    await database.close()
    await own.drop()
  })

  /** A store whose time is moved by hand, another one on the same database, and a genre in both. */
  async function open() {
    const time = { now: 0 }
    const store = new PostgresStore(database, layout, { now: () => time.now })
    const other = new PostgresStore(own.database, layout)
    await own.database.query(sql`truncate ${layout.of('book').table}, ${layout.of('genre').table} cascade`)
    const outcome = await other.transact([insert('genre', { name: 'a' })])
    assert.ok(outcome.ok)
    const id = outcome.records[0]?.id ?? 0
    const plan: Plan = { filters: [{ field: 'id', operator: 'eq', value: id }], sort: [], offset: 0, limit: 1 }
    const nameOf = (record: StoredRecord | undefined) => record?.name
    const read = async () => {
      const [record] = await store.get('genre', [id], LAGGING)
      const { records } = await store.find('genre', plan, LAGGING)
      assert.equal(nameOf(records[0]), nameOf(record))
      return nameOf(record)
    }
    const rename = async (on: Store, name: string) => assert.ok((await on.transact([update('genre', id, { name })])).ok)
    const sent = async (work: () => Promise<unknown>) => {
      const start = statements
      await work()
      return statements - start
    }
    return { time, store, other, id, read, rename, sent }
  }

  test('are answered from memory for 500 ms', async () => {
    const { time, read, sent } = await open()
    assert.equal(await sent(read), 2)
    for (const now of [0, 249, 499]) {
      time.now = now
      assert.equal(await sent(read), 0)
    }
    time.now = 500
    assert.equal(await sent(read), 2)
    assert.equal(await sent(read), 0)
  })

  test('see a change of another process after 500 ms', async () => {
    const { time, other, read, rename } = await open()
    assert.equal(await read(), 'a')
    await rename(other, 'b')
    time.now = 499
    assert.equal(await read(), 'a')
    time.now = 500
    assert.equal(await read(), 'b')
  })

  test('see a change of another program, a removal and a truncation', async () => {
    const { time, other, id, read } = await open()
    const { table } = layout.of('genre')
    assert.equal(await read(), 'a')
    await own.database.query(sql`update ${table} set "name" = 'b'`)
    time.now = 500
    assert.equal(await read(), 'b')
    assert.ok((await other.transact([remove('genre', id)])).ok)
    time.now = 1000
    assert.equal(await read(), undefined)
  })

  test('see the changes of this process at once', async () => {
    const { store, id, read, rename } = await open()
    assert.equal(await read(), 'a')
    await rename(store, 'b')
    assert.equal(await read(), 'b')
    const reading = read()
    await rename(store, 'c')
    await reading
    assert.equal(await read(), 'c')
    assert.ok((await store.transact([remove('genre', id)])).ok)
    assert.equal(await read(), undefined)
  })

  test('see links that change', async () => {
    const { time, store, other, id } = await open()
    const author = await other.transact([insert('author', { name: `author ${id}` })])
    assert.ok(author.ok)
    const values = { title: 'a book', isbn: `${id}`, author_id: author.records[0]?.id ?? 0, genres: [id] }
    const added = await other.transact([insert('book', values)])
    const [book] = added.ok ? added.records : []
    assert.ok(book !== undefined)
    assert.deepEqual((await store.get('book', [book.id], LAGGING))[0]?.genres, [id])
    await own.database.query(sql`delete from ${layout.of('book').links[0]?.table ?? sql`none`}`)
    time.now = 500
    assert.deepEqual((await store.get('book', [book.id], LAGGING))[0]?.genres, [])
  })

  test('fail when the database does not answer, once the results are 500 ms old', async () => {
    const { id } = await open()
    const time = { now: 0 }
    const closing = new PgDatabase(await serverAddress())
    const store = new PostgresStore(closing, layout, { now: () => time.now })
    await store.get('genre', [id], LAGGING)
    await closing.close()
    time.now = 499
    assert.equal((await store.get('genre', [id], LAGGING))[0]?.name, 'a')
    time.now = 500
    await assert.rejects(store.get('genre', [id], LAGGING), { code: 'STORE_UNAVAILABLE' })
  })
})
