import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flatSource } from '../../src/config/source.ts'
import { defineFormView, defineListView, defineModel } from '../../src/index.ts'
import type { RecordOf } from '../../src/model/define.ts'
import { buildViews } from '../../src/views/views.ts'
import { registryOf } from '../model/models.ts'
import { viewsFor } from './views.ts'

// The type checker verifies the lines below `@ts-expect-error`: an unused directive is a compile error.

const Post = defineModel({
  name: 'Post',
  timestamps: true,
  fields: [
    { name: 'title', type: 'string', required: true },
    { name: 'author_id', type: 'foreignkey', model: 'user' },
    { name: 'tags', type: 'many_to_many', model: 'post' },
  ],
})
const Plain = defineModel({ name: 'Plain', fields: [{ name: 'title', type: 'string' }] })

const title = [{ name: 'title' }] as const
const base = { name: 'F', fields: title } as const

describe('definitions are returned complete', () => {
  test('a form', () => {
    const rules = [{ rule: 'true', field: 'updated_at', message: 'No' }] as const
    const form = defineFormView(Post, { ...base, creation_fields: ['title'], allowed_update_fields: ['author_id'], rules })
    assert.deepEqual(form, {
      name: 'F',
      view_type: 'form',
      model: 'Post',
      fields: [{ name: 'title' }],
      creation_fields: ['title'],
      allowed_update_fields: ['author_id'],
      rules,
    })
  })

  test('a list', () => {
    const fields = [{ name: 'id' }, { name: 'author', title: 'By' }, { name: 'tags' }, { name: 'created_at' }] as const
    assert.deepEqual(defineListView(Post, { name: 'L', fields }), { name: 'L', view_type: 'list', model: 'Post', fields })
  })

  test('views of a model that is defined in another file', () => {
    const form = { name: 'F', model: 'User', fields: [{ name: 'username' }], creation_fields: ['username'] }
    assert.deepEqual(defineFormView(form), { ...form, view_type: 'form' })
    const list = { name: 'L', model: 'User', fields: [{ name: 'username' }] }
    assert.deepEqual(defineListView(list), { ...list, view_type: 'list' })
  })

  test('validate is preserved and called with the record', () => {
    const form = defineFormView(Post, { ...base, validate: (record) => (record.title === 'x' ? { title: 'No' } : undefined) })
    assert.deepEqual(form.validate?.({ title: 'x' } as never), { title: 'No' })
    assert.equal(form.validate?.({ title: 'y' } as never), undefined)
  })

  test('the project accepts them unchanged', () => {
    const form = defineFormView(Post, { ...base, creation_fields: ['title'] })
    const list = defineListView(Post, { name: 'L', fields: [{ name: 'author' }] })
    const definitions = [form, list].map((value) => ({ value, source: flatSource('views/post.ts') }))
    const { views, faults } = buildViews(definitions, registryOf(Post))
    assert.deepEqual(faults.list, [])
    assert.deepEqual(viewsFor(views, 'post'), [form, list])
  })
})

test('validate knows the types of the fields', () => {
  const Book = defineModel({
    name: 'Book',
    timestamps: true,
    fields: [
      { name: 'title', type: 'string', required: true },
      { name: 'pages', type: 'integer' },
      { name: 'kind', type: 'choice', choices: ['novel', { value: 'essay', label: 'Essay', color: 'green' }] },
      { name: 'tags', type: 'many_to_many', model: 'tag' },
    ],
  })
  const check = (record: RecordOf<typeof Book>) => {
    const { title, pages, kind, tags, id, created_at } = record
    const texts: (string | null | undefined)[] = [title, created_at]
    const numbers: (number | null | undefined)[] = [pages, id, tags?.[0]]
    // @ts-expect-error a kind is one of the choices
    const isPoem = kind === 'poem'
    const isEssay = kind === 'essay'
    // @ts-expect-error a title has no `toFixed`
    return { title: isPoem ? title?.toFixed() : `${isEssay} ${texts.length + numbers.length}` }
  }
  const form = defineFormView(Book, { name: 'F', fields: [{ name: 'title' }], validate: check })
  assert.equal(form.validate, check)
})

