import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { applySchema, prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { testRenames } from './renames.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'
import { testSteps } from './steps.ts'
import { testStoredNames } from './stored-names.ts'

describe('migrations on a server', { skip: NO_POSTGRES }, () => {
  testSteps(sharedDatabase)
  testRenames(sharedDatabase)
  testStoredNames(sharedDatabase)

  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(sharedDatabase, use))
  const POST = model('Post', [{ name: 'title', type: 'string' }])

  on('of two processes that start at once, one migrates and the other waits', async (schema) => {
    const address = await serverAddress()
    const databases = [1, 2, 3, 4].map(() => new PgDatabase(address, { pool: 1 }))
    try {
      const done = await Promise.all(databases.map((database) => prepareSchema(database, schema.layout(POST), 'additive')))
      assert.deepEqual(done.map((steps) => steps.length > 0).sort(), [false, false, false, true])
      const more = schema.layout(
        model('Post', [
          { name: 'title', type: 'string' },
          { name: 'stars', type: 'integer' },
        ]),
      )
      const again = await Promise.all(databases.map((database) => prepareSchema(database, more, 'additive')))
      assert.deepEqual(again.map((steps) => steps.length).sort(), [0, 0, 0, 2])
    } finally {
      for (const database of databases) await database.close()
    }
  })

  on(
    'indexes of a large table are built after the other steps, and again if they were not built to their end',
    async (schema) => {
      await schema.apply([POST])
      const post = schema.table('post')
      await schema.database.query(
        sql`insert into ${post} ("title") select repeat(md5("n"::text), 10) from generate_series(1, 100000) "n"`,
      )
      const more = model('Post', [
        { name: 'title', type: 'string' },
        { name: 'stars', type: 'integer' },
      ])
      const steps = await schema.apply([more])
      assert.deepEqual(
        steps.filter(({ isConcurrent }) => isConcurrent).map(({ statements }) => statements[0]?.compile().text.split(' on ')[0]),
        ['create index concurrently if not exists "post_stars_idx"'],
      )
      const invalid = sql`update pg_index set indisvalid = false where indexrelid = ${`${schema.schema}.post_stars_idx`}::regclass`
      await schema.database.query(invalid)
      assert.deepEqual(await schema.reasons(more), ['additive: The index post_stars_idx is not complete'])
      await applySchema(schema.database, schema.layout(more))
      assert.deepEqual(await schema.reasons(more), [])
    },
  )

  on('a step gives up a table that another session keeps locked, and names the session', async (schema) => {
    await schema.apply([POST])
    const more = model('Post', [
      { name: 'title', type: 'string' },
      { name: 'stars', type: 'integer' },
    ])
    const reader = new PgDatabase(await serverAddress(), { pool: 1 })
    const pauses: number[] = []
    let release = () => {}
    const read = new Promise<void>((resolve) => {
      release = resolve
    })
    try {
      let session = ''
      let begun = () => {}
      const isReading = new Promise<void>((resolve) => {
        begun = resolve
      })
      const reading = reader.transaction(async (connection) => {
        const { rows } = await connection.query(sql`select pg_backend_pid(), count(*) from ${schema.table('post')}`)
        session = rows[0]?.[0] ?? ''
        begun()
        await read
      })
      await isReading
      const apply = (onPause: () => void) =>
        schema.apply([more], {
          lockWaits: { timeout: 20, pauses: [1, 2] },
          timer: (milliseconds, callback) => {
            pauses.push(milliseconds)
            onPause()
            setImmediate(callback)
            return () => {}
          },
        })
      await assert.rejects(
        apply(() => {}),
        (error: Error) => {
          assert.match(
            error.message,
            /'stars' of 'post'.*'post' by the session \d+ of \w+, admin-folder, since \d+ s; .*pg_terminate_backend/,
          )
          assert.ok(error.message.includes(`session ${session} `))
          return true
        },
      )
      assert.deepEqual(pauses, [1, 2])
      assert.equal((await schema.reasons(more)).length, 2)
      assert.equal((await apply(release)).length, 2)
      await reading
    } finally {
      release()
      await reader.close()
    }
  })

  on('a start builds the index that an interrupted one did not', async (schema) => {
    await schema.apply([POST])
    const rows = sql`select repeat(md5("n"::text), 10) from generate_series(1, 100000) "n"`
    await schema.database.query(sql`insert into ${schema.table('post')} ("title") ${rows}`)
    const { database } = schema
    const interrupted: Database = {
      query: async (statement) => {
        if (statement.compile().text.startsWith('create index concurrently')) throw new Error('killed')
        return database.query(statement)
      },
      transaction: (work, options) => database.transaction(work, options),
      stream: (statement, batch) => database.stream(statement, batch),
      usage: () => database.usage(),
      close: () => database.close(),
    }
    const layout = schema.layout(
      model('Post', [
        { name: 'title', type: 'string' },
        { name: 'stars', type: 'integer' },
      ]),
    )
    await assert.rejects(prepareSchema(interrupted, layout, 'additive'), /killed/)
    const steps = await prepareSchema(database, layout, 'additive')
    assert.deepEqual(valuesOf(steps, 'reason'), ["'post' lacks the index post_stars_idx"])
    assert.deepEqual(await prepareSchema(database, layout, 'never'), [])
  })
})
