import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { applySchema } from '../../../src/store/postgres/schema/migration.ts'
import { sql } from '../../../src/store/postgres/sql.ts'
import { pglite } from '../../helpers/postgres/pglite.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'
import { insert, libraryRegistry } from '../../helpers/store/library.ts'

test('a table that was vacuumed while it was empty is analyzed when it has 1,000 records', async () => {
  const database = await pglite()
  const own = newSchema(database)
  const layout = new Layout(libraryRegistry(), own.schema)
  await applySchema(database, layout)
  const { table } = layout.of('genre')
  await database.query(sql`vacuum ${table}`)
  const known = async () => {
    const { rows } = await database.query(
      sql`select reltuples from pg_class where relnamespace = ${own.schema}::regnamespace and relname = 'genre'`,
    )
    return Number(rows[0]?.[0])
  }
  const genres = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => insert('genre', { name: `Genre ${from + index}` }))
  const store = new PostgresStore(database, layout)
  assert.ok((await store.transact(genres(0, 400))).ok)
  assert.ok((await store.transact(genres(400, 999))).ok)
  assert.equal(await known(), 0)
  assert.ok((await store.transact(genres(999, 1000))).ok)
  // Waits for what goes on after the write.
  await store.close()
  assert.equal(await known(), 1000)
  await own.drop()
})
