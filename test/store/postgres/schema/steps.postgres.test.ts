import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { AUTH_MODELS } from '../../../../src/auth/account-models.ts'
import { flatSource } from '../../../../src/config/source.ts'
import { HISTORY_MODELS } from '../../../../src/history/history-recorder.ts'
import { buildRegistry } from '../../../../src/model/build.ts'
import type { ModelDefinition } from '../../../../src/model/definition.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { applySchema, planOf, prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { systemObjects } from '../../../../src/store/postgres/schema/plan-tables.ts'
import { STORE_MIGRATIONS, type StoreMigration } from '../../../../src/store/postgres/schema/store-migrations.ts'
import { type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { registryOf } from '../../../model/models.ts'
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
            /^A table is locked .*Locks of the tables that change: .*'post' by the session \d+ of \w+, admin-folder, since \d+ s; .*pg_terminate_backend/,
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

  on('steps wait for writers of several tables before they lock any', async (schema) => {
    const models = (text: string) => [
      model('Atag', [
        { name: 'word', type: 'string' },
        { name: text, type: 'string' },
      ]),
      model('Post', [
        { name: 'title', type: 'string' },
        { name: text, type: 'string' },
        { name: 'atag_id', type: 'foreignkey', model: 'atag' },
      ]),
    ]
    await schema.apply(models('a'))
    const writer = new PgDatabase(await serverAddress(), { pool: 1 })
    try {
      let applied: Promise<unknown> | undefined
      await writer.transaction(async (connection) => {
        await connection.query(sql`insert into ${schema.table('post')} ("title") values ('one')`)
        applied = schema.apply(models('b'), { lockWaits: { timeout: 10_000, pauses: [] } })
        const waiting = sql`select from pg_locks where not granted and relation = ${`"${schema.schema}"."post"`}::regclass`
        while ((await schema.rows(waiting)).length === 0) await new Promise(setImmediate)
        await connection.query(sql`insert into ${schema.table('atag')} ("word") values ('one')`)
      })
      await applied
    } finally {
      await writer.close()
    }
    assert.deepEqual(await schema.rows(sql`select count(*) from ${schema.table('post')}`), ['1'])
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
      maxConnections: database.maxConnections,
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

  describe('migrations of the store', () => {
    const ADDED: StoreMigration = {
      number: STORE_MIGRATIONS.length + 1,
      reason: 'Leases have a note',
      statements: (layout) => [sql`alter table ${layout.system('leases')} add column "note" text`],
    }
    const LATER = [...STORE_MIGRATIONS, ADDED]
    const BREAKING = [...STORE_MIGRATIONS, { ...ADDED, isBreaking: true as const }]
    const numbers = (schema: SchemaUnderTest) =>
      schema.rows(sql`select "number" from ${schema.table('_admin_migrations')} order by 1`)

    on('are numbered from 1, and the tables that they follow never change', async (schema) => {
      assert.deepEqual(
        STORE_MIGRATIONS.map(({ number }) => number),
        STORE_MIGRATIONS.map((_, index) => index + 1),
      )
      const texts = systemObjects(new Layout(registryOf(POST), 'admin')).flatMap(({ create, indexes = [] }) => [
        create,
        ...indexes,
      ])
      const hashed = hash('sha256', JSON.stringify(texts.map((each) => each.compile().text)), 'hex')
      assert.equal(
        hashed,
        '569ec72d774a8662c861379ece4472004b54cdd24571a58376754bfb0293eb69',
        'A change of the tables of the store is a migration of its own (store-migrations.ts)',
      )
      await schema.apply([POST])
      assert.deepEqual(
        await numbers(schema),
        STORE_MIGRATIONS.map(({ number }) => String(number)),
      )
    })

    on('are steps of the plan, which a start applies once, in a database of a release before them too', async (schema) => {
      await schema.apply([POST])
      await schema.rows(
        sql`drop table ${schema.table('_admin_migrations')}, ${schema.table('_admin_processes')}, ${schema.table('_admin_file_chunks')}`,
      )
      const former = await schema.reasons(POST)
      assert.deepEqual(former, [
        'additive: Migration 1 of the store: Changes of the tables of the store are numbered',
        'additive: Migration 2 of the store: The processes that serve the database are listed',
        'additive: Migration 3 of the store: An update notes its records in the order of their ids for searches',
        'additive: Migration 4 of the store: The bytes of files have a table',
      ])
      const layout = schema.layout(POST)
      assert.equal((await prepareSchema(schema.database, layout, 'additive', { migrations: LATER })).length, LATER.length)
      assert.deepEqual(await prepareSchema(schema.database, layout, 'never', { migrations: LATER }), [])
      assert.deepEqual(await schema.rows(sql`select "note" from ${schema.table('_admin_leases')}`), [])
      // An earlier release goes on, and takes nothing back.
      assert.deepEqual(await prepareSchema(schema.database, layout, 'never'), [])
      await schema.rows(sql`update ${schema.table('_admin_definitions')}
        set "definition" = jsonb_set("definition"::jsonb, '{functions,_admin_count}', '"later"') where "name" = ''`)
      assert.deepEqual(await schema.reasons(POST), [])
    })

    on('keep releases out that cannot use the database any more', async (schema) => {
      const layout = schema.layout(POST)
      await applySchema(schema.database, layout, { migrations: BREAKING })
      for (const attempt of [prepareSchema(schema.database, layout, 'additive'), applySchema(schema.database, layout)]) {
        await assert.rejects(attempt, {
          code: 'MIGRATION_NEEDED',
          message: new RegExp(`migration ${ADDED.number} of the store \\(Leases have a note\\), .*start the later release`),
        })
      }
    })
  })

  describe('entries of the history after a rename', () => {
    const BEFORE = model('Memo', [{ name: 'body', type: 'string' }])
    const AFTER = model('Note', [{ name: 'text', type: 'string', was: 'body' }], { was: 'Memo' })
    const layoutOf = (schema: SchemaUnderTest, value: ModelDefinition) => {
      const builtIn = { public: AUTH_MODELS.public, internal: [...AUTH_MODELS.internal, ...HISTORY_MODELS] }
      return new Layout(buildRegistry([{ value, source: flatSource('models') }], builtIn).registry, schema.schema)
    }

    on('follow in slices outside of the transaction, which an interrupted run leaves to the next', async (schema) => {
      const { database } = schema
      await applySchema(database, layoutOf(schema, BEFORE))
      const history = schema.table('_admin_historyentry')
      const entry = (
        count: number,
        name: string,
      ) => sql`insert into ${history} ("model", "record_id", "action", "at", "via", "changes")
        select ${name}, 1, 'update', now(), 'api', '{"body":{"from":null,"to":"a"}}' from generate_series(1, ${count}::integer)`
      await database.query(entry(12_000, 'memo'))
      let slices = 0
      const within: string[] = []
      const interrupted = (limit: number): Database => ({
        query: async (statement) => {
          if (statement.compile().text.includes('"slice"') && ++slices > limit) throw new Error('killed')
          return database.query(statement)
        },
        transaction: (work, options) =>
          database.transaction(
            (connection) =>
              work({
                query: (statement, given) => {
                  within.push(statement.compile().text)
                  return connection.query(statement, given)
                },
              }),
            options,
          ),
        stream: (statement, batch) => database.stream(statement, batch),
        maxConnections: database.maxConnections,
        usage: () => database.usage(),
        close: () => database.close(),
      })
      const layout = layoutOf(schema, AFTER)
      await assert.rejects(applySchema(interrupted(2), layout), /killed/)
      assert.ok(within.some((text) => text.includes('rename to')))
      assert.deepEqual(
        within.filter((text) => text.startsWith(`update "${schema.schema}"."_admin_historyentry"`)),
        [],
      )
      const count = (condition: Sql) => schema.rows(sql`select count(*) from ${history} where ${condition}`)
      assert.deepEqual(await count(sql`"model" = 'note'`), ['10000'])
      // An entry that was made later, as of another field that takes the former name, stays.
      await database.query(entry(1, 'note'))
      assert.deepEqual(
        (await planOf(database, layout)).steps.map(({ reason }) => reason),
        ["The history names 'note' no longer 'memo'", "The history names 'text' of 'note' no longer 'body'"],
      )
      await prepareSchema(interrupted(Number.POSITIVE_INFINITY), layout, 'additive')
      assert.deepEqual(await count(sql`"model" = 'note' and "changes"::jsonb ? 'text'`), ['12000'])
      assert.deepEqual(await count(sql`"changes"::jsonb ? 'body'`), ['1'])
      assert.equal(slices, 1 + 2 + 4 + 4)
      assert.deepEqual((await planOf(database, layout)).steps, [])
      assert.deepEqual(await prepareSchema(database, layout, 'never'), [])
    })
  })
})
