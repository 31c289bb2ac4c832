import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportPreview } from '../../src/client/client.ts'
import { rememberedMap, withRemembered } from '../../src/ui/import/remembered-maps.ts'
import { importMap, keptMap, NOTHING_CHOSEN, shownMap, titledErrors, withColumn } from '../../src/ui/import/shown-map.ts'
import { siteField, siteModel } from './site-fixture.ts'

const model = siteModel('patient', 'name', [
  siteField('id', 'primarykey', { readonly: true }),
  siteField('name'),
  siteField('number'),
  siteField('created_at', 'datetime', { readonly: true }),
])

const answer: ImportPreview = {
  map: { columns: {}, dates: 'dd.mm.yyyy', time_zone: 'UTC' },
  ambiguous: [],
  columns: [
    { header: 'Name', field: 'name', samples: ['a'] },
    { header: 'Nr', field: null, samples: ['1'] },
    { header: 'Created', field: 'created_at', samples: ['2026'] },
    { header: 'Column D', field: null, samples: [] },
    { header: 'Column E', field: null, samples: ['note'] },
  ],
  rows: [],
}
const table = { headers: answer.columns.map(({ header }) => header), keys: ['A', 'B', 'C', 'D', 'E'], first: new Blob() }

test('choices come before guesses; what the server sets, and nameless columns without a value, are left out', () => {
  const map = shownMap(model, NOTHING_CHOSEN, answer)
  assert.deepEqual(
    map.columns.map(({ header, field }) => [header, field]),
    [
      ['Name', 'name'],
      ['Nr', null],
      ['Created', null],
      ['Column E', null],
    ],
  )
  const chosen = shownMap(model, { ...NOTHING_CHOSEN, columns: { Name: null, Nr: 'number' } }, answer)
  assert.deepEqual(
    chosen.columns.map(({ field }) => field),
    [null, 'number', null, null],
  )
})

test('a field that another column had moves to the column that gets it, and the other columns stay', () => {
  const { columns } = withColumn(NOTHING_CHOSEN, shownMap(model, NOTHING_CHOSEN, answer), 'Nr', 'name')
  assert.deepEqual(columns, { Name: null, Nr: 'name', Created: null, 'Column E': null })
  const none = withColumn(NOTHING_CHOSEN, shownMap(model, NOTHING_CHOSEN, answer), 'Name', null)
  assert.deepEqual(none.columns, { Name: null, Nr: null, Created: null, 'Column E': null })
})

test('an import names every column as the file that is sent has it', () => {
  const map = importMap(table, shownMap(model, NOTHING_CHOSEN, answer), answer)
  assert.deepEqual(map.columns, { A: 'name', B: null, C: null, D: null, E: null })
  assert.deepEqual([map.dates, map.numbers, map.time_zone], ['dd.mm.yyyy', undefined, 'UTC'])
})

test('a map is remembered by its columns in any order, without fields that are no longer possible', () => {
  const kept = keptMap(table, shownMap(model, NOTHING_CHOSEN, answer), answer)
  const maps = withRemembered(undefined, 'patient', kept)
  const again = rememberedMap(maps, 'patient', [...table.headers].reverse(), () => true)
  assert.deepEqual([again?.columns.Name, again?.columns.Nr, again?.dates], ['name', null, 'dd.mm.yyyy'])
  assert.deepEqual(rememberedMap(maps, 'patient', table.headers, () => false)?.columns, {
    ...{ Nr: null, Created: null, 'Column D': null, 'Column E': null },
  })
  assert.equal(
    rememberedMap(maps, 'patient', ['Name'], () => true),
    undefined,
  )
  assert.equal(
    rememberedMap(maps, 'doctor', table.headers, () => true),
    undefined,
  )
})

test('ten maps of a model and thirty models are kept, the latest first', () => {
  let maps = withRemembered(undefined, 'patient', { columns: { first: 'name' } })
  for (let index = 0; index < 12; index++) maps = withRemembered(maps, 'patient', { columns: { [`c${index}`]: 'name' } })
  maps = withRemembered(maps, 'patient', { columns: { c5: 'number' } })
  const kept = maps.patient?.map(({ columns }) => Object.keys(columns)[0])
  assert.deepEqual(kept, ['c5', 'c11', 'c10', 'c9', 'c8', 'c7', 'c6', 'c4', 'c3', 'c2'])
  for (let index = 0; index < 40; index++) maps = withRemembered(maps, `m${index}`, { columns: { a: null } })
  assert.equal(Object.keys(maps).length, 30)
  const wide = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`c${index}`, null]))
  assert.equal(withRemembered(maps, 'wide', { columns: wide }).wide, undefined)
})

test('the messages of a row name fields by their titles', () => {
  const row = { row: 1, line: 2, texts: {}, values: {}, errors: { name: ['name is mandatory'], row: ['The row is too long'] } }
  assert.deepEqual(titledErrors(model, row), { name: ['NAME is mandatory'], row: ['The row is too long'] })
})
