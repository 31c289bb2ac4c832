import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { planOf, prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { identifier, sql } from '../../../../src/store/postgres/sql.ts'
import { databaseAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { registryOf } from '../../../model/models.ts'

const registry = registryOf({ name: 'Note', fields: [{ name: 'title', type: 'string', max_length: 100 }] })

test('parts of texts are indexed from the first start after pg_trgm has been installed', async () => {
  const server = await sharedDatabase()
  // Extensions belong to a database, which the other tests share.
  const name = `trigrams_${process.pid}`
  await server.query(sql`create database ${identifier(name)}`)
  const database = new PgDatabase(await databaseAddress(name))
  try {
    const layout = new Layout(registry, 'notes')
    const indexes = async () => {
      const { rows } = await database.query(
        sql`select indexname from pg_indexes where schemaname = 'notes' and tablename = 'note' order by 1`,
      )
      return rows.flat()
    }
    await prepareSchema(database, layout, 'additive')
    assert.deepEqual(await indexes(), ['note_pkey', 'note_title_idx'])
    await database.query(sql`create schema "Extensions"`)
    await database.query(sql`create extension pg_trgm schema "Extensions"`)
    const steps = await prepareSchema(database, layout, 'additive')
    assert.deepEqual(
      steps.map(({ reason }) => reason).filter((reason) => reason.includes("'note'")),
      ["'note' lacks the index note_title__parts_idx"],
    )
    assert.deepEqual(await indexes(), ['note_pkey', 'note_title__parts_idx', 'note_title_idx'])
    assert.deepEqual(await prepareSchema(database, layout, 'never'), [])
    assert.deepEqual((await planOf(database, layout)).steps, [])
  } finally {
    await database.close()
    await server.query(sql`drop database ${identifier(name)}`)
  }
})