test('names in keys for front ends are type-checked', () => {
  const form = { ...base, use: ['create'], groups: [{ title: 'A', fields: ['title'] }] } as const
  assert.deepEqual(defineFormView(Post, form), { ...form, view_type: 'form', model: 'Post' })
  // @ts-expect-error there is no field `titel`
  defineFormView(Post, { ...base, groups: [{ title: 'A', fields: ['titel'] }] })
  // @ts-expect-error a form opens for create or update
  defineFormView(Post, { ...base, use: ['delete'] })
  const sort = [{ field: 'title', order: 'desc' }, { field: 'author.username' }] as const
  const list = {
    name: 'L',
    fields: title,
    sort,
    page_size: 10,
    filters: ['author_id'],
    inline_form: 'F',
    layout: { board: 'author_id' },
  } as const
  assert.deepEqual(defineListView(Post, list), { ...list, view_type: 'list', model: 'Post' })
  // @ts-expect-error there is no field `titel`
  defineListView(Post, { name: 'L', fields: title, sort: [{ field: 'titel' }] })
  // @ts-expect-error there is no field `titel`
  defineListView(Post, { name: 'L', fields: title, filters: ['titel'] })
  // @ts-expect-error there is no field `stats`
  defineListView(Post, { name: 'L', fields: title, layout: { board: 'stats' } })
})

test('an invalid field of a form is a type error', () => {
  // @ts-expect-error there is no field `titel`
  defineFormView(Post, { name: 'F', fields: [{ name: 'titel' }] })
  // @ts-expect-error a relation is no field of a form
  defineFormView(Post, { name: 'F', fields: [{ name: 'author' }] })
  // @ts-expect-error a model without timestamps has no `created_at`
  defineFormView(Plain, { name: 'F', fields: [{ name: 'created_at' }] })
  // @ts-expect-error a field view has no member `placehlder`
  defineFormView(Post, { name: 'F', fields: [{ name: 'title', placehlder: 'x' }] })
  // @ts-expect-error `required` is a boolean
  defineFormView(Post, { name: 'F', fields: [{ name: 'title', required: 'yes' }] })
  // @ts-expect-error an error has a message
  defineFormView(Post, { name: 'F', fields: [{ name: 'title', error: { code: 'x' } }] })
  // @ts-expect-error a form has fields
  defineFormView(Post, { name: 'F' })
})

test('an allow-list with a field that cannot be set is a type error', () => {
  // @ts-expect-error there is no field `titel`
  defineFormView(Post, { ...base, creation_fields: ['titel'] })
  // @ts-expect-error `id` is never settable
  defineFormView(Post, { ...base, creation_fields: ['id'] })
  // @ts-expect-error `created_at` is never settable
  defineFormView(Post, { ...base, creation_fields: ['created_at'] })
  // @ts-expect-error there is no field `titel`
  defineFormView(Post, { ...base, allowed_update_fields: ['titel'] })
  // @ts-expect-error `updated_at` is never settable
  defineFormView(Post, { ...base, allowed_update_fields: ['title', 'updated_at'] })
})

test('a rule or validation message of an unknown field is a type error', () => {
  // @ts-expect-error there is no field `titel`
  defineFormView(Post, { ...base, rules: [{ rule: 'true', field: 'titel', message: 'x' }] })
  // @ts-expect-error a rule has a message
  defineFormView(Post, { ...base, rules: [{ rule: 'true', field: 'title' }] })
  // @ts-expect-error the record has no field `titel`
  defineFormView(Post, { ...base, validate: (record) => (record.titel === null ? { title: 'x' } : undefined) })
  // @ts-expect-error there is no field `titel` to hold a message
  defineFormView(Post, { ...base, validate: () => ({ titel: 'x' }) })
})

test('keys that a list view cannot have are type errors', () => {
  // @ts-expect-error there is no field `titel`
  defineListView(Post, { name: 'L', fields: [{ name: 'titel' }] })
  // @ts-expect-error there is no relation `editor`
  defineListView(Post, { name: 'L', fields: [{ name: 'editor' }] })
  // @ts-expect-error a list view has no creation_fields
  defineListView(Post, { name: 'L', fields: title, creation_fields: ['title'] })
  // @ts-expect-error a list view has no rules
  defineListView(Post, { name: 'L', fields: title, rules: [] })
})
