import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Renames } from '../../src/model/renames.ts'
import { assertModelFaults, faultTable, registryOf } from './models.ts'

faultTable('the former name of a field', [
  ['is one that no field has', '{ name: text, type: string, was: body }'],
  [
    'is not its present name',
    '{ name: text, type: string, was: »text }',
    "'was' is the former name of a renamed field; 'text' is its present name",
  ],
  [
    'is not that of a present field',
    ['{ name: text, type: string, was: »body }', '{ name: body, type: text }'],
    "'was' names 'body', but there still is a field of that name",
  ],
  ['is not id', '{ name: number, type: integer, was: »id }', "'was' names 'id', but there still is a field of that name"],
  [
    'is not that of two fields',
    ['{ name: text, type: string, was: body }', '{ name: title, type: string, was: »body }'],
    "'was' names 'body', which is already the former name of 'text'",
  ],
  [
    'is a name of a field',
    '{ name: text, type: string, was: »"the body" }',
    "'was' must be the former name of the field, and 'the body' cannot be a field name",
  ],
])

describe('the former name of a model', () => {
  const rows: readonly (readonly [name: string, files: readonly string[], faults: readonly string[]])[] = [
    ['is one that no model has', ['name: Note\nwas: Memo\nfields: []\n'], []],
    [
      'is not its present name, also in another case',
      ['name: Note\nwas: »NOTE\nfields: []\n'],
      ["'was' is the former name of a renamed model; 'Note' is its present name"],
    ],
    [
      'is not that of a present model',
      ['name: Note\nwas: »Memo\nfields: []\n', 'name: Memo\nfields: []\n'],
      ["'was' names 'Memo', but there still is a model of that name"],
    ],
    [
      'is not that of a built-in model',
      ['name: Note\nwas: »Group\nfields: []\n'],
      ["'was' names 'Group', but there still is a model of that name"],
    ],
    [
      'is not that of two models',
      ['name: Note\nwas: Memo\nfields: []\n', 'name: Letter\nwas: »Memo\nfields: []\n'],
      ["'was' names 'memo', which is already the former name of 'Note'"],
    ],
    [
      'is a class name',
      ['name: Note\nwas: »old memo\nfields: []\n'],
      ["'was' must be a class name such as BlogPost, not 'old memo'"],
    ],
  ]
  for (const [name, files, faults] of rows) test(name, () => assertModelFaults(files, faults))
})

test('Renames lists the former names of a registry', () => {
  const renames = new Renames(
    registryOf({ name: 'Note', was: 'OldMemo', fields: [{ name: 'text', type: 'string', was: 'body' }] }),
  )
  assert.deepEqual([...renames.tables], [['oldmemo', 'note']])
  assert.deepEqual([...renames.fieldsOf('note')], [['body', 'text']])
  assert.deepEqual([renames.table('oldmemo'), renames.table('user'), renames.any], ['note', 'user', true])
})
