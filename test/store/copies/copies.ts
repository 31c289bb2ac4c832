import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { AUTH_MODELS, SESSIONS } from '../../../src/auth/account-models.ts'
import { flatSource } from '../../../src/config/source.ts'
import { FILE_MODELS } from '../../../src/files/file-models.ts'
import { HISTORY_MODELS } from '../../../src/history/history-recorder.ts'
import { buildRegistry } from '../../../src/model/build.ts'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import { FolderBlobs } from '../../../src/store/blobs/folder-blobs.ts'
import { ProcessLocks } from '../../../src/store/blobs/hash-locks.ts'
import { PostgresBlobs } from '../../../src/store/blobs/postgres-blobs.ts'
import { receive } from '../../../src/store/blobs/receive.ts'
import type { CopiedBlobs } from '../../../src/store/copies/copied-files.ts'
import { copyToEmbedded } from '../../../src/store/copies/copy-to-embedded.ts'
import { copyToPostgres } from '../../../src/store/copies/copy-to-postgres.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../src/store/postgres/layout/layout.ts'
import { planOf } from '../../../src/store/postgres/schema/migration.ts'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import type { Operation, Store } from '../../../src/store/store.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import { WEBHOOK_MODELS } from '../../../src/webhooks/models.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { newSchema } from '../../helpers/postgres/schemas.ts'

const THING: ModelDefinition = {
  name: 'Thing',
  timestamps: false,
  unique_together: [['line', 'whole']],
  fields: [
    { name: 'line', type: 'string', max_length: 100 },
    { name: 'prose', type: 'text', unique: true },
    { name: 'pin', type: 'password' },
    { name: 'whole', type: 'integer' },
    { name: 'real', type: 'number' },
    { name: 'exact', type: 'decimal' },
    { name: 'flag', type: 'boolean' },
    { name: 'day', type: 'date' },
    { name: 'hour', type: 'time' },
    { name: 'moment', type: 'datetime' },
    { name: 'kind', type: 'choice', choices: ['a', 'b'] },
    { name: 'kinds', type: 'multichoice', choices: ['a', 'b', 'c "quoted" \\ {}'] },
    { name: 'any', type: 'json' },
    { name: 'code', type: 'uuid', default: null },
    { name: 'parent_id', type: 'foreignkey', model: 'thing' },
    { name: 'others', type: 'many_to_many', model: 'thing' },
    { name: 'readers', type: 'many_to_many', model: 'user' },
  ],
}

const FULL: JsonObject = {
  line: `tab\t "quotes" 'single' \\ back {braces} ünï 🙂 \u2028`,
  prose: 'x'.repeat(5000),
  pin: '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA',
  whole: Number.MAX_SAFE_INTEGER,
  real: 0.1 + 0.2,
  exact: '-12345678901234567890.123456789',
  flag: false,
  day: '2024-02-29',
  hour: '18:30:00.500',
  moment: '2024-05-01T10:30:00.001Z',
  kind: 'b',
  kinds: ['c "quoted" \\ {}', 'a'],
  any: { z: [1, null, 'é', { 2: 'b', 1: 'a' }], a: 1e21, nested: '{"not":"parsed"}' },
  code: '6f1c1c1e-0000-4000-8000-000000000001',
  parent_id: 2,
  others: [3, 1],
  readers: [1],
}

/** More records than one statement inserts. */
const MANY = 2345

function registryOf(...models: readonly ModelDefinition[]) {
  const definitions = models.map((value) => ({ value, source: flatSource('models') }))
  const internal = [...AUTH_MODELS.internal, ...WEBHOOK_MODELS, ...HISTORY_MODELS, ...FILE_MODELS]
  return buildRegistry(definitions, { public: AUTH_MODELS.public, internal }).registry
}

const REGISTRY = registryOf(THING)
const OLD: ModelDefinition = { name: 'Old', fields: [{ name: 'text', type: 'string' }] }

const insert = (table: string, values: JsonObject, id?: number): Operation => ({
  kind: 'insert',
  table,
  values,
  ...(id && { id }),
})

async function commit(store: Store, ...operations: readonly Operation[]): Promise<void> {
  const outcome = await store.transact(operations)
  assert.ok(outcome.ok, JSON.stringify(outcome))
}

/** The bytes of files in a data folder. */
function filesOf(folder: string): FolderBlobs {
  const files = join(folder, 'files')
  return new FolderBlobs(files, new ProcessLocks(files))
}

