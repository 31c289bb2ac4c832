import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defineModel, type StoredFile } from '../../src/index.ts'
import type { RecordOf } from '../../src/model/define.ts'
import { registryOf } from './models.ts'

// The type checker verifies the lines below `@ts-expect-error`: an unused directive is a compile error.

const name = { name: 'name', type: 'string' } as const

test('a definition is returned unchanged', () => {
  const given = { name: 'Tag', label: 'Tags', display_field: 'name', timestamps: true, fields: [name] } as const
  const model = defineModel(given)
  assert.equal(model, given)
  assert.deepEqual(model, { name: 'Tag', label: 'Tags', display_field: 'name', timestamps: true, fields: [name] })
  assert.equal(registryOf(model).expect('tag').displayField, 'name')
})

describe('type errors', () => {
  test('a display field that the model does not have', () => {
    assert.doesNotThrow(() => defineModel({ name: 'Tag', display_field: 'name', fields: [name] }))
    assert.doesNotThrow(() => defineModel({ name: 'Tag', display_field: 'id', fields: [name] }))
    // @ts-expect-error there is no field `titel`
    defineModel({ name: 'Tag', display_field: 'titel', fields: [name] })
  })

  test('types and keys that do not exist', () => {
    // @ts-expect-error there is no type `strng`
    defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'strng' }] })
    // @ts-expect-error a field has a type
    defineModel({ name: 'Tag', fields: [{ name: 'a' }] })
    // @ts-expect-error a field has a name
    defineModel({ name: 'Tag', fields: [{ type: 'string' }] })
    // @ts-expect-error a length is a number
    defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'string', max_length: '3' }] })
    // @ts-expect-error there is no such on_delete
    defineModel({ name: 'Tag', fields: [{ name: 'a_id', type: 'foreignkey', model: 'tag', on_delete: 'nullify' }] })
    // @ts-expect-error a model has fields
    defineModel({ name: 'Tag' })
    // @ts-expect-error a model has a name
    defineModel({ fields: [name] })
    // @ts-expect-error timestamps is a boolean
    defineModel({ name: 'Tag', timestamps: 'yes', fields: [name] })
  })
})

test('code of a project sees files as records have them', () => {
  const fields = [
    { name: 'cover', type: 'image' },
    { name: 'papers', type: 'file', multiple: true },
  ] as const
  const article = defineModel({ name: 'Article', fields })
  const seen = ({ cover, papers }: RecordOf<typeof article>): [StoredFile | null, readonly StoredFile[] | null] => [cover, papers]
  assert.deepEqual(seen({ cover: null, papers: [] }), [null, []])
  // @ts-expect-error a single file is no list
  const wrong = ({ cover }: RecordOf<typeof article>): readonly unknown[] | null => cover
  assert.equal(wrong({ cover: null, papers: [] }), null)
})
