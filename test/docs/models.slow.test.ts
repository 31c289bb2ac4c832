import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIELD_TYPES } from '../../src/model/fields.ts'
import { readDocument, runDocument } from './document.ts'
import { blocksOf, codesIn, rowsOf } from './markdown.ts'

const document = readDocument('models.md')

runDocument('models.md')

test('the table lists every field type with exactly its constraints', () => {
  const rows = rowsOf(document)
  const documented = Object.fromEntries(rows.map(([type = '', , options = '']) => [codesIn(type)[0], codesIn(options)[0]]))
  for (const [name, { options }] of Object.entries(FIELD_TYPES)) {
    assert.deepEqual(documented[name]?.split(' ').sort(), [...options].sort(), name)
  }
})

test('the first model has a field of every type', () => {
  const [model] = blocksOf(document).filter(({ file }) => file === 'models/book.yaml')
  for (const type of Object.keys(FIELD_TYPES)) assert.match(model?.code ?? '', new RegExp(`type: ${type}\\b`))
})
