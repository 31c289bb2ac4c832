import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition } from '../../../../src/model/definition.ts'
import { prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { identifier, keyword, type Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

const TITLE: FieldDefinition = { name: 'title', type: 'string', required: true }

const FIELDS: readonly FieldDefinition[] = [
  TITLE,
  { name: 'state', type: 'choice', choices: ['new', 'old'], default: 'new', required: true },
  { name: 'note', type: 'text', default: `it's "a"\n\\b` },
  { name: 'kinds', type: 'multichoice', choices: ['a', 'b, "c"'], default: ['b, "c"'] },
  { name: 'price', type: 'decimal', default: '1.5' },
  { name: 'size', type: 'number', default: -0.25 },
  { name: 'stars', type: 'integer', default: 3 },
  { name: 'is_open', type: 'boolean', default: false, required: true },
  { name: 'meta', type: 'json', default: { a: [1] } },
  { name: 'code', type: 'uuid', required: true, unique: true },
  { name: 'made_on', type: 'date', default: 'today' },
  { name: 'starts_at', type: 'time', default: '08:30' },
  { name: 'due_at', type: 'datetime', default: '2024-02-29T12:00:00Z' },
  { name: 'seen_at', type: 'datetime', default: 'now', required: true },
  { name: 'free', type: 'string' },
]
const POST = model('Post', FIELDS, { timestamps: true })

/** What a row has that was inserted with a title only. */
const DEFAULTS = ['new', `it's "a"\n\\b`, '{"b, \\"c\\""}', '1.5', '-0.25', '3', 'f', '{"a":[1]}', '08:30:00', null]

describe('defaults for rows by other programs', { skip: NO_POSTGRES }, () => {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(sharedDatabase, use))

  const expectDefaults = async (schema: SchemaUnderTest, title: string) => {
    const row = (columns: Sql) => schema.rows(sql`select ${columns} from ${schema.table('post')} where "title" = ${title}`)
    const fixed = sql`"state", "note", "kinds", "price", "size", "stars", "is_open", "meta", "starts_at", "free"`
    assert.deepEqual(await row(fixed), [DEFAULTS])
    const times = ['seen_at', 'created_at', 'updated_at'].map((name) => `abs(extract(epoch from now() - "${name}")) < 600`)
    const computed = [...times, `"made_on" - (now() at time zone 'UTC')::date between -1 and 0`, `"due_at" = '2024-02-29 12:00Z'`]
    const { rows } = await schema.database.query(
      sql`select count(*) from ${schema.table('post')} where "code" ~ '^[0-9a-f-]{36}$' and "title" = ${title}`,
    )
    assert.deepEqual(rows, [['1']])
    for (const condition of computed) {
      assert.deepEqual(await row(keyword(condition)), ['t'], condition)
    }
  }

  on('are those of the model, for all types and the timestamps, and the id is the next one', async (schema) => {
    await schema.apply([POST])
    await schema.insert('post', { title: 'a' })
    await schema.insert('post', { title: 'b' })
    await expectDefaults(schema, 'b')
    assert.deepEqual(await schema.rows(sql`select "id" from ${schema.table('post')} order by 1`), ['1', '2'])
    await assert.rejects(schema.insert('post', { state: 'old' }), /"title"/)
    assert.deepEqual(await schema.reasons(POST), [])
  })

  on('come to tables of a former version by a start, and rows without a value stay', async (schema) => {
    await schema.apply([POST])
    await schema.insert('post', { title: 'before', note: null })
    for (const { name } of [...FIELDS, { name: 'created_at' }, { name: 'updated_at' }]) {
      await schema.rows(sql`alter table ${schema.table('post')} alter column ${identifier(name)} drop default`)
    }
    const definitions = schema.table('_admin_definitions')
    await schema.rows(sql`update ${definitions} set "definition" = jsonb_set("definition"::jsonb, '{columns}',
      (select jsonb_object_agg("key", "value" - 'default') from jsonb_each("definition"::jsonb -> 'columns'))) where "name" = 'post'`)
    await schema.rows(sql`update ${definitions}
      set "definition" = jsonb_set("definition"::jsonb, '{fingerprint}', '"former"') where "name" = ''`)
    const reasons = await schema.reasons(POST)
    assert.equal(reasons.length, FIELDS.length - 2 + 2, 'all but title and free, and the timestamps')
    assert.equal(reasons[0], "additive: The default of 'state' of 'post' is that of the model, for rows by other programs")
    await prepareSchema(schema.database, schema.layout(POST), 'additive')
    await schema.insert('post', { title: 'after' })
    await expectDefaults(schema, 'after')
    assert.deepEqual(await schema.rows(sql`select "note" from ${schema.table('post')} where "title" = 'before'`), [null])
    assert.deepEqual(await schema.reasons(POST), [])
  })

  on('follow the model: new fields, other defaults, other types, none', async (schema) => {
    const post = (more: Partial<FieldDefinition>) => model('Post', [TITLE, { name: 'stars', type: 'integer', ...more }])
    const stars = () => schema.rows(sql`select "stars" from ${schema.table('post')} order by "id"`)
    await schema.apply([model('Post', [TITLE])])
    await schema.insert('post', { title: 'before' })
    const releases = [post({ default: 5 }), post({ default: 6 }), post({ type: 'number', default: 6 }), post({ type: 'number' })]
    for (const release of releases) {
      await schema.apply([release])
      assert.deepEqual(await schema.reasons(release), [])
      await schema.insert('post', { title: 'after' })
    }
    assert.deepEqual(await stars(), [null, '5', '6', '6', null])
  })

  on('of other programs stay where the model has none', async (schema) => {
    const post = (more: Partial<FieldDefinition>) => model('Post', [TITLE, { name: 'stars', type: 'integer', ...more }])
    await schema.apply([post({})])
    await schema.rows(sql`alter table ${schema.table('post')} alter column "stars" set default 9`)
    assert.deepEqual(await schema.reasons(post({})), [])
    await schema.apply([post({ label: 'Stars' })])
    await schema.insert('post', { title: 'one' })
    assert.deepEqual(await schema.rows(sql`select "stars" from ${schema.table('post')}`), ['9'])
  })
})
