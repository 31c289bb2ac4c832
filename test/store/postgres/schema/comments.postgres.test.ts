import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition } from '../../../../src/model/definition.ts'
import { repairBookkeeping } from '../../../../src/store/postgres/bookkeeping.ts'
import { prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { describePlan } from '../../../../src/store/postgres/schema/plan.ts'
import { identifier, keyword, literal, sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

describe('comments for people who read the tables', { skip: NO_POSTGRES }, () => {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(sharedDatabase, use))
  const post = (more: Partial<FieldDefinition>, label?: string) =>
    model('Post', [{ name: 'title', type: 'string', ...more }], label === undefined ? {} : { label })

  /** The comments of a table and of its columns, by name. */
  const commentsOf = async ({ database, schema }: SchemaUnderTest, name: string) => {
    const { rows } = await database.query(
      sql`select "a"."attname", case when "a"."attname" is null then obj_description("c"."oid", 'pg_class')
          else col_description("c"."oid", "a"."attnum") end as "comment"
        from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace" and "n"."nspname" = ${schema}
        cross join lateral (select "attname", "attnum" from pg_attribute where "attrelid" = "c"."oid" union all select null, 0) "a"
        where "c"."relname" = ${name}`,
    )
    return Object.fromEntries(rows.flatMap(([column, comment]) => (comment === null ? [] : [[column ?? '', comment]])))
  }

  on('are labels and help texts of models, fields and many-to-many relations', async (schema) => {
    const tagged = model(
      'Post',
      [
        { name: 'id', type: 'integer', label: 'Number' },
        { name: 'title', type: 'string', label: 'Headline', help_text: 'Shown first.' },
        { name: 'body', type: 'text', help_text: 'Markdown' },
        { name: 'stars', type: 'integer' },
        { name: 'tags', type: 'many_to_many', model: 'tag', label: 'Subjects' },
      ],
      { label: 'Article' },
    )
    const tag = model('Tag', [{ name: 'word', type: 'string' }])
    await schema.apply([tagged, tag])
    const expected = { '': 'Article', id: 'Number', title: 'Headline: Shown first.', body: 'Markdown' }
    assert.deepEqual(await commentsOf(schema, 'post'), expected)
    assert.deepEqual(await commentsOf(schema, 'post_tags'), { '': 'Subjects' })
    assert.deepEqual(await commentsOf(schema, 'tag'), {})
    assert.deepEqual(await schema.reasons(tagged, tag), [])
  })

  on(
    'come to tables that exist by a start that applies other steps, which the plan says, and go with the label',
    async (schema) => {
      await schema.apply([post({})])
      const after = post({ label: 'Headline' }, 'Article')
      const plan = await schema.plan(after)
      assert.equal(
        describePlan(plan),
        [
          "-- additive: Comments of the table 'post' are the labels and help texts of the models",
          `comment on table "${schema.schema}"."post" is 'Article';`,
          `comment on column "${schema.schema}"."post"."title" is 'Headline';`,
        ].join('\n'),
      )
      await prepareSchema(schema.database, schema.layout(after, model('Tag', [])), 'additive')
      assert.deepEqual(await commentsOf(schema, 'post'), { '': 'Article', title: 'Headline' })
      await schema.apply([post({})])
      assert.deepEqual(await commentsOf(schema, 'post'), {})
    },
  )

  on('follow renames', async (schema) => {
    await schema.apply([post({ label: 'Headline' }, 'Article')])
    const after = model('Note', [{ name: 'text', type: 'string', was: 'title', label: 'Headline' }], {
      was: 'Post',
      label: 'Article',
    })
    assert.ok(!(await schema.reasons(after)).some((reason) => reason.includes('Comments')))
    await schema.apply([after])
    assert.deepEqual(await commentsOf(schema, 'note'), { '': 'Article', text: 'Headline' })
    assert.deepEqual(await schema.reasons(after), [])
  })

  const TEXTS: Readonly<Record<string, readonly [text: string, comment: string]>> = {
    quotes: [`'; drop table "post"; -- $$ $1`, `'; drop table "post"; -- $$ $1`],
    backslashes: ['C:\\new\\', 'C:\\new\\'],
    'line breaks': ['one\r\n  two\n\n three ', 'one\r\n  two\n\n three '],
    unicode: ['Überschrift 🙂 \u202e\u0301', 'Überschrift 🙂 \u202e\u0301'],
    'what PostgreSQL cannot store': ['a\0b\ud800', 'ab\ufffd'],
    'a very long text': ['ä'.repeat(200_000), 'ä'.repeat(200_000)],
  }
  for (const [name, [text, comment]] of Object.entries(TEXTS)) {
    on(`hold ${name}, and a second plan is empty`, async (schema) => {
      await schema.apply([post({})])
      const after = post({ help_text: text })
      // As a person does who copies the plan.
      await schema.database.query(
        keyword(
          describePlan(await schema.plan(after))
            .replace(/^--.*\n/gm, '')
            .replace(/;$/, ''),
        ),
      )
      assert.deepEqual(await commentsOf(schema, 'post'), { title: comment })
      assert.deepEqual(await schema.reasons(after), [])
      await schema.apply([post({})])
      await schema.apply([after])
      assert.deepEqual(await commentsOf(schema, 'post'), { title: comment })
      assert.deepEqual(await schema.reasons(after), [])
    })
  }

  on('of other programs stay where the models say nothing', async (schema) => {
    await schema.apply([post({ label: 'Headline' })])
    const [table, column] = [schema.table('post'), sql`${schema.table('post')}.${identifier('title')}`]
    await schema.rows(sql`comment on table ${table} is ${literal('owned by the shop')}`)
    assert.deepEqual(await schema.reasons(post({ label: 'Headline' })), [])
    await schema.rows(sql`comment on column ${column} is ${literal('by hand')}`)
    await schema.apply([post({})])
    assert.deepEqual(await commentsOf(schema, 'post'), { '': 'owned by the shop', title: 'by hand' })
  })

  on('keep no start waiting for `admin migrate --apply`', async (schema) => {
    await schema.apply([post({})])
    const after = schema.layout(post({ label: 'Headline' }))
    for (const mode of ['never', 'additive'] as const) {
      assert.deepEqual(await prepareSchema(schema.database, after, mode), [])
      assert.deepEqual(await commentsOf(schema, 'post'), {})
    }
    const more = schema.layout(post({ label: 'Headline', max_length: 5 }))
    await assert.rejects(prepareSchema(schema.database, more, 'never'), { code: 'MIGRATION_NEEDED' })
    // A release that has changed labels only is an earlier one of the next, and repairs do not wait either.
    await schema.apply([post({ label: 'Headline' }), model('Tag', [])])
    await prepareSchema(schema.database, after, 'never')
    await repairBookkeeping(schema.database, schema.layout(post({ label: 'Title' }), model('Tag', [])))
  })
})
