import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AUTH_MODELS } from '../../../../src/auth/account-models.ts'
import { flatSource } from '../../../../src/config/source.ts'
import { FILE_MODELS } from '../../../../src/files/file-models.ts'
import { HISTORY_MODELS } from '../../../../src/history/history-recorder.ts'
import { buildRegistry } from '../../../../src/model/build.ts'
import type { ModelDefinition } from '../../../../src/model/definition.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { applySchema, planOf, prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

const memo = (names: { text: string; tags: string; code: string }, was: boolean) =>
  [
    { name: names.text, type: 'string', max_length: 20, required: true, unique: true, ...(was && { was: 'body' }) },
    { name: names.code, type: 'integer', gte: 1, ...(was && { was: 'number' }) },
    { name: 'parent_id', type: 'foreignkey', model: was ? 'note' : 'memo', on_delete: 'cascade' },
    { name: names.tags, type: 'many_to_many', model: 'tag', ...(was && { was: 'labels' }) },
  ] as const

const TAG = model('Tag', [{ name: 'name', type: 'string' }])
const link = (target: string) => model('Link', [{ name: 'memo_id', type: 'foreignkey', model: target }])
const unique = (...names: readonly string[]): Partial<ModelDefinition> => ({ unique_together: [names] })
const BEFORE = [
  model('Memo', memo({ text: 'body', tags: 'labels', code: 'number' }, false), unique('body', 'number')),
  TAG,
  link('memo'),
]
const AFTER = [
  model('Note', memo({ text: 'text', tags: 'tags', code: 'code' }, true), { was: 'Memo', ...unique('text', 'code') }),
  TAG,
  link('note'),
]

async function fill(schema: SchemaUnderTest): Promise<void> {
  await schema.apply(BEFORE)
  await schema.insert('tag', { name: 'a' })
  await schema.insert('memo', { body: 'one', number: 1, _labels_set: true })
  await schema.insert('memo', { body: 'two', number: 2, parent_id: 1 })
  await schema.insert('memo_labels', { owner: 1, target: 1, position: 0 })
  await schema.insert('link', { memo_id: 2 })
}

/** Names of everything in a schema but the system's own tables. */
const namesIn = (schema: SchemaUnderTest) =>
  schema.rows(sql`select "name" from (
      select "relname" as "name", "relnamespace" as "space" from pg_class
      union all select "conname", "connamespace" from pg_constraint where "contype" <> 'n') "all"
    join pg_namespace "n" on "n"."oid" = "space" where "nspname" = ${schema.schema} order by 1`)

/** Names and records of the tables become those of a former version. */
async function giveFormerNames(schema: SchemaUnderTest): Promise<void> {
  const [table, links] = [schema.table('memo'), schema.table('memo_labels__target_idx')]
  await schema.rows(sql`alter table ${table} rename constraint "memo_body__number_key" to "memo_body,number_key"`)
  await schema.rows(sql`alter index ${links} rename to "memo_labels,target_idx"`)
  const definitions = schema.table('_admin_definitions')
  await schema.rows(
    sql`update ${definitions} set "definition" = replace("definition"::text, '__', ',')::json where "name" like 'memo%'`,
  )
  await schema.rows(sql`update ${definitions}
    set "definition" = jsonb_set("definition"::jsonb, '{fingerprint}', '"former"') where "name" = ''`)
}

