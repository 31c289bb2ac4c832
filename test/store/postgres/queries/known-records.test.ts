import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout, rowVersionOf } from '../../../../src/store/postgres/layout/layout.ts'
import { KnownRecords } from '../../../../src/store/postgres/queries/known-records.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'

const layout = new Layout(libraryRegistry(), 'admin')
const [author, genre] = [layout.of('author'), layout.of('genre')]

/** A row of authors or genres: version, id and name; their other fields are empty. */
const row = (version: string, id: string, name: string, table = author) => [
  version,
  id,
  name,
  ...Array<null>(table.width - 3).fill(null),
]

test('a row with the same texts gives the same record', () => {
  const records = new KnownRecords()
  const first = records.read(author, row('7', '1', 'Ann'))
  assert.deepEqual({ id: first.id, name: first.name }, { id: 1, name: 'Ann' })
  assert.equal(records.read(author, row('7', '1', 'Ann')), first)
  assert.equal(records.read(author, ['total', 'version', ...row('7', '1', 'Ann')], 2), first)
})

test('a row with another text or version gives another record', () => {
  const records = new KnownRecords()
  const first = records.read(author, row('7', '1', 'Ann'))
  const renamed = records.read(author, row('7', '1', 'Anna'))
  assert.equal(renamed.name, 'Anna')
  const touched = records.read(author, row('8', '1', 'Anna'))
  assert.notEqual(touched, renamed)
  assert.deepEqual([first, renamed, touched].map(rowVersionOf), ['7', '7', '8'])
})

test('records of different tables differ', () => {
  const records = new KnownRecords()
  const first = records.read(author, row('7', '1', 'Ann'))
  assert.notEqual(records.read(genre, row('7', '1', 'Ann', genre)), first)
})

test('a record that has not been read for long is forgotten', () => {
  const records = new KnownRecords(1000)
  const first = records.read(author, row('7', '1', 'Ann'))
  for (let id = 2; id < 20; id++) records.read(author, row('7', String(id), 'Ben'))
  assert.notEqual(records.read(author, row('7', '1', 'Ann')), first)
})
