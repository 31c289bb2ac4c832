import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp } from '../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../helpers/api/scenario.ts'
import { modelNotFound, UNAUTHENTICATED } from './records/expected.ts'

const FLAGS = { required: false, readonly: false, disabled: false, is_primary_key: false }

const TAG_VIEWS = [
  {
    name: 'TagForm',
    view_type: 'form',
    model: 'Tag',
    fields: [
      { ...FLAGS, name: 'id', title: 'ID', field_type: 'primarykey', readonly: true, disabled: true, is_primary_key: true },
      {
        ...FLAGS,
        name: 'name',
        title: 'Name',
        field_type: 'string',
        widget: 'text',
        required: true,
        options: { min_length: 2, max_length: 30 },
      },
      { ...FLAGS, name: 'slug', title: 'Slug', field_type: 'slug', widget: 'text', required: true },
      {
        ...FLAGS,
        name: 'color',
        title: 'Colour',
        field_type: 'string',
        widget: 'text',
        placeholder: '#1f6f8b',
        error: { message: 'Write the colour as a # and six lower-case hex digits, such as #1f6f8b', code: 'color_invalid' },
      },
    ],
    creation_fields: ['name', 'slug', 'color'],
    allowed_update_fields: ['name', 'color'],
  },
  {
    name: 'TagList',
    view_type: 'list',
    model: 'Tag',
    fields: [
      { ...FLAGS, name: 'id', title: 'ID', field_type: 'primarykey', is_primary_key: true },
      { ...FLAGS, name: 'name', title: 'Name', field_type: 'string', widget: 'text' },
      { ...FLAGS, name: 'slug', title: 'Slug', field_type: 'slug', widget: 'text' },
      { ...FLAGS, name: 'color', title: 'Colour', field_type: 'string', widget: 'text' },
    ],
  },
]

const FORM_KEYS = ['name', 'view_type', 'model', 'fields', 'creation_fields', 'allowed_update_fields', 'use', 'groups', 'related']
const LIST_KEYS = ['name', 'view_type', 'model', 'fields', 'sort', 'page_size', 'filters', 'inline_form', 'layout']
const FIELD_KEYS = [
  ...['name', 'title', 'help_text', 'field_type', 'widget', 'required', 'readonly', 'disabled', 'placeholder', 'visible_when'],
  ...['default_value', 'options', 'error', 'is_primary_key'],
]

const ofTag = (name: string, request: Scenario['request']): Scenario =>
  scenario(name, request, 200, { as: null, expect: { data: TAG_VIEWS } })

const everyModel = (name: string, request: Scenario['request']): Scenario =>
  scenario(name, request, 200, {
    as: null,
    check: async ({ json }, app) => {
      assert.deepEqual(Object.keys(json), ['data'])
      assert.deepEqual(json.data.tag, TAG_VIEWS)
      const names: Record<string, string[]> = {
        user: ['UserCreateForm', 'UserList'],
        group: ['GroupForm', 'GroupList'],
        category: ['CategoryForm', 'CategoryList'],
        tag: ['TagForm', 'TagList'],
        post: ['PostForm', 'PostQuickEditForm', 'PostList'],
        comment: ['CommentForm', 'CommentModerationForm', 'CommentList'],
      }
      for (const [key, expected] of Object.entries(names)) {
        const views: { name: string; model: string }[] = json.data[key]
        assert.deepEqual(new Set(views.map((view) => view.name)), new Set(expected))
        const own = await play(app, { request: `GET /admin/api/v1/views/${key}/`, as: null, status: 200 })
        assert.deepEqual(own.json, { data: views })
      }
    },
  })

