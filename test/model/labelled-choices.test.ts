import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settableValue } from '../../src/openapi/field-schemas.ts'
import { generateForm } from '../../src/views/generate.ts'
import { lintFiles } from '../lint/projects.ts'
import { registryOf } from './models.ts'

const CHOICES = ['draft', { value: 'public', label: 'Published', color: 'green' }, { value: 'old' }] as const

const note = registryOf({
  name: 'Note',
  fields: [
    { name: 'status', type: 'choice', choices: [...CHOICES], default: 'draft' },
    { name: 'kinds', type: 'multichoice', choices: [...CHOICES] },
    { name: 'size', type: 'integer', choices: [1, { value: 2, label: 'Two' }] },
    { name: 'plain', type: 'choice', choices: ['a', 'b'] },
  ],
}).expect('note')
const field = (name: string) => {
  const found = note.fields.get(name)
  assert.ok(found)
  return found
}

describe('choices with labels', () => {
  test('allow their values, like choices without', () => {
    assert.deepEqual(field('status').limits.choices, ['draft', 'public', 'old'])
    assert.deepEqual(field('size').limits.choices, [1, 2])
    assert.equal(field('plain').labelledChoices, undefined)
  })

  test('are in a generated form as written', () => {
    const { fields } = generateForm(note, { taken: new Set(), isPrivileged: () => false })
    const options = Object.fromEntries(fields.map(({ name, options: each }) => [name, each?.choices]))
    assert.deepEqual(options.status, [{ value: 'draft' }, ...CHOICES.slice(1)])
    assert.deepEqual(options.plain, ['a', 'b'])
  })

  test('are described in OpenAPI by their labels', () => {
    const { enum: values, 'x-enum-descriptions': labels } = settableValue(field('status'))
    assert.deepEqual(
      [values, labels],
      [
        ['draft', 'public', 'old', null],
        ['draft', 'Published', 'old'],
      ],
    )
    assert.equal('x-enum-descriptions' in settableValue(field('plain')), false)
  })

  for (const [what, choices, message] of [
    ['a colour that does not exist', '[{ value: a, color: grene }]', /'choices\[0\].color' must be one of .*green/],
    ['a value given twice', '[a, { value: a, label: A }]', /choices\[1\]' contains a duplicate value/],
    ['a choice without a value', '[{ label: A }]', /choices\[0\]/],
    ['an unknown key', '[{ value: a, colour: red }]', /colour/],
    ['a number of a choice', '[{ value: 1, label: One }]', /must be text; put quotes around it \(found 1\)/],
  ] as const) {
    test(`${what} is an error`, async () => {
      const model = `name: Note\nfields:\n  - { name: status, type: choice, choices: ${choices} }\n`
      const { findings } = await lintFiles({ 'models/note.yaml': model })
      assert.equal(findings.length, 1, JSON.stringify(findings))
      assert.match(findings[0]?.message ?? '', message)
    })
  }
})
