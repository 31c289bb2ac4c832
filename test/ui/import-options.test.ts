import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOf, importOptions, rowErrors } from '../../src/ui/panels/import-options.ts'

test('the name of a file tells its format', () => {
  const formats = ['a.csv', 'a.tsv', 'a.JSON', 'a.b.ndjson', 'a.jsonl', 'a', '.json'].map(formatOf)
  assert.deepEqual(formats, ['csv', 'csv', 'json', 'ndjson', 'ndjson', 'csv', 'json'])
})

test('only a CSV file has a delimiter', () => {
  const choices = { delimiter: 'semicolon', upsertBy: 'slug', form: 'PostForm' } as const
  assert.deepEqual(importOptions({ ...choices, format: 'csv' }), {
    ...{ format: 'csv', delimiter: 'semicolon', upsert_by: 'slug', form_id: 'PostForm' },
  })
  assert.equal(importOptions({ ...choices, format: 'json' }).delimiter, undefined)
})

test('messages are sorted by row; those of a whole column come first', () => {
  const errors = { '10.name': ['c'], '2.slug': ['a', 'b'], '2': ['whole'], colour: ['unknown'], '3.meta.size': ['nested'] }
  assert.deepEqual(rowErrors(errors), [
    { row: undefined, column: 'colour', messages: ['unknown'] },
    { row: 2, column: undefined, messages: ['whole'] },
    { row: 2, column: 'slug', messages: ['a', 'b'] },
    { row: 3, column: 'meta.size', messages: ['nested'] },
    { row: 10, column: 'name', messages: ['c'] },
  ])
  assert.deepEqual(rowErrors({}), [])
})
