import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Database, isConstraintViolation } from '../../../../src/store/postgres/connection/database.ts'
import { Layout, rowVersionOf } from '../../../../src/store/postgres/layout/layout.ts'
import { applySchema } from '../../../../src/store/postgres/schema/migration.ts'
import { identifier, joined, type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import type { Json } from '../../../../src/util/json.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { registryOf } from '../../../model/models.ts'

const LONG = 'x'.repeat(80)

const registry = registryOf(
  { name: 'Tag', fields: [{ name: 'name', type: 'string' }] },
  {
    name: 'Thing',
    timestamps: true,
    fields: [
      { name: 'string', type: 'string', max_length: 10 },
      { name: 'key', type: 'slug', unique: true },
      { name: 'choice', type: 'choice', choices: ['one', "it's"] },
      { name: 'integer', type: 'integer', gte: -5 },
      { name: 'number', type: 'number', choices: [1, 2.5, 1e-7] },
      { name: 'double', type: 'number' },
      { name: 'decimal', type: 'decimal', decimal_places: 2 },
      { name: 'boolean', type: 'boolean' },
      { name: 'date', type: 'date' },
      { name: 'time', type: 'time' },
      { name: 'datetime', type: 'datetime' },
      { name: 'multichoice', type: 'multichoice', choices: ['a', 'b,"c"', 'd\\'] },
      { name: 'json', type: 'json' },
      { name: 'uuid', type: 'uuid', default: null },
      { name: 'parent_id', type: 'foreignkey', model: 'thing', on_delete: 'set_null' },
      { name: 'tags', type: 'many_to_many', model: 'tag' },
      { name: LONG, type: 'integer' },
    ],
  },
)

/** Values that come back as they were stored, by field. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
  string: ['', 'ü 😀 \u2028\n"\\', '__proto__', 'NULL'],
  key: ['a', LONG, 'x'.repeat(5000)],
  choice: ['one', "it's"],
  integer: [0, -5, 2 ** 53 - 1],
  number: [1, 2.5, 1e-7],
  double: [0.1, -1e21, 1e-300, 123456789.125],
  decimal: ['0', '-0.5', '12345678901234567890123456789.25'],
  boolean: [true, false],
  date: ['2024-02-29', '0001-01-01', '9999-12-31'],
  time: ['18:30:00', '18:30:15.250', '00:00:00.001', '23:59:59.900'],
  datetime: ['2024-05-01T10:30:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '1969-12-31T23:59:59.120Z'],
  multichoice: [[], ['a'], ['d\\', 'b,"c"', 'a']],
  json: [{ b: 1, a: [1e-7, null, 'x'] }, [], 'text', 0, false, { '2': 'ü', '1': {} }],
  uuid: ['6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  [LONG]: [1],
}

/** Values that a constraint of the table refuses. */
const REFUSED: Readonly<Record<string, readonly Json[]>> = {
  string: ['12345678901'],
  choice: ['two'],
  integer: [-6],
  number: [3],
  decimal: ['0.125'],
  multichoice: [['a', 'e']],
  parent_id: [99],
}

/** Declares the checks of how records become rows and rows records. */
export function checkRecords(name: string, open: () => Promise<Database>, skip: string | undefined): void {
  describe(`records as rows of ${name}`, { skip }, () => {
    const withTable = async (body: (database: Database, layout: Layout) => Promise<void>) => {
      const own = newSchema(await open())
      const layout = new Layout(registry, own.schema)
      try {
        await applySchema(own.database, layout)
        await body(own.database, layout)
      } finally {
        await own.drop()
      }
    }

    test('values come back as they were stored', async () => {
      await withTable(async (database, layout) => {
        for (const [field, values] of Object.entries(VALUES)) {
          for (const value of [null, ...values]) {
            const inserted = await insert(database, layout, { [field]: value })
            assert.deepEqual(inserted[field], value, field)
            assert.equal(JSON.stringify(inserted[field]), JSON.stringify(value), field)
          }
        }
      })
    })

    test('a record has all fields in the order of the model, is frozen, and has the version of its row', async () => {
      await withTable(async (database, layout) => {
        const record = await insert(database, layout, { string: 'a' })
        assert.deepEqual(Object.keys(record), [...layout.of('thing').model.fields.keys()])
        assert.ok(Object.isFrozen(record))
        const { table } = layout.of('thing')
        const { rows } = await database.query(sql`select xmin from ${table}`)
        assert.equal(rowVersionOf(record), rows[0]?.[0])
      })
    })

    test('an empty list of links is not null, and links keep their order', async () => {
      await withTable(async (database, layout) => {
        const thing = layout.of('thing')
        const link = thing.link('tags')
        assert.ok(link !== undefined)
        await database.query(sql`insert into ${layout.of('tag').table} ("name") values ('a'), ('b'), ('c')`)
        const id = (await insert(database, layout, {})).id
        assert.equal((await read(database, layout, id)).tags, null)
        await database.query(sql`update ${thing.table} set ${link.flag} = true`)
        assert.deepEqual((await read(database, layout, id)).tags, [])
        await database.query(sql`insert into ${link.table} values (${id}, 3, 0), (${id}, 1, 1), (${id}, 2, 2)`)
        assert.deepEqual((await read(database, layout, id)).tags, [3, 1, 2])
        await database.query(sql`delete from ${layout.of('tag').table}`)
        assert.deepEqual((await read(database, layout, id)).tags, [])
      })
    })

    test('settings of the session do not change what is read', async () => {
      await withTable(async (database, layout) => {
        const values = { date: '2024-02-29', datetime: '2024-05-01T10:30:00.250Z', time: '18:30:00.250' }
        const { id } = await insert(database, layout, values)
        const { rows } = await database.transaction(async (connection) => {
          await connection.query(sql`set local datestyle = 'German'`)
          await connection.query(sql`set local timezone = 'Asia/Kolkata'`)
          return connection.query(selectById(layout, id))
        })
        const record = layout.of('thing').read(rows[0] ?? [], 1)
        assert.deepEqual(Object.fromEntries(Object.keys(values).map((field) => [field, record[field]])), values)
      })
    })

    for (const [field, values] of Object.entries(REFUSED)) {
      test(`a constraint refuses ${field} ${JSON.stringify(values)}`, async () => {
        await withTable(async (database, layout) => {
          for (const value of values) await assert.rejects(insert(database, layout, { [field]: value }), isConstraintViolation)
        })
      })
    }

    test('unique values of any length are unique, and can be swapped in a transaction', async () => {
      await withTable(async (database, layout) => {
        const [first, second] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`]
        await insert(database, layout, { key: first })
        await insert(database, layout, { key: second })
        await assert.rejects(insert(database, layout, { key: first }), isConstraintViolation)
        const { table } = layout.of('thing')
        await database.transaction(async (connection) => {
          await connection.query(sql`update ${table} set "key" = ${second} where "id" = 1`)
          await connection.query(sql`update ${table} set "key" = ${first} where "id" = 2`)
        })
        assert.equal((await read(database, layout, 1)).key, second)
      })
    })

    test('records and writes are counted, whichever statement writes', async () => {
      await withTable(async (database, layout) => {
        const { table } = layout.of('thing')
        const counted = async (body: () => Promise<unknown>) => {
          const before = await counters(database, layout)
          await body()
          const after = await counters(database, layout)
          return [after.records - before.records, after.writes > before.writes]
        }
        const execute = (statement: Sql) => () => database.query(statement)
        const link = layout.of('thing').link('tags')
        const three = sql`insert into ${table} ("string", "created_at", "updated_at")
          select "name", now(), now() from unnest(array['a', 'b', 'c']) "name"`
        assert.deepEqual(await counted(execute(three)), [3, true])
        assert.deepEqual(await counted(execute(sql`update ${table} set "string" = 'd'`)), [0, true])
        assert.deepEqual(await counted(execute(sql`delete from ${table} where "id" = 2`)), [-1, true])
        assert.deepEqual(await counted(execute(sql`delete from ${table} where "id" = 99`)), [0, false])
        await database.query(sql`insert into ${layout.of('tag').table} ("name") values ('a')`)
        assert.deepEqual(await counted(execute(sql`insert into ${link?.table ?? sql``} values (1, 1, 0)`)), [0, true])
        assert.deepEqual(await counted(execute(sql`delete from ${layout.of('tag').table}`)), [0, true])
        const undone = () =>
          database.transaction(async (connection) => {
            await connection.query(three)
            throw new Error('no')
          })
        assert.deepEqual(await counted(() => undone().catch(() => {})), [0, false])
        assert.deepEqual(await counted(execute(sql`truncate ${table} cascade`)), [-2, true])
        assert.equal((await counters(database, layout)).records, 0)
      })
    })
  })
}

async function insert(database: Database, layout: Layout, values: Readonly<Record<string, Json>>) {
  const thing = layout.of('thing')
  const columns = thing.columns.filter(({ field }) => Object.hasOwn(values, field.name))
  const parameters = columns.map((column) => sql`${column.toParameter(values[column.field.name] ?? null)}`)
  const names = joined([identifier('created_at'), ...columns.map((column) => column.sql)])
  const statement = sql`insert into ${thing.table} (${names}, "updated_at") values (now(), ${joined([...parameters, sql`now()`])})`
  const { rows } = await database.query(sql`${statement} returning ${thing.selectList(thing.table)}`)
  return thing.read(rows[0] ?? [])
}

const selectById = (layout: Layout, id: number): Sql => {
  const thing = layout.of('thing')
  return sql`select 'first', ${thing.selectList(identifier('t'))} from ${thing.table} "t" where "id" = ${id}`
}

async function read(database: Database, layout: Layout, id: number) {
  const { rows } = await database.query(selectById(layout, id))
  return layout.of('thing').read(rows[0] ?? [], 1)
}

async function counters(database: Database, layout: Layout): Promise<{ records: number; writes: number }> {
  const { rows } = await database.query(
    sql`select sum("records"), sum("writes") from ${layout.system('counters')} where "table_name" = 'thing'`,
  )
  return { records: Number(rows[0]?.[0]), writes: Number(rows[0]?.[1]) }
}
