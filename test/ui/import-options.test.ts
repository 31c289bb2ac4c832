import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnChoices, distinctLabel, isAskedFor, templateFields } from '../../src/ui/import/import-fields.ts'
import { csvFile, kindOf, leftOutErrors, rowErrors } from '../../src/ui/import/import-options.ts'
import { decoded, encodingOf } from '../../src/ui/import/text-encodings.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

test('the name of a file tells what it is', () => {
  const kinds = ['a.csv', 'a.tsv', 'a.JSON', 'a.b.ndjson', 'a.jsonl', 'a', '.json', 'Beiträge.XLSX'].map(kindOf)
  assert.deepEqual(kinds, ['csv', 'csv', 'json', 'ndjson', 'ndjson', 'csv', 'json', 'xlsx'])
})

test('messages are sorted by row; those of a whole column come first, and those that are left out are counted', () => {
  const errors = {
    ...{ '10.name': ['c'], '2.slug': ['a', 'b'], '2': ['whole'], colour: ['unknown'], '3.meta.size': ['nested'] },
    more: ['17 more errors are not shown'],
  }
  assert.deepEqual(rowErrors(errors), [
    { row: undefined, column: 'colour', messages: ['unknown'] },
    { row: 2, column: undefined, messages: ['whole'] },
    { row: 2, column: 'slug', messages: ['a', 'b'] },
    { row: 3, column: 'meta.size', messages: ['nested'] },
    { row: 10, column: 'name', messages: ['c'] },
  ])
  assert.equal(leftOutErrors(errors), 17)
  assert.deepEqual([rowErrors({}), leftOutErrors({})], [[], 0])
})

test('a file for spreadsheets has their delimiter, a byte order mark, and no formulas', () => {
  const rows = [
    [1, 'Größe "M"'],
    ['all', '=1+1'],
  ]
  assert.equal(csvFile(rows, 'de'), '\uFEFF1;"Größe ""M"""\r\n"all";"\'=1+1"\r\n')
  assert.equal(csvFile([[1, 'a;b']], 'en-GB'), '\uFEFF1,"a;b"\r\n')
})

test('the encoding of a file is found by its bytes', () => {
  const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))
  const files: readonly (readonly [bytes: Uint8Array, encoding: string])[] = [
    [new TextEncoder().encode('\uFEFFGröße'), 'utf-8'],
    [new TextEncoder().encode('Größe'), 'utf-8'],
    [new Uint8Array([...Buffer.from('Größe', 'latin1')]), 'windows-1252'],
    [utf16('\uFEFFGröße'), 'utf-16le'],
    [utf16('Größe'), 'utf-16le'],
    [new Uint8Array(Buffer.from(utf16('\uFEFFGröße')).swap16()), 'utf-16be'],
  ]
  for (const [bytes, encoding] of files) {
    assert.equal(encodingOf(bytes), encoding)
    assert.equal(decoded(bytes, encodingOf(bytes)), 'Größe', encoding)
  }
  assert.equal(encodingOf(new Uint8Array()), 'utf-8')
})

test('a column can be a field that is set, a relation also by the unique fields of its records, and the id', () => {
  const doctor = siteModel('doctor', 'name', [
    siteField('id', 'primarykey', { unique: true, readonly: true, label: 'ID' }),
    siteField('name', 'string', { unique: true }),
    siteField('licence', 'string', { unique: true, label: 'Licence number' }),
    siteField('phone'),
  ])
  const patient = siteModel('patient', 'name', [
    siteField('id', 'primarykey', { unique: true, readonly: true, label: 'ID' }),
    siteField('name', 'string', { required: true, label: 'Name' }),
    siteField('nickname', 'string', { label: 'Name' }),
    siteField('status', 'string', { required: true, default: 'new', label: 'Status' }),
    siteField('created_at', 'datetime', { readonly: true }),
    siteField('doctor_id', 'foreignkey', { ...relationTo('doctor', 'doctor'), label: 'Doctor' }),
    siteField('scans', 'image', { label: 'Scans' }),
  ])
  const site = { models: [doctor, patient] } as unknown as Parameters<typeof columnChoices>[1]
  const text = { required: (label: string) => `${label}!`, by: (relation: string, field: string) => `${relation}/${field}` }
  assert.deepEqual(
    columnChoices(patient, site, text).map(({ value, label }) => `${value}: ${label}`),
    [
      ...['name: Name (name)!', 'nickname: Name (nickname)', 'status: Status', 'doctor_id: Doctor', 'doctor_id.id: Doctor/ID'],
      ...['doctor_id.licence: Doctor/Licence number', 'scans: Scans', 'id: ID'],
    ],
  )
  assert.deepEqual(
    templateFields(patient).map((field) => distinctLabel(field, patient)),
    ['Name (name)', 'Name (nickname)', 'Status', 'Doctor'],
  )
  assert.deepEqual(
    patient.fields.filter(isAskedFor).map(({ name }) => name),
    ['name'],
  )
})
