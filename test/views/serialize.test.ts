import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serializeView } from '../../src/project/view-catalog.ts'
import type { FieldViewDefinition, ViewDefinition } from '../../src/views/definition.ts'

const served = (view: ViewDefinition): unknown => JSON.parse(JSON.stringify(serializeView(view)))
const form = { name: 'PostForm', view_type: 'form', model: 'Post' } as const
const flags = { required: false, readonly: false, disabled: false, is_primary_key: false }

describe('a serialised field', () => {
  const rows: readonly { field: FieldViewDefinition; expected: object }[] = [
    { field: { name: 'a' }, expected: { name: 'a', ...flags } },
    { field: { name: 'a', required: true }, expected: { name: 'a', ...flags, required: true } },
    {
      field: { name: 'id', title: 'ID', readonly: true, disabled: true, is_primary_key: true },
      expected: { name: 'id', title: 'ID', required: false, readonly: true, disabled: true, is_primary_key: true },
    },
    {
      field: {
        ...{ name: 'a', title: '', help_text: 'x', field_type: 'string', widget: 'text', placeholder: '' },
        ...{ options: { choices: [{ value: 'a', label: 'A' }], max_length: 3, own: null }, error: { message: 'No' } },
      },
      expected: {
        ...{ name: 'a', title: '', help_text: 'x', field_type: 'string', widget: 'text', placeholder: '', ...flags },
        ...{ options: { choices: [{ value: 'a', label: 'A' }], max_length: 3, own: null }, error: { message: 'No' } },
      },
    },
    ...[null, false, 0, '', [], {}].map((value) => ({
      field: { name: 'a', default_value: value },
      expected: { name: 'a', default_value: value, ...flags },
    })),
  ]
  for (const { field, expected } of rows) {
    test(JSON.stringify(field), () => {
      assert.deepStrictEqual(served({ ...form, fields: [field] }), { ...form, fields: [expected] })
      const list = { name: 'PostList', view_type: 'list', model: 'Post' } as const
      assert.deepStrictEqual(served({ ...list, fields: [field] }), { ...list, fields: [expected] })
    })
  }
})

describe('a serialised view', () => {
  test('has the allow-lists that are set', () => {
    const lists = { creation_fields: ['a'], allowed_update_fields: [] }
    assert.deepStrictEqual(served({ ...form, fields: [], ...lists }), { ...form, fields: [], ...lists })
  })

  test('has the keys for front ends that are set', () => {
    const groups = [{ title: 'Text', fields: ['a'], collapsed: true }]
    const ofForm = { fields: [{ name: 'a', ...flags, visible_when: 'self.b == 1' }], use: ['update'], groups } as const
    assert.deepStrictEqual(served({ ...form, ...ofForm }), { ...form, ...ofForm })
    const related = { field: 'line.order_id', title: 'Lines', columns: ['a'], form: 'LineForm' } as const
    const rows = [
      { ...related, sort: [{ field: 'a' }], limit: 10 },
      { field: 'line.order_id', columns: ['a'] },
    ] as const
    assert.deepStrictEqual(served({ ...form, fields: [], related: rows }), {
      ...form,
      fields: [],
      related: [
        { ...rows[0], sort: [{ field: 'a', order: 'asc' }] },
        { ...rows[1], limit: 200 },
      ],
    })
    const list = { name: 'PostList', view_type: 'list', model: 'Post', fields: [] } as const
    const ofList = { page_size: 10, filters: ['a'], inline_form: 'PostForm', layout: { board: 'a' } } as const
    const sort = [{ field: 'a' }, { field: 'b', order: 'desc' }] as const
    assert.deepStrictEqual(served({ ...list, ...ofList, sort }), {
      ...list,
      ...ofList,
      sort: [{ field: 'a', order: 'asc' }, sort[1]],
    })
  })

  test('has neither rules nor validate', () => {
    const rules = [{ rule: 'true', field: 'a', message: 'b' }]
    assert.deepStrictEqual(serializeView({ ...form, fields: [], rules, validate: () => undefined }), { ...form, fields: [] })
  })

  test('serialising does not change the view', () => {
    const view = { ...form, fields: [{ name: 'a' }] }
    serializeView(view)
    assert.deepEqual(view, { ...form, fields: [{ name: 'a' }] })
  })
})