/** Renames by `was`, on any PostgreSQL. */
export function testRenames(open: () => Promise<Database>): void {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(open, use))

  describe('was: a renamed model and fields', () => {
    on('are additive steps, keep all rows, and leave no former name behind', async (schema) => {
      await fill(schema)
      const plan = await schema.plan(...AFTER)
      assert.ok(plan.steps.length > 0 && plan.steps.every((step) => step.class === 'additive'))
      await schema.apply(AFTER)
      const note = schema.table('note')
      assert.deepEqual(await schema.rows(sql`select "id", "text", "code", "parent_id", "_tags_set" from ${note} order by "id"`), [
        ['1', 'one', '1', null, 't'],
        ['2', 'two', '2', '1', null],
      ])
      assert.deepEqual(await schema.rows(sql`select "owner", "target" from ${schema.table('note_tags')}`), [['1', '1']])
      assert.deepEqual(await schema.rows(sql`select "memo_id" from ${schema.table('link')}`), ['2'])
      await schema.insert('note', { text: 'three' })
      assert.deepEqual(await schema.rows(sql`select max("id") from ${note}`), ['3'])
      await assert.rejects(schema.insert('note', { text: 'x', code: 0 }), /note_code_check/)
      await assert.rejects(schema.insert('note', { text: 'one' }), /note_text_key/)
      const sum = sql`select sum("records") from ${schema.table('_admin_counters')} where "table_name" = 'note'`
      assert.deepEqual(await schema.rows(sum), ['3'])
      assert.deepEqual(await schema.reasons(...AFTER), [])
    })

    on('give what a new database has', async (schema) => {
      await fill(schema)
      await schema.apply(AFTER)
      const renamed = await namesIn(schema)
      await schema.drop()
      await schema.apply(AFTER)
      assert.deepEqual(renamed, await namesIn(schema))
    })

    on('are done in two runs, first the model and then a field', async (schema) => {
      await fill(schema)
      const first = [
        model(
          'Note',
          [...memo({ text: 'body', tags: 'labels', code: 'number' }, false)].map((field) =>
            field.name === 'parent_id' ? { ...field, model: 'note' } : field,
          ),
          { was: 'Memo', ...unique('body', 'number') },
        ),
        TAG,
        link('note'),
      ]
      await schema.apply(first)
      const plan = await schema.plan(...AFTER)
      assert.ok(
        plan.steps.every(
          (step) => step.class === 'additive' && /^In 'note', |^The table 'note_labels' becomes/.test(step.reason),
        ),
        JSON.stringify(plan.steps.map(({ reason }) => reason)),
      )
      await schema.apply(AFTER)
      assert.deepEqual(await schema.rows(sql`select "text" from ${schema.table('note')} order by "id"`), ['one', 'two'])
    })

    on('with another limit at once', async (schema) => {
      await fill(schema)
      const [note, ...others] = AFTER
      assert.ok(note !== undefined)
      const shorter = {
        ...note,
        fields: note.fields.map((field) => (field.name === 'text' ? { ...field, max_length: 2 } : field)),
      }
      const { steps } = await schema.plan(shorter, ...others)
      assert.deepEqual(
        steps.filter((step) => step.class !== 'additive').map(({ reason, rows }) => [reason, rows?.examples]),
        [
          [
            "'text' of 'note' has limits",
            [
              { id: 1, value: 'one' },
              { id: 2, value: 'two' },
            ],
          ],
        ],
      )
    })
  })

  describe('names with commas, which former versions gave', () => {
    on('are replaced by a start, without building anything again', async (schema) => {
      await fill(schema)
      const built = sql`select "c"."relname", "c"."relfilenode" from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
        where "n"."nspname" = ${schema.schema} and "c"."relkind" = 'i' order by 1`
      const present = await schema.rows(built)
      await giveFormerNames(schema)
      const reasons = ['memo', 'memo'].map((name) => `Names of constraints and indexes of '${name}' have no comma`)
      const found = (await schema.reasons(...BEFORE)).map((reason) => reason.split(', ')[0])
      assert.deepEqual(
        found,
        reasons.map((reason) => `additive: ${reason}`),
      )
      await prepareSchema(schema.database, schema.layout(...BEFORE), 'additive')
      assert.deepEqual(await schema.rows(built), present)
      assert.deepEqual(
        (await namesIn(schema)).filter((name) => String(name).includes(',')),
        [],
      )
      assert.deepEqual(await schema.reasons(...BEFORE), [])
    })

    on('are replaced together with a rename', async (schema) => {
      await fill(schema)
      await giveFormerNames(schema)
      assert.ok((await schema.plan(...AFTER)).steps.every((step) => step.class === 'additive' && step.phase === 'rename'))
      await schema.apply(AFTER)
      const names = await namesIn(schema)
      assert.deepEqual(
        names.filter((name) => String(name).includes(',')),
        [],
      )
      assert.ok(names.includes('note_text__code_key') && names.includes('note_tags__target_idx'))
      assert.deepEqual(await schema.reasons(...AFTER), [])
    })
  })

  describe('both names present', () => {
    const POST = (...names: readonly (readonly [name: string, was?: string])[]) =>
      model(
        'Post',
        names.map(([name, was]) => ({ name, type: 'string', ...(was !== undefined && { was }) })),
      )

    on('an empty column gives way', async (schema) => {
      await schema.apply([POST(['body'])])
      await schema.insert('post', { body: 'one' })
      await schema.apply([POST(['text'])])
      const { steps } = await schema.plan(POST(['text', 'body']))
      assert.deepEqual([...new Set(steps.map((step) => step.class))], ['additive'])
      await schema.apply([POST(['text', 'body'])])
      assert.deepEqual(await schema.rows(sql`select "text" from ${schema.table('post')}`), ['one'])
      const again = await schema.plan(POST(['text', 'body']))
      assert.deepEqual([again.steps, again.unused], [[], []])
    })

    on('different values are in the way', async (schema) => {
      await schema.apply([POST(['body'])])
      await schema.insert('post', { body: 'one' })
      await schema.apply([POST(['text'])])
      await schema.insert('post', { text: 'new' })
      await schema.database.query(sql`update ${schema.table('post')} set "text" = 'other' where "id" = 1`)
      const { steps } = await schema.plan(POST(['text', 'body']))
      assert.deepEqual(steps.find((step) => step.class === 'checked')?.rows, { count: 1, examples: [{ id: 1, value: 'other' }] })
    })

    on('values of another type are in the way, also where the former column is empty', async (schema) => {
      const cost = { name: 'cost', type: 'integer' } as const
      await schema.apply([model('Item', [{ name: 'price', type: 'string' }])])
      await schema.apply([model('Item', [cost])])
      await schema.insert('item', { cost: 5 })
      const { steps } = await schema.plan(model('Item', [{ ...cost, was: 'price' }]))
      assert.deepEqual(steps.find((step) => step.class === 'checked')?.rows, { count: 1, examples: [{ id: 1, value: '5' }] })
    })

    on('an empty table gives way, and one with rows is an error', async (schema) => {
      const text = { name: 'text', type: 'string' } as const
      await schema.apply([model('Memo', [text])])
      await schema.insert('memo', { text: 'one' })
      await schema.apply([model('Note', [text])])
      const renamed = model('Note', [text], { was: 'Memo' })
      assert.ok((await schema.plan(renamed)).steps.every((step) => step.class === 'additive'))
      await schema.insert('note', { text: 'new' })
      await assert.rejects(schema.plan(renamed), { code: 'RENAME_CONFLICT' })
      await schema.database.query(sql`delete from ${schema.table('note')}`)
      await schema.apply([renamed])
      assert.deepEqual(await schema.rows(sql`select "text" from ${schema.table('note')}`), ['one'])
      assert.deepEqual(await schema.reasons(renamed), [])
    })
  })

  on('the places of files follow a renamed model and field', async (schema) => {
    const layout = (...models: readonly ModelDefinition[]) => {
      const definitions = models.map((value) => ({ value, source: flatSource('models') }))
      const builtIn = { public: AUTH_MODELS.public, internal: [...AUTH_MODELS.internal, ...FILE_MODELS] }
      return new Layout(buildRegistry(definitions, builtIn).registry, schema.schema)
    }
    const picture = (name: string, was?: string) => ({ name, type: 'image', ...(was !== undefined && { was }) }) as const
    await applySchema(schema.database, layout(model('Memo', [picture('photo'), picture('other')])))
    const file = { token: 'token12345', sha256: 'a', size: 1, name: 'a', type: 'image/png', at: '2024-01-01T00:00:00Z' }
    for (const field of ['photo', 'other', 'gone']) await schema.insert('_admin_storedfile', { ...file, model: 'memo', field })
    await schema.insert('_admin_storedfile', { ...file, model: 'other', field: 'photo' })
    const places = () =>
      schema.rows(sql`select "model" || '.' || "field" from ${schema.table('_admin_storedfile')} order by "id"`)
    const renamed = layout(model('Note', [picture('cover', 'photo'), picture('other')], { was: 'Memo' }))
    await applySchema(schema.database, renamed)
    assert.deepEqual(await places(), ['note.cover', 'note.other', 'note.gone', 'other.photo'])
    assert.deepEqual((await planOf(schema.database, renamed)).steps, [])
    await applySchema(schema.database, layout(model('Note', [picture('cover'), picture('second', 'other')])))
    assert.deepEqual(await places(), ['note.cover', 'note.second', 'note.gone', 'other.photo'])
  })

  on('the history of a renamed model and field goes on', async (schema) => {
    const layout = (...models: readonly ModelDefinition[]) => {
      const definitions = models.map((value) => ({ value, source: flatSource('models') }))
      const builtIn = { public: AUTH_MODELS.public, internal: [...AUTH_MODELS.internal, ...HISTORY_MODELS] }
      return new Layout(buildRegistry(definitions, builtIn).registry, schema.schema)
    }
    await applySchema(schema.database, layout(...BEFORE))
    const entry = { record_id: 1, action: 'update', at: '2024-01-01T00:00:00Z', via: 'api' }
    const changes = '{"body":{"before":null,"after":"one"},"number":{"before":1,"after":2}}'
    await schema.insert('_admin_historyentry', { ...entry, model: 'memo', changes })
    await schema.insert('_admin_historyentry', { ...entry, model: 'tag', changes: '{"body":{"before":1,"after":2}}' })
    await applySchema(schema.database, layout(...AFTER))
    const rows = await schema.rows(sql`select "model", "changes" from ${schema.table('_admin_historyentry')} order by "id"`)
    assert.deepEqual(
      rows.map((row) => [(row as string[])[0], JSON.parse((row as string[])[1] ?? '')]),
      [
        ['note', { text: { before: null, after: 'one' }, code: { before: 1, after: 2 } }],
        ['tag', { body: { before: 1, after: 2 } }],
      ],
    )
    assert.deepEqual((await planOf(schema.database, layout(...AFTER))).steps, [])
  })
}