/** Fills a data folder with records of every type, removed ids, a session, history, webhooks, and a table that no model has. */
async function fill(folder: string): Promise<void> {
  const store = await FileStore.open(folder, registryOf(THING, OLD), 'write')
  const at = '2024-01-01T00:00:00.000Z'
  const times = { created_at: at, updated_at: at }
  await commit(store, insert('user', { username: 'ann', email: 'a@example.com', password: '$argon2id$x', ...times }))
  await commit(
    store,
    insert('thing', FULL),
    insert('thing', { line: null, real: 1e300, kinds: [], others: [], any: [], day: '0001-01-01' }),
    insert('thing', { line: '', others: [2], real: -0.5, any: 'text' }),
  )
  await commit(store, ...Array.from({ length: MANY }, (_, index) => insert('thing', { line: `line ${index}`, whole: index })))
  await commit(store, { kind: 'remove', table: 'thing', id: MANY + 3 })
  await commit(
    store,
    insert('authsession', { user_id: 1, family: 'f', token_id: 't', credential: 'c', expires_at: at, ...times }),
  )
  const blobs = filesOf(folder)
  const bytes = await receive(Readable.from([Buffer.from('a')]), blobs.incoming, { maxBytes: 1 })
  await blobs.keep(bytes)
  const file = { token: 'token12345', sha256: bytes.sha256, size: 1, name: 'a', type: 'image/png', user_id: 1 }
  await commit(store, insert('storedfile', { ...file, model: 'thing', field: 'line', record_id: 1, at, released_at: at }))
  await commit(
    store,
    insert('historyentry', {
      model: 'thing',
      record_id: 1,
      action: 'create',
      at,
      via: 'api',
      changes: { line: { before: null, after: 'x' } },
    }),
  )
  await commit(
    store,
    insert('webhooksubscription', {
      url: 'https://example.com/',
      events: ['create'],
      models: ['thing'],
      secret: 's',
      active: true,
      from_settings: false,
      ...times,
    }),
  )
  await commit(
    store,
    insert('webhookevent', {
      message_id: 'm',
      event: 'create',
      model: 'thing',
      record_id: 1,
      data: '{"id": 1}',
      timestamp: at,
      pending: [1],
    }),
  )
  await commit(store, insert('old', { text: 'one' }))
  await store.close()
}

/** The records of a data folder. A field without a value is null, whether or not the file has it. */
async function contents(folder: string): Promise<Record<string, readonly object[]>> {
  const store = await FileStore.open(folder, REGISTRY, 'read')
  const tables: Record<string, object[]> = {}
  for (const { key, fields } of REGISTRY.all) {
    const records: object[] = []
    for await (const batch of store.stream(key, { filters: [], sort: [] })) {
      for (const record of batch) records.push(Object.fromEntries([...fields.keys()].map((name) => [name, record[name] ?? null])))
    }
    tables[key] = records
  }
  await store.close()
  return tables
}

interface Place {
  readonly database: Database
  readonly layout: Layout
  readonly folder: string
  readonly back: string
  /** The bytes of `folder`, and of `back`, with those of the database. */
  readonly blobs: CopiedBlobs
  readonly blobsBack: CopiedBlobs
}

