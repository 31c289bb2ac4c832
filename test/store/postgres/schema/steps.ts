import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition, ModelDefinition } from '../../../../src/model/definition.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { identifier, keyword, literal, sql } from '../../../../src/store/postgres/sql.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

const TITLE = { name: 'title', type: 'string' } as const
const POST = model('Post', [TITLE])

/** A schema with a table `post` that has rows with these titles. */
async function withPosts(schema: SchemaUnderTest, ...titles: readonly (string | null)[]): Promise<void> {
  await schema.apply([POST])
  for (const title of titles) await schema.insert('post', { title })
}

/** The steps of each class, on any PostgreSQL. */
export function testSteps(open: () => Promise<Database>): void {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(open, use))

  describe('additive steps', () => {
    on('an empty database gets everything; then nothing is left to do', async (schema) => {
      const links = model('Link', [
        { name: 'post_id', type: 'foreignkey', model: 'post', on_delete: 'cascade' },
        { name: 'posts', type: 'many_to_many', model: 'post' },
      ])
      const steps = await schema.apply([POST, links])
      assert.ok(steps.every((step) => step.class === 'additive'))
      assert.deepEqual(await schema.reasons(POST, links), [])
    })

    on('a table of the search that is missing, with its indexes', async (schema) => {
      await schema.apply([POST])
      const words = schema.table('_admin_search_words')
      const indexCount = async () =>
        (await schema.rows(sql`select from pg_index where indrelid = ${literal(words.compile().text)}::regclass`)).length
      assert.equal(await indexCount(), 3)
      await schema.rows(sql`drop table ${words}`)
      assert.deepEqual(await schema.reasons(POST), ['additive: The store needs tables of its own'])
      await schema.apply([POST])
      assert.equal(await indexCount(), 3)
      assert.deepEqual(await schema.reasons(POST), [])
    })

    on('functions that another version of the store has created are replaced', async (schema) => {
      await schema.apply([POST])
      const [count, definitions] = [schema.table('_admin_count'), schema.table('_admin_definitions')]
      await schema.rows(sql`create or replace function ${count}() returns trigger language plpgsql as 'begin return null; end'`)
      await schema.rows(sql`update ${definitions}
        set "definition" = jsonb_set(jsonb_set("definition"::jsonb, '{functions,_admin_count}', '"former"'), '{fingerprint}', '"former"')
        where "name" = ''`)
      assert.deepEqual(await schema.reasons(POST), ['additive: The functions of the store are not those of this version'])
      await prepareSchema(schema.database, schema.layout(POST), 'additive')
      await schema.insert('post', { title: 'one' })
      assert.deepEqual(
        await schema.rows(sql`select sum("records") from ${schema.table('_admin_counters')} where "table_name" = 'post'`),
        ['1'],
      )
      assert.deepEqual(await schema.reasons(POST), [])
    })

    on('a new model, a nullable field and an index', async (schema) => {
      await withPosts(schema, 'one')
      const after = [model('Post', [TITLE, { name: 'stars', type: 'integer' }]), model('Tag', [TITLE])]
      assert.deepEqual(await schema.reasons(...after), [
        "additive: The model 'tag' is new",
        "additive: The field 'stars' of 'post' is new",
        "additive: 'post' lacks the index post_stars_idx",
        "additive: 'tag' lacks the index tag_title_idx",
        "additive: The rows of 'tag' are counted",
      ])
      await schema.apply(after)
      assert.deepEqual(await schema.rows(sql`select "title", "stars" from ${schema.table('post')}`), [['one', null]])
      assert.deepEqual(await schema.reasons(...after), [])
    })

    on('a mandatory field with a default: rows get it', async (schema) => {
      await withPosts(schema, 'one', 'two')
      const after = model(
        'Post',
        [
          TITLE,
          { name: 'state', type: 'choice', choices: ['new', 'old'], default: 'new', required: true },
          { name: 'kinds', type: 'multichoice', choices: ['a', 'b'], default: ['a', 'b'], required: true },
          { name: 'price', type: 'decimal', default: '1.5', required: true },
          { name: 'code', type: 'uuid', required: true, unique: true },
          { name: 'meta', type: 'json', default: { a: [1] }, required: true },
          { name: 'made_on', type: 'date', default: 'today', required: true },
        ],
        { timestamps: true },
      )
      const plan = await schema.plan(after)
      assert.deepEqual(
        plan.steps.filter((step) => step.class !== 'additive'),
        [],
      )
      await schema.apply([after])
      assert.deepEqual(await schema.rows(sql`select "state", "kinds", "price", "meta" from ${schema.table('post')}`), [
        ['new', '{a,b}', '1.5', '{"a":[1]}'],
        ['new', '{a,b}', '1.5', '{"a":[1]}'],
      ])
      assert.deepEqual(await schema.rows(sql`select count(distinct "code") from ${schema.table('post')}`), ['2'])
      // As a process of the earlier release does.
      await schema.insert('post', { title: 'three' })
      assert.deepEqual(
        await schema.rows(sql`select "state", "price", "code" is not null from ${schema.table('post')} where "id" = 3`),
        [['new', '1.5', 't']],
      )
    })

    on('a kept default gives way to another type, and ends with the duty to have a value', async (schema) => {
      const post = (more: Partial<FieldDefinition>) => model('Post', [TITLE, { name: 'stars', type: 'string', ...more }])
      await withPosts(schema, 'one')
      await schema.apply([post({ required: true, default: '5' })])
      await schema.apply([post({ type: 'integer', required: true, default: 5 })])
      await schema.apply([post({ type: 'integer' })])
      await schema.insert('post', { title: 'two' })
      assert.deepEqual(await schema.rows(sql`select "stars" from ${schema.table('post')} order by "id"`), ['5', null])
    })

    on('a mandatory unique field whose default many rows would get', async (schema) => {
      await withPosts(schema, 'one', 'two')
      const { steps } = await schema.plan(
        model('Post', [TITLE, { name: 'stars', type: 'integer', default: 1, required: true, unique: true }]),
      )
      assert.deepEqual(steps.find((step) => step.class === 'checked')?.rows?.count, 2)
    })

    on('indexes in the order of UTF-16 code units, which former versions had, are replaced', async (schema) => {
      const note = model('Note', [TITLE, { name: 'code', type: 'string', max_length: 100, unique: true }])
      await schema.apply([note])
      const [table, definitions] = [schema.table('note'), schema.table('_admin_definitions')]
      const mapped = (column: string) =>
        `case when octet_length("${column}") = length("${column}") then "${column}" else regexp_replace(replace("${column}", ` +
        `chr(1114111), chr(1114111) || chr(1)), '([\\uE000-\\uFFFF])', chr(1114111) || '\\1', 'g') end`
      const former = {
        note_title_idx: `using btree ((left(${mapped('title')}, 300)), "id")`,
        note_code_idx: `using btree ((${mapped('code')}), "id")`,
      }
      await schema.rows(sql`drop index ${schema.table('note_title_idx')}`)
      for (const [name, definition] of Object.entries(former))
        await schema.rows(sql`create index ${identifier(name)} on ${table} ${keyword(definition)}`)
      await schema.rows(sql`update ${definitions}
        set "definition" = jsonb_set("definition"::jsonb, '{indexes}', ${JSON.stringify(former)}::jsonb) where "name" = 'note'`)
      await schema.rows(sql`update ${definitions}
        set "definition" = jsonb_set("definition"::jsonb, '{fingerprint}', '"former"') where "name" = ''`)
      assert.deepEqual(
        (await schema.plan(note)).steps.map((step) => [step.class, step.statements.map((each) => each.compile().text.trim())]),
        [
          ['additive', ['note_code_idx', 'note_title_idx'].map((name) => `drop index "${schema.schema}"."${name}"`)],
          ['additive', [`create index "note_title_idx" on "${schema.schema}"."note" using btree ((left("title", 600)), "id")`]],
        ],
      )
      await prepareSchema(schema.database, schema.layout(note), 'additive')
      assert.deepEqual(await schema.reasons(note), [])
      const { rows } = await schema.database.query(
        sql`select indexname from pg_indexes where schemaname = ${schema.schema} and tablename = 'note' and indexname not like '%parts%' order by 1`,
      )
      assert.deepEqual(rows.flat(), ['note_code_key', 'note_pkey', 'note_title_idx'])
    })

    on('an index that was not built to its end, or is gone, is built', async (schema) => {
      await withPosts(schema, 'one')
      await schema.database.query(sql`drop index ${schema.table('post_title_idx')}`)
      assert.deepEqual(await schema.reasons(POST), ["additive: 'post' lacks the index post_title_idx"])
      await schema.apply([POST])
      assert.deepEqual(await schema.reasons(POST), [])
    })

    on('wider limits, an optional field and no longer unique', async (schema) => {
      const before = model('Post', [{ ...TITLE, max_length: 5, required: true, unique: true }])
      await schema.apply([before])
      await schema.insert('post', { title: 'one' })
      const after = model('Post', [{ ...TITLE, max_length: 9 }])
      const { steps } = await schema.plan(after)
      assert.ok(steps.length > 0 && steps.every((step) => step.class === 'additive'))
      await schema.apply([after])
      await schema.insert('post', { title: 'one' })
      await schema.insert('post', { title: 'nine char' })
      await schema.insert('post', { title: null })
      await assert.rejects(schema.insert('post', { title: '10 charact' }), /post_title_check/)
    })

    on('a wider type keeps the values', async (schema) => {
      const numbers = (
        ...types: readonly ['integer' | 'number' | 'decimal', 'integer' | 'number' | 'decimal', 'date' | 'datetime']
      ) =>
        model('Post', [
          { name: 'a', type: types[0] },
          { name: 'b', type: types[1] },
          { name: 'c', type: types[2] },
        ])
      await schema.apply([numbers('integer', 'number', 'date')])
      await schema.insert('post', { a: 7, b: 0.1, c: '2024-02-29' })
      const after = numbers('number', 'decimal', 'datetime')
      assert.ok((await schema.plan(numbers('number', 'number', 'datetime'))).steps.every((step) => step.class === 'additive'))
      await schema.apply([after])
      assert.deepEqual(await schema.rows(sql`select "a", "b", "c" at time zone 'UTC' from ${schema.table('post')}`), [
        ['7', '0.1', '2024-02-29 00:00:00'],
      ])
    })

    on('another rule for deletions', async (schema) => {
      const link = (on_delete: 'restrict' | 'cascade') =>
        model('Link', [{ name: 'post_id', type: 'foreignkey', model: 'post', on_delete }])
      await withPosts(schema, 'one')
      await schema.apply([POST, link('restrict')])
      await schema.insert('link', { post_id: 1 })
      assert.ok((await schema.plan(POST, link('cascade'))).steps.every((step) => step.class === 'additive'))
      await schema.apply([POST, link('cascade')])
      await schema.database.query(sql`delete from ${schema.table('post')}`)
      assert.deepEqual(await schema.rows(sql`select count(*) from ${schema.table('link')}`), ['0'])
    })

    on('counters of a table that was made without them', async (schema) => {
      await withPosts(schema, 'one', 'two')
      for (const event of ['insert', 'delete']) {
        await schema.database.query(sql`drop trigger ${identifier(`_admin_count_${event}`)} on ${schema.table('post')}`)
      }
      await schema.insert('post', { title: 'uncounted' })
      await schema.apply([POST])
      await schema.insert('post', { title: 'counted' })
      const sum = sql`select sum("records") from ${schema.table('_admin_counters')} where "table_name" = 'post'`
      assert.deepEqual(await schema.rows(sum), ['4'])
    })
  })

  describe('checked steps', () => {
    const ROWS: readonly (readonly [
      name: string,
      field: Parameters<typeof model>[1][number],
      titles: readonly (string | null)[],
      count: number,
      examples: readonly (readonly [number, string | null])[],
    ])[] = [
      [
        'unique',
        { ...TITLE, unique: true, max_length: 50 },
        ['a', 'b', 'a', 'a', null, null],
        3,
        [
          [1, 'a'],
          [3, 'a'],
          [4, 'a'],
        ],
      ],
      [
        'unique, of long texts',
        { ...TITLE, unique: true },
        ['a', 'b', 'a'],
        2,
        [
          [1, 'a'],
          [3, 'a'],
        ],
      ],
      [
        'mandatory',
        { ...TITLE, required: true },
        ['a', null, 'b', null],
        2,
        [
          [2, null],
          [4, null],
        ],
      ],
      [
        'shorter',
        { ...TITLE, max_length: 2 },
        ['a', 'abc', 'abcd'],
        2,
        [
          [2, 'abc'],
          [3, 'abcd'],
        ],
      ],
      ['choices', { name: 'title', type: 'choice', choices: ['a'] }, ['a', 'b'], 1, [[2, 'b']]],
      [
        'a number',
        { name: 'title', type: 'integer' },
        ['12', 'x', '1.5', '99999999999999999', null],
        3,
        [
          [2, 'x'],
          [3, '1.5'],
          [4, '99999999999999999'],
        ],
      ],
      [
        'a date',
        { name: 'title', type: 'date' },
        ['2024-02-29', '2023-02-29', 'x'],
        2,
        [
          [2, '2023-02-29'],
          [3, 'x'],
        ],
      ],
    ]
    for (const [name, field, titles, count, examples] of ROWS) {
      on(`${name}: the rows in the way are counted and shown, and the step waits for them`, async (schema) => {
        await withPosts(schema, ...titles)
        const after = model('Post', [field])
        const checked = (await schema.plan(after)).steps.filter((step) => step.class === 'checked' && step.rows?.count !== 0)
        assert.deepEqual(
          checked.map(({ rows }) => [rows?.count, rows?.examples.map(({ id, value }) => [id, value])]),
          [[count, examples]],
        )
        await assert.rejects(schema.apply([after]), { code: 'MIGRATION_NEEDED' })
        assert.deepEqual(await schema.reasons(POST), [], 'nothing was changed')
        await schema.database.query(
          sql`delete from ${schema.table('post')} where "id" = any(${examples.map(([id]) => id)}::bigint[])`,
        )
        await schema.apply([after])
        assert.deepEqual(await schema.reasons(after), [])
      })
    }

    on('five rows are shown of more', async (schema) => {
      await withPosts(schema, ...Array.from({ length: 8 }, () => 'same'))
      const { steps } = await schema.plan(model('Post', [{ ...TITLE, unique: true }]))
      const rows = steps.find((step) => step.class === 'checked')?.rows
      assert.deepEqual([rows?.count, rows?.examples.length], [8, 5])
    })

    on('references to nothing', async (schema) => {
      const before = model('Link', [{ name: 'post_id', type: 'integer' }])
      await withPosts(schema, 'one')
      await schema.apply([POST, before])
      for (const post_id of [1, 7, null]) await schema.insert('link', { post_id })
      const { steps } = await schema.plan(POST, model('Link', [{ name: 'post_id', type: 'foreignkey', model: 'post' }]))
      assert.deepEqual(
        steps.filter(({ rows }) => rows !== undefined).map(({ reason, rows }) => [reason, rows]),
        [["'post_id' of 'link' refers to 'post'", { count: 1, examples: [{ id: 2, value: '7' }] }]],
      )
    })

    on('a mandatory field without a default is in the way of every row', async (schema) => {
      await withPosts(schema, 'one', 'two')
      const after = model('Post', [TITLE, { name: 'stars', type: 'integer', required: true }])
      const [step] = (await schema.plan(after)).steps
      assert.deepEqual([step?.class, step?.rows?.count], ['checked', 2])
      await schema.database.query(sql`delete from ${schema.table('post')}`)
      assert.ok((await schema.plan(after)).steps.every((each) => each.class === 'additive'))
    })

    on('values of secrets are not shown', async (schema) => {
      const pin = (required: boolean) => model('Post', [TITLE, { name: 'pin', type: 'password', ...(required && { required }) }])
      await schema.apply([pin(false)])
      await schema.insert('post', { pin: '$argon2id$secret' })
      const plan = await schema.plan(model('Post', [TITLE, { name: 'pin', type: 'integer' }]))
      assert.deepEqual(plan.steps.find(({ rows }) => rows !== undefined)?.rows, { count: 1, examples: [{ id: 1, value: null }] })
    })
  })

  describe('destructive steps', () => {
    on('a field is kept, unused, until its drop is allowed', async (schema) => {
      await schema.apply([model('Post', [TITLE, { name: 'body', type: 'text', required: true }])])
      await schema.insert('post', { title: 'one', body: 'text' })
      assert.deepEqual(await schema.reasons(POST), ["destructive: 'post' has no field for the column 'body'"])
      await schema.apply([POST])
      await schema.insert('post', { title: 'two' })
      assert.deepEqual(await schema.rows(sql`select "body" from ${schema.table('post')} order by "id"`), ['text', null])
      const kept = await schema.plan(POST)
      assert.deepEqual(
        [kept.steps.length, kept.unused.map(({ reason }) => reason)],
        [0, ["'post' has no field for the column 'body'"]],
      )
      await schema.apply([POST], { allowDestructive: true })
      await assert.rejects(schema.rows(sql`select "body" from ${schema.table('post')}`), /body/)
      assert.deepEqual((await schema.plan(POST)).unused, [])
    })

    on('a field that was kept can come back with its values', async (schema) => {
      const both = model('Post', [TITLE, { name: 'body', type: 'text' }])
      await schema.apply([both])
      await schema.insert('post', { title: 'one', body: 'text' })
      await schema.apply([POST])
      await schema.apply([both])
      assert.deepEqual(await schema.rows(sql`select "body" from ${schema.table('post')}`), ['text'])
    })

    on('a model is kept, unused, and no longer in the way of deletions', async (schema) => {
      const link = model('Link', [
        { name: 'post_id', type: 'foreignkey', model: 'post' },
        { name: 'posts', type: 'many_to_many', model: 'post' },
      ])
      await withPosts(schema, 'one')
      await schema.apply([POST, link])
      await schema.insert('link', { post_id: 1 })
      await schema.apply([POST])
      await schema.database.query(sql`delete from ${schema.table('post')}`)
      assert.deepEqual(await schema.rows(sql`select "post_id" from ${schema.table('link')}`), ['1'])
      assert.deepEqual((await schema.plan(POST)).unused.length, 2)
      await schema.apply([POST], { allowDestructive: true })
      await assert.rejects(schema.rows(sql`select from ${schema.table('link')}`), /link/)
      await assert.rejects(schema.rows(sql`select from ${schema.table('link_posts')}`), /link_posts/)
    })

    on('tables and columns of other programs are left alone', async (schema) => {
      await withPosts(schema, 'one')
      await schema.database.query(sql`alter table ${schema.table('post')} add column "theirs" text`)
      await schema.database.query(sql`create table ${schema.table('theirs')} ("x" int)`)
      const plan = await schema.plan(POST)
      assert.deepEqual([plan.steps, plan.unused], [[], []])
    })
  })

  describe('a start', () => {
    on('applies additive steps, and refuses with the plan for others', async (schema) => {
      const start = (mode: 'additive' | 'never', ...models: readonly ModelDefinition[]) =>
        prepareSchema(schema.database, schema.layout(...models), mode)
      await start('additive', POST)
      await schema.insert('post', { title: 'one' })
      assert.deepEqual(await start('never', POST), [])
      const unique = model('Post', [{ ...TITLE, unique: true }])
      await assert.rejects(start('additive', unique), (error: { code: string; message: string }) => {
        assert.equal(error.code, 'MIGRATION_NEEDED')
        assert.match(
          error.message,
          /run `admin migrate --plan`[\s\S]*-- checked: 'title' of 'post' must be unique\n-- no row is in the way\nalter table/,
        )
        return true
      })
      const more = model('Post', [TITLE, { name: 'stars', type: 'integer' }])
      await assert.rejects(start('never', more), /`migrate: never` allows no step/)
      assert.equal((await start('additive', more)).length, 2)
      await assert.rejects(start('additive', model('Post', [{ name: 'stars', type: 'integer' }])), /destructive/)
    })
  })
}
