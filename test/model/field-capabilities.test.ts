import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldTypeName } from '../../src/model/definition.ts'
import { FIELD_TYPE_NAMES } from '../../src/model/definition.ts'
import { FIELD_TYPES } from '../../src/model/fields.ts'

describe('capabilities of a type', () => {
  const order = ['gt', 'gte', 'lt', 'lte']
  const equality = ['eq', 'ne', 'in', 'isnull']
  const match = ['icontains', 'startswith', 'endswith']
  const text = [...equality, ...match, ...order]
  const measure = [...equality, ...order]
  const operators: Readonly<Record<FieldTypeName, readonly string[]>> = {
    string: text,
    text,
    email: text,
    url: text,
    slug: text,
    choice: text,
    integer: measure,
    number: measure,
    decimal: measure,
    date: measure,
    time: measure,
    datetime: measure,
    foreignkey: measure,
    one_to_one: measure,
    boolean: equality,
    multichoice: equality,
    many_to_many: equality,
    json: ['isnull'],
    file: ['isnull'],
    image: ['isnull'],
    uuid: equality,
    password: [],
  }
  for (const name of FIELD_TYPE_NAMES) {
    test(`${name}: name and operators`, () => {
      assert.equal(FIELD_TYPES[name].name, name)
      assert.deepEqual([...FIELD_TYPES[name].operators].sort(), [...operators[name]].sort())
    })
  }

  test('only passwords are secret, and they can be neither sorted nor searched', () => {
    assert.deepEqual(
      FIELD_TYPE_NAMES.filter((name) => FIELD_TYPES[name].secret),
      ['password'],
    )
    assert.equal(FIELD_TYPES.password.sortable, false)
    assert.equal(FIELD_TYPES.password.searchable, false)
  })

  test('lists, JSON and files cannot be sorted', () =>
    assert.deepEqual(
      FIELD_TYPE_NAMES.filter((name) => !FIELD_TYPES[name].sortable),
      ['password', 'multichoice', 'json', 'many_to_many', 'file', 'image'],
    ))
})