/** Copies to PostgreSQL and back, on any PostgreSQL. */
export function testCopies(open: () => Promise<Database>): void {
  const without = new Set([SESSIONS])
  const on = (name: string, use: (place: Place) => Promise<void>) =>
    test(name, async () => {
      const temporary = await temporaryFolder()
      const { database, schema, drop } = newSchema(await open())
      const [folder, back] = [join(temporary.path, 'data'), join(temporary.path, 'back')]
      await fill(folder)
      try {
        const layout = new Layout(REGISTRY, schema)
        const inDatabase: CopiedBlobs['inDatabase'] = (target) => new PostgresBlobs(target, layout, filesOf(folder).incoming)
        const blobsOf = (each: string): CopiedBlobs => ({ folder: filesOf(each), inDatabase })
        await use({ database, layout, folder, back, blobs: blobsOf(folder), blobsBack: blobsOf(back) })
      } finally {
        await drop()
        await temporary.remove()
      }
    })

  describe('a copy', () => {
    on(
      'to a database and back has the same records, ids, next ids and checksums',
      async ({ database, layout, folder, back, blobs, blobsBack }) => {
        const there = await copyToPostgres({ folder, database, layout, blobs, without })
        assert.deepEqual(there.leftBehind, [{ table: 'old', records: 1 }])
        const thing = there.models.find(({ model }) => model === 'thing')
        assert.deepEqual([thing?.records, thing?.nextId], [MANY + 2, MANY + 4])
        assert.deepEqual((await planOf(database, layout)).steps, [])
        const returned = await copyToEmbedded({ folder: back, database, layout, blobs: blobsBack, without })
        const byName = (models: typeof there.models) => [...models].sort((a, b) => a.model.localeCompare(b.model))
        assert.deepEqual(byName(returned.models), byName(there.models))
        assert.deepEqual([there.files, returned.files], Array(2).fill({ files: 1, contents: 1, bytes: 1 }))
        const [before, after] = [await contents(folder), await contents(back)]
        assert.deepEqual([before.authsession?.length, after.authsession?.length], [1, 0])
        assert.deepEqual({ ...after, authsession: null }, { ...before, authsession: null })
        const store = await FileStore.open(back, REGISTRY, 'write')
        const added = await store.transact([insert('thing', {})])
        assert.equal(added.ok && added.records[0]?.id, MANY + 4)
        await store.close()
      },
    )

    on('goes on with the next ids, and its rows are counted', async ({ database, layout, folder, blobs }) => {
      await copyToPostgres({ folder, database, layout, blobs, without })
      const { rows } = await database.query(sql`insert into ${layout.of('thing').table} default values returning "id"`)
      assert.deepEqual(rows[0], [String(MANY + 4)])
      const sum = await database.query(sql`select sum("records") from ${layout.system('counters')} where "table_name" = 'thing'`)
      assert.deepEqual(sum.rows[0], [String(MANY + 3)])
    })

    on('leaves nothing when it fails', async ({ database, folder, layout, blobs }) => {
      const field = { name: 'line', type: 'string', max_length: 5 } as const
      const strict = new Layout(
        registryOf({ ...THING, fields: THING.fields.map((each) => (each.name === 'line' ? field : each)) }),
        layout.schema,
      )
      await assert.rejects(
        copyToPostgres({ folder, database, layout: strict, blobs, without }),
        (error: { code: string; message: string }) => {
          assert.equal(error.code, 'TASK_FAILED')
          assert.match(error.message, /^The records 1 to \d+ of 'thing' cannot be copied: .*thing_line_check/)
          return true
        },
      )
      const { rows } = await database.query(sql`select from pg_namespace where "nspname" = ${layout.schema}`)
      assert.equal(rows.length, 0)
    })

    on(
      'needs a schema without tables, and a folder without data',
      async ({ database, layout, folder, back, blobs, blobsBack }) => {
        await copyToPostgres({ folder, database, layout, blobs, without })
        const file = await readFile(join(folder, 'db.json'), 'utf8')
        await assert.rejects(
          copyToPostgres({ folder, database, layout, blobs, without }),
          /is not empty: it has tables \(\w+, \w+, \w+ …\)/,
        )
        await assert.rejects(copyToEmbedded({ folder, database, layout, blobs, without }), /holds data already/)
        assert.equal(await readFile(join(folder, 'db.json'), 'utf8'), file)
        const more = new Layout(registryOf(THING, OLD), layout.schema)
        await assert.rejects(copyToEmbedded({ folder: back, database, layout: more, blobs: blobsBack, without }), {
          code: 'MIGRATION_NEEDED',
        })
        assert.ok(!existsSync(join(back, 'db.json')))
      },
    )

    on('takes over renames', async ({ database, folder, layout, blobs }) => {
      const fields = THING.fields.map((each) => (each.name === 'line' ? { ...each, name: 'title', was: 'line' } : each))
      const renamed = registryOf({ ...THING, unique_together: [['title', 'whole']], fields }, { ...OLD, name: 'New', was: 'Old' })
      const { leftBehind } = await copyToPostgres({
        folder,
        database,
        layout: new Layout(renamed, layout.schema),
        blobs,
        without,
      })
      assert.deepEqual(leftBehind, [])
      const { rows } = await database.query(sql`select "title" from ${identifier(layout.schema, 'thing')} where "id" = 4`)
      assert.deepEqual(rows[0], ['line 0'])
    })
  })
}
