import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TableValidator } from '../../src/store/embedded/files/validator.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { lintFiles } from '../lint/projects.ts'
import { registryOf } from './models.ts'

describe('unique_together', () => {
  for (const [what, sets, message] of [
    [
      'a name that is no field',
      '[[a, bb]]',
      /^'unique_together' names 'bb', which is no field of the model; did you mean 'b'\?$/,
    ],
    ['a list', '[[a, tags]]', /^A multichoice field cannot be part of 'unique_together'$/],
    ['a single field', '[[a]]', /'unique_together\[0\]' must contain at least 2 items/],
    ['a field given twice', '[[a, a]]', /contains a duplicate value/],
    ['no list of lists', '[a, b]', /'unique_together\[0\]' must be an array/],
  ] as const) {
    test(`${what} is an error`, async () => {
      const fields =
        'fields:\n  - { name: a, type: string }\n  - { name: b, type: string }\n  - { name: tags, type: multichoice, choices: [x] }\n'
      const { findings } = await lintFiles({ 'models/note.yaml': `name: Note\nunique_together: ${sets}\n${fields}` })
      assert.ok(findings.length > 0)
      assert.match(findings[0]?.message ?? '', message)
    })
  }

  test('holds for seeds, which lint reports by record', async () => {
    const { findings } = await lintFiles({
      'models/note.yaml':
        'name: Note\nunique_together: [[a, b]]\nfields:\n  - { name: a, type: string }\n  - { name: b, type: string }\n',
      'seed/note.yaml': '- { a: x, b: y }\n- { a: x, b: y }\n',
    })
    assert.deepEqual(valuesOf(findings, 'file', 'line', 'message'), [['seed/note.yaml', 2, 'a must be unique together with b']])
  })
})

test('a record of an edited data file that breaks unique_together is named', () => {
  const seat = registryOf({
    name: 'Seat',
    unique_together: [['row', 'number']],
    fields: [
      { name: 'row', type: 'string' },
      { name: 'number', type: 'integer' },
    ],
  }).expect('seat')
  const faults: string[] = []
  const validator = new TableValidator('seat', 1, seat, ({ path, problem }) => faults.push(`${path} ${problem}`))
  for (const record of [
    { id: 1, row: 'A', number: 1 },
    { id: 2, row: 'A', number: null },
    { id: 3, row: 'A', number: 1 },
  ]) {
    validator.record(record, false)
  }
  assert.deepEqual(faults, ['tables.seat.records[2].row must be unique together with number, and records[0] has the same'])
})
