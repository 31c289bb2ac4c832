import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIELD_TYPES } from '../../src/model/fields.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('files.md')

test('the table lists every key of file and image fields that other types do not have', () => {
  const documented = rowsOf(readDocument('files.md')).flatMap(([cell = '']) => codesIn(cell))
  const others = new Set(
    Object.values(FIELD_TYPES).flatMap(({ name, options }) => (['file', 'image'].includes(name) ? [] : [...options])),
  )
  const own = new Set([...FIELD_TYPES.file.options, ...FIELD_TYPES.image.options])
  for (const key of own) if (!others.has(key)) assert.ok(documented.includes(key), `${key} is missing`)
})
