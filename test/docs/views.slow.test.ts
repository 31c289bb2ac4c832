import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formSchema } from '../../src/views/parse.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('views.md')

test('the tables list every key of a form and of its fields', () => {
  const documented = new Set(rowsOf(readDocument('views.md')).flatMap((cells) => codesIn(cells.join(' '))))
  const { keys } = formSchema.describe() as { keys: Record<string, { items?: { keys?: object }[] }> }
  const ofField = Object.keys(keys.fields?.items?.[0]?.keys ?? {})
  assert.ok(ofField.length > 10, 'the keys of a field were not found')
  const said = new Set(['$schema', 'view_type', 'model', 'validate'])
  for (const key of [...Object.keys(keys), ...ofField]) assert.ok(documented.has(key) || said.has(key), `${key} is missing`)
})
