import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition } from '../../src/model/definition.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { BLOG, modelOf, registryOf } from './models.ts'

const post = registryOf(...BLOG).expect('post')

describe('a model', () => {
  test('names', () => {
    const model = registryOf({ name: 'BlogPost', label: 'Blog posts', fields: [] }).expect('blogpost')
    assert.equal(model.name, 'BlogPost')
    assert.equal(model.key, 'blogpost')
    assert.equal(model.label, 'Blog posts')
    assert.equal(post.label, 'Post')
  })

  test('id is first, timestamps are last', () => {
    const names = [...post.fields.keys()]
    assert.equal(names[0], 'id')
    assert.deepEqual(names.slice(-2), ['created_at', 'updated_at'])
  })

  test('a declared id occurs once', () => {
    const model = modelOf({ name: 'a', type: 'string' }, { name: 'id', type: 'integer' })
    assert.deepEqual([...model.fields.keys()], ['id', 'a'])
    assert.equal(model.fields.get('id')?.type.name, 'primarykey')
  })

  test('id and timestamps are system fields', () => {
    const system = [...post.fields.values()].filter((field) => field.system).map((field) => field.name)
    assert.deepEqual(system, ['id', 'created_at', 'updated_at'])
  })

  test('secrets are not visible', () => {
    assert.ok(post.fields.has('secret'))
    assert.ok(!post.visibleFields.some((field) => field.name === 'secret'))
  })

  for (const name of ['__proto__', 'constructor', 'toString']) {
    test(`has no field ${name}`, () => {
      assert.equal(post.fields.get(name), undefined)
      assert.equal(post.relations.get(name), undefined)
    })
  }
})

describe('relations', () => {
  test('a foreign key has the relation without _id, a many-to-many its own name', () =>
    assert.deepEqual(
      [...post.relations].map(([name, field]) => [name, field.name, field.relation.kind, field.relation.target]),
      [
        ['author', 'author_id', 'one', 'user'],
        ['tags', 'tags', 'many', 'tag'],
      ],
    ))

  const rows: readonly { field: FieldDefinition; onDelete: string; unique: boolean }[] = [
    { field: { name: 'a_id', type: 'foreignkey', model: 'user' }, onDelete: 'restrict', unique: false },
    { field: { name: 'a_id', type: 'foreignkey', model: 'User', on_delete: 'cascade' }, onDelete: 'cascade', unique: false },
    { field: { name: 'a_id', type: 'foreignkey', model: 'user', unique: true }, onDelete: 'restrict', unique: true },
    { field: { name: 'a_id', type: 'one_to_one', model: 'user', on_delete: 'set_null' }, onDelete: 'set_null', unique: true },
  ]
  for (const { field, onDelete, unique } of rows) {
    test(JSON.stringify(field), () => {
      const found = modelOf(field).fields.get('a_id')
      assert.equal(found?.relation?.onDelete, onDelete)
      assert.equal(found?.relation?.target, 'user')
      assert.equal(found?.unique, unique)
    })
  }

  test('a name of two parts loses only the last _id', () =>
    assert.deepEqual([...modelOf({ name: 'pet_id_id', type: 'foreignkey', model: 'user' }).relations.keys()], ['pet_id']))
})

describe('the display field', () => {
  const rows: readonly { fields: readonly string[]; expected: string }[] = [
    { fields: ['title', 'name'], expected: 'name' },
    { fields: ['slug', 'title'], expected: 'title' },
    { fields: ['email', 'username'], expected: 'username' },
    { fields: ['colour', 'slug'], expected: 'slug' },
    { fields: ['colour', 'size'], expected: 'colour' },
    { fields: [], expected: 'id' },
  ]
  for (const { fields, expected } of rows) {
    test(`of [${fields.join(', ')}] is ${expected}`, () =>
      assert.equal(modelOf(...fields.map((name) => ({ name, type: 'string' }) as const)).displayField, expected))
  }

  test('is the named one', () => {
    const fields = [{ name: 'name', type: 'string' } as const, { name: 'code', type: 'integer' } as const]
    assert.equal(registryOf({ name: 'Thing', display_field: 'code', fields }).expect('thing').displayField, 'code')
  })

  test('the default is never a secret, a list or a relation', () => {
    assert.equal(modelOf({ name: 'name', type: 'password' }).displayField, 'id')
    assert.equal(modelOf({ name: 'name', type: 'many_to_many', model: 'user' }).displayField, 'id')
  })
})

describe('fields', () => {
  test('a default is stored in its stored form', () => {
    const model = modelOf(
      { name: 'at', type: 'datetime', default: '2024-05-01T10:30:00+02:00' },
      { name: 'tags', type: 'multichoice', choices: ['a', 'b'], default: ['a', 'a'] },
      { name: 'none', type: 'string', default: null },
    )
    assert.equal(model.fields.get('at')?.default, '2024-05-01T08:30:00.000Z')
    assert.deepEqual(model.fields.get('tags')?.default, ['a'])
    assert.equal(model.fields.get('none')?.default, undefined)
  })

  test('text is searchable unless it opts out', () => {
    const model = modelOf(
      { name: 'a', type: 'string' },
      { name: 'b', type: 'text', searchable: false },
      { name: 'c', type: 'integer', searchable: true },
      { name: 'd', type: 'password', searchable: true },
    )
    assert.deepEqual(valuesOf(model.searchableFields, 'name'), ['a'])
  })
})
