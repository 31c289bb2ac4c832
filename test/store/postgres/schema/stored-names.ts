import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelDefinition } from '../../../../src/model/definition.ts'
import { findLostNames } from '../../../../src/project/stored-models.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { storedNamesIn } from '../../../../src/store/postgres/schema/stored-models.ts'
import { inSchema, model, type SchemaUnderTest } from './schemas.ts'

/** Stored names that look renamed, on any PostgreSQL. */
export function testStoredNames(open: () => Promise<Database>): void {
  const on = (name: string, use: (schema: SchemaUnderTest) => Promise<void>) => test(name, inSchema(open, use))

  describe('stored names', () => {
    on('of fields and models that look renamed', async (schema) => {
      const memo = model('Memo', [
        { name: 'body', type: 'string' },
        { name: 'day', type: 'date' },
      ])
      const post = model('Post', [{ name: 'title', type: 'string' }])
      await schema.apply([memo, post])
      await schema.insert('memo', { body: 'one', day: '2024-02-29' })
      await schema.insert('post', { title: 'one' })
      const lost = async (...models: readonly ModelDefinition[]) => {
        const layout = schema.layout(...models)
        return findLostNames(await storedNamesIn(schema.database, layout), layout.registry)
      }
      const note = model('Note', memo.fields)
      const renamed = model('Post', [
        { name: 'heading', type: 'string' },
        { name: 'stars', type: 'integer' },
      ])
      assert.deepEqual(await lost(note, renamed), [
        { model: 'note', field: undefined, was: 'memo', records: 1 },
        { model: 'post', field: 'heading', was: 'title', records: 1 },
      ])
      const heading = model('Post', [{ name: 'heading', type: 'string', was: 'title' }])
      assert.deepEqual(await lost({ ...note, was: 'Memo' }, heading), [])
    })
  })
}
