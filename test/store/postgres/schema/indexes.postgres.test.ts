import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelDefinition } from '../../../../src/model/definition.ts'
import { prepareSchema } from '../../../../src/store/postgres/schema/migration.ts'
import { describePlan } from '../../../../src/store/postgres/schema/plan.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

describe('indexes of fields', { skip: NO_POSTGRES }, () => {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(sharedDatabase, use))
  const tag = model('Tag', [{ name: 'word', type: 'string' }])
  const post = (index: boolean | undefined, more: Partial<ModelDefinition> = {}) => {
    const own = index === undefined ? {} : { index }
    return model(
      'Post',
      [
        { name: 'title', type: 'string', max_length: 100, ...own },
        { name: 'slug', type: 'slug', unique: true, ...own },
        { name: 'code', type: 'string', max_length: 20, unique: true, ...own },
        { name: 'kinds', type: 'multichoice', choices: ['a', 'b'], ...own },
        { name: 'tag_id', type: 'foreignkey', model: 'tag', ...own },
        { name: 'tags', type: 'many_to_many', model: 'tag', ...own },
      ],
      { timestamps: true, ...more },
    )
  }
  const indexesOf = (schema: SchemaUnderTest) =>
    schema.rows(sql`select "indexname" from pg_indexes where "schemaname" = ${schema.schema} and "tablename" like 'post%'
      and "indexname" not like '%parts%' order by 1`)
  const CONSTRAINTS = ['post_code_key', 'post_pkey', 'post_slug_key', 'post_tags__target_idx', 'post_tags_pkey']

  on('are there for each field in its order, but for updated_at', async (schema) => {
    await schema.apply([post(undefined), tag])
    const found = ['created_at', 'kinds', 'slug', 'tag_id', 'title'].map((name) => `post_${name}_idx`)
    assert.deepEqual(await indexesOf(schema), [...CONSTRAINTS, ...found].sort())
  })

  on('are left out with `index: false`, but for those of constraints', async (schema) => {
    await schema.apply([post(false), tag])
    assert.deepEqual(await indexesOf(schema), [...CONSTRAINTS, 'post_created_at_idx'].sort())
    assert.deepEqual(await schema.reasons(post(false), tag), [])
  })

  on('go by a start, as the plan says, and come back', async (schema) => {
    await schema.apply([post(undefined, { index_updated_at: true }), tag])
    const asked = await indexesOf(schema)
    assert.ok(asked.includes('post_updated_at_idx'))
    const after = [post(undefined), tag]
    assert.equal(
      describePlan(await schema.plan(...after)),
      ["-- additive: Constraints or indexes of 'post' have changed", `drop index "${schema.schema}"."post_updated_at_idx";`].join(
        '\n',
      ),
    )
    await prepareSchema(schema.database, schema.layout(...after), 'additive')
    assert.deepEqual(
      await indexesOf(schema),
      asked.filter((name) => name !== 'post_updated_at_idx'),
    )
    assert.deepEqual(await schema.reasons(...after), [])
    await schema.apply([post(undefined, { index_updated_at: true }), tag])
    assert.deepEqual(await indexesOf(schema), asked)
  })
})