scenarios('views', [
  ofTag('of one model', 'GET /admin/api/v1/views/tag/'),
  ofTag('of one model, without the slash', 'GET /admin/api/v1/views/tag'),
  everyModel('of every model', 'GET /admin/api/v1/views/'),
  everyModel('of every model, without the slash', 'GET /admin/api/v1/views'),
  scenario('contain the keys of the schema only, without rules and validation', 'GET /admin/api/v1/views/', 200, {
    as: null,
    check: ({ json }) => {
      const grouped: [string, Record<string, unknown>[]][] = Object.entries(json.data)
      for (const [key, views] of grouped) {
        for (const view of views) {
          assert.equal(String(view.model).toLowerCase(), key)
          assert.match(String(view.model), /^[A-Z]/)
          assert.ok(view.view_type === 'form' || view.view_type === 'list')
          const known = view.view_type === 'form' ? FORM_KEYS : LIST_KEYS
          assert.deepEqual(
            Object.keys(view).filter((name) => !known.includes(name)),
            [],
          )
          for (const field of view.fields as Record<string, unknown>[]) {
            assert.deepEqual(
              Object.keys(field).filter((name) => !FIELD_KEYS.includes(name)),
              [],
            )
            for (const flag of ['required', 'readonly', 'disabled', 'is_primary_key']) {
              assert.equal(typeof field[flag], 'boolean', `${String(view.name)}.${String(field.name)}.${flag}`)
            }
          }
        }
      }
    },
  }),
  scenario('serve a form written in TypeScript with its lists, options and defaults', 'GET /admin/api/v1/views/post/', 200, {
    as: null,
    check: ({ json, text }) => {
      const [form, quick, list] = json.data
      const named = (name: string) => form.fields.find((field: { name: string }) => field.name === name)
      assert.deepEqual(named('status'), {
        ...FLAGS,
        name: 'status',
        title: 'Status',
        field_type: 'choice',
        widget: 'select',
        default_value: 'draft',
        options: { choices: ['draft', 'published', 'archived'] },
      })
      assert.equal(named('is_featured').default_value, false)
      assert.deepEqual(quick.creation_fields, [])
      assert.deepEqual(quick.allowed_update_fields, ['title', 'status'])
      assert.equal('creation_fields' in list || 'allowed_update_fields' in list, false)
      assert.equal(text.includes('rule'), false)
    },
  }),
  scenario('serve a list of nothing as it is written', 'GET /admin/api/v1/views/comment/', 200, {
    as: null,
    check: ({ json }) => assert.deepEqual(json.data[1].creation_fields, []),
  }),
  scenario('are empty for a model without views', 'GET /admin/api/v1/views/permission/', 200, { as: null, expect: { data: [] } }),
  scenario('are not found for a model that is not there', 'GET /admin/api/v1/views/spaceship/', 404, {
    as: null,
    expect: modelNotFound('spaceship'),
  }),
  scenario('know a model by its lower-case name alone', 'GET /admin/api/v1/views/Tag/', 404, {
    as: null,
    expect: modelNotFound('Tag'),
  }),
  scenario('may be requested with a token', 'GET /admin/api/v1/views/tag/', 200, { as: 'newcomer' }),
])

const shut = (request: Scenario['request']): Scenario =>
  scenario('belong to their own model', request, 401, {
    as: null,
    expect: UNAUTHENTICATED,
    expectHeaders: { 'www-authenticate': 'Bearer' },
  })

scenarios('views that require a token', { settings: { views_auth: 'required' } }, [
  shut('GET /admin/api/v1/views/'),
  shut('GET /admin/api/v1/views/tag/'),
  shut('GET /admin/api/v1/views/tag'),
  shut('GET /admin/api/v1/views/spaceship/'),
  scenario('reject an invalid token', 'GET /admin/api/v1/views/', 401, {
    as: null,
    headers: { authorization: 'Bearer nonsense' },
    expect: UNAUTHENTICATED,
  }),
  scenario('of a model are returned with a token', 'GET /admin/api/v1/views/tag/', 200, {
    as: 'newcomer',
    expect: { data: TAG_VIEWS },
  }),
  scenario('are all returned with a token', 'GET /admin/api/v1/views/', 200, {
    as: 'newcomer',
    check: ({ json }) => assert.deepEqual(json.data.tag, TAG_VIEWS),
  }),
])

describe('a view that lists fields it does not have', () => {
  for (const list of ['creation_fields', 'allowed_update_fields'] as const) {
    test(`is rejected when it is defined: ${list}`, async () => {
      const files = {
        'models/note.yaml':
          'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: pinned, type: boolean }\n  - { name: body, type: text }\n',
        'views/note.yaml': `name: NoteForm\nview_type: form\nmodel: Note\nfields: [{ name: title }]\n${list}: [title, pinned, body]\n`,
      }
      const expected = `Fields referenced in ${list} do not exist in the view's fields: ['pinned', 'body']`
      await assert.rejects(openTestApp({ files }), (error: Error) => {
        assert.ok(error.message.includes(expected), error.message)
        return true
      })
    })
  }
})
