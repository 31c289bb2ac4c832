import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flatSource } from '../../src/config/source.ts'
import { parseView } from '../../src/views/parse.ts'
import { assertFaults } from '../config/projects.ts'
import { registry, viewsOf } from './views.ts'

const form = (rest: string): string => `name: PostForm\nview_type: form\nmodel: Post\n${rest}`
const list = (rest: string): string => `name: PostList\nview_type: list\nmodel: Post\n${rest}`

/** A form of users with tables of rows. */
const rows = (tables: string): string => `name: UserForm\nview_type: form\nmodel: User\nfields: []\nrelated: [${tables}]\n`

type Row = readonly [name: string, view: string, ...faults: string[]]

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [name, view, ...faults] of rows) test(name, () => void viewsOf([view], faults))
  })
}

table('the configuration rule', [
  [
    'creation_fields',
    form('fields: [{ name: title }]\ncreation_fields: »[a, title, b]\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['a', 'b']",
  ],
  [
    'allowed_update_fields',
    form('fields: [{ name: title }]\nallowed_update_fields: »[body]\n'),
    "Fields referenced in allowed_update_fields do not exist in the view's fields: ['body']",
  ],
  [
    'both',
    form('fields: [{ name: title }]\ncreation_fields: »[a]\nallowed_update_fields:\n  »[b, c]\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['a']",
    "Fields referenced in allowed_update_fields do not exist in the view's fields: ['b', 'c']",
  ],
  [
    'a field of the model that is not in the view',
    form('fields: [{ name: title }]\ncreation_fields: »[title, status]\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['status']",
  ],
  [
    'no fields at all',
    form('fields: []\ncreation_fields: »[title]\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['title']",
  ],
  [
    '__proto__ and constructor',
    form('fields: [{ name: title }]\ncreation_fields: »[__proto__, constructor]\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['__proto__', 'constructor']",
  ],
  ['empty lists', form('fields: []\ncreation_fields: []\nallowed_update_fields: []\n')],
])

table('keys for front ends', [
  [
    'all of a form',
    form(`fields: [{ name: title }, { name: status, visible_when: self.title != null }]
use: [create, update]
groups: [{ title: Text, fields: [title], collapsed: true }]
`),
  ],
  [
    'all of a list',
    list(`fields: [{ name: title }]
sort: [{ field: title, order: desc }, { field: author.username }]
page_size: 100
filters: [status]
inline_form: PostForm
layout: { board: status, calendar: { start: published_at, title: title } }
`),
  ],
  [
    'a group of a field that the form lacks',
    form('fields: [{ name: title }]\ngroups: [{ title: A, fields: [»titel] }]\n'),
    "The group names 'titel', which is not among the fields of the view; did you mean 'title'?",
  ],
  [
    'a field in two groups',
    form('fields: [{ name: title }]\ngroups: [{ title: A, fields: [title] }, { title: B, fields: [»title] }]\n'),
    "Field 'title' is in two groups; remove one",
  ],
  [
    'rows of another model, of the same one too',
    `name: TagForm
view_type: form
model: Tag
fields: []
related: [{ field: tag.parent_id, title: Below, columns: [name], form: TagForm, sort: [{ field: name, order: desc }], limit: 500 }]
`,
  ],
  [
    'rows by a path that is no relation',
    rows('{ field: »post, columns: [title] }'),
    "'post' must name a relation to User as <model>.<field>, such as post.author_id",
  ],
  [
    'rows of an unknown model',
    rows('{ field: »pots.author_id, columns: [title] }'),
    "There is no model 'pots'; did you mean 'post'?",
  ],
  [
    'rows by an unknown field',
    rows('{ field: »post.autor_id, columns: [title] }'),
    "Model 'Post' has no field 'autor_id'; did you mean 'author_id'?",
  ],
  [
    'rows by a field that is no relation',
    rows('{ field: »post.title, columns: [title] }'),
    "'post.title' is no foreign key to User, so its records cannot be rows of this form (Post has: author_id)",
  ],
  [
    'rows by a relation to another model',
    rows('{ field: »tag.parent_id, columns: [name] }'),
    "'tag.parent_id' is no foreign key to User, so its records cannot be rows of this form",
  ],
  [
    'rows by a relation of several records',
    'name: TagForm\nview_type: form\nmodel: Tag\nfields: []\nrelated: [{ field: »post.tags, columns: [title] }]\n',
    "'post.tags' is no foreign key to Tag, so its records cannot be rows of this form",
  ],
  [
    'rows with an unknown column and an unknown order',
    rows('{ field: post.author_id, columns: [title, »titel], sort: [{ field: »titl }] }'),
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
    "Model 'Post' has no field 'titl'; did you mean 'title'?",
  ],
  [
    'two tables of the same rows',
    rows('{ field: post.author_id, columns: [title] }, { field: »post.author_id, columns: [title] }'),
    "The form has the rows of 'post.author_id' already; remove one",
  ],
  ['rows without columns', rows('{ field: post.author_id, columns: »[] }'), "'related[0].columns' must contain at least 1 items"],
  [
    'too many rows',
    rows('{ field: post.author_id, columns: [title], limit: »501 }'),
    "'related[0].limit' must be less than or equal to 500",
  ],
  ['rows of a list', list('fields: []\n»related: []\n'), "Unknown key 'related'; only form views have it"],
  ['an unknown use', form('fields: []\nuse: [»updte]\n'), "'use[0]' must be one of [create, update]"],
  ['too large a page', list('fields: []\npage_size: »101\n'), "'page_size' must be less than or equal to 100"],
  ['an unknown order', list('fields: []\nsort: [{ field: title, order: »up }]\n'), "'sort[0].order' must be one of [asc, desc]"],
  [
    'a filter by an unknown field',
    list('fields: []\nfilters: [»titel]\n'),
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
  ],
  ['a layout without anything', list('fields: []\nlayout: »{}\n'), "'layout' must have at least 1 key"],
  [
    'a calendar without a start',
    list('fields: []\nlayout: { calendar: »{ end: published_at } }\n'),
    "Key 'layout.calendar.start' is missing",
  ],
  [
    'a board of an unknown field',
    list('fields: []\nlayout: { board: »statsu }\n'),
    "Model 'Post' has no field 'statsu'; did you mean 'status'?",
  ],
  ['a key of lists in a form', form('fields: []\n»page_size: 10\n'), "Unknown key 'page_size'; only list views have it"],
  ['a key of forms in a list', list('fields: []\n»use: [create]\n'), "Unknown key 'use'; only form views have it"],
  [
    'a condition in a list',
    list('fields: [{ name: title, »visible_when: "true" }]\n'),
    "Unknown key 'visible_when'; only form views have it",
  ],
])

test('a view whose allow-list names other fields prevents a start', () =>
  assertFaults(
    {
      'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string }\n',
      'views/tag.yaml': 'name: F\nview_type: form\nmodel: Tag\nfields: [{ name: name }]\ncreation_fields: »[a]\n',
    },
    ["Fields referenced in creation_fields do not exist in the view's fields: ['a']"],
  ))

table('models and fields that are not there', [
  [
    'an unknown model, with a suggestion',
    'name: F\nview_type: form\nmodel: »Posst\nfields: []\n',
    "View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?",
  ],
  [
    'a model one letter short',
    'name: F\nview_type: form\nmodel: »Usr\nfields: []\n',
    "View 'F' refers to the model 'Usr', which does not exist; did you mean 'User'?",
  ],
  [
    'a model in lower case',
    'name: F\nview_type: form\nmodel: »post\nfields: []\n',
    "View 'F' refers to the model 'post', which does not exist; did you mean 'Post'?",
  ],
  [
    'an unknown model without a similar name',
    'name: F\nview_type: list\nmodel: »Invoice\nfields: []\n',
    "View 'F' refers to the model 'Invoice', which does not exist",
  ],
  [
    'an internal model',
    'name: F\nview_type: list\nmodel: »AuthSession\nfields: []\n',
    "View 'F' refers to the model 'AuthSession', which does not exist",
  ],
  [
    'an unknown field, with a suggestion',
    form('fields: [{ name: id }, { name: »titel }]\n'),
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
  ],
  ['an unknown field without a similar name', list('fields: [{ name: »weather }]\n'), "Model 'Post' has no field 'weather'"],
  ['__proto__', form('fields: [{ name: »__proto__ }]\n'), "Model 'Post' has no field '__proto__'"],
  [
    'every field',
    form('fields:\n  - name: »titel\n  - name: »boddy\n'),
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
    "Model 'Post' has no field 'boddy'; did you mean 'body'?",
  ],
  [
    'a field twice',
    form('fields: [{ name: title }, { name: body }, { name: »title }]\n'),
    "Field 'title' is listed twice; remove one",
  ],
  [
    "a rule's field",
    form('fields: []\nrules:\n  - { rule: "true", field: »titel, message: No }\n'),
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
  ],
  ['a relation in a form', form('fields: [{ name: »author }]\n'), "Model 'Post' has no field 'author'…"],
  ['a relation in a list', list('fields: [{ name: author }, { name: tags }, { name: author_id }]\n')],
])

table('shapes', [
  ['no view_type', '»name: F\nmodel: Post\nfields: []\n', "'view_type' must be form or list"],
  ['an invalid view_type', 'name: F\nview_type: »table\nmodel: Post\nfields: []\n', "'view_type' must be form or list"],
  [
    'no name, no model, no fields',
    '»»»view_type: form\n',
    "Key 'name' is missing",
    "Key 'model' is missing",
    "Key 'fields' is missing",
  ],
  ['text', '»PostForm\n', "'view_type' must be form or list"],
  [
    'an unknown key',
    form('»creation_feilds: [title]\nfields: [{ name: title }]\n'),
    "Unknown key 'creation_feilds'; did you mean 'creation_fields'?",
  ],
  [
    'an unknown key of a field',
    form('fields:\n  - { name: title, »placehlder: x }\n'),
    "Unknown key 'placehlder'; did you mean 'placeholder'?",
  ],
  ['a field without a name', form('fields:\n  - »title: Title\n'), "Key 'fields[0].name' is missing"],
  [
    'a flag in quotes',
    form('fields: [{ name: title, required: »"yes" }]\n'),
    "'fields[0].required' must be a boolean; write true, without quotes",
  ],
  [
    'options that are not a mapping',
    form('fields: [{ name: title, options: »[1] }]\n'),
    "'fields[0].options' must be a mapping of keys to values",
  ],
  [
    'an error without a message',
    form('fields: [{ name: title, error: »{ code: x } }]\n'),
    "Key 'fields[0].error.message' is missing",
  ],
  [
    'a rule without a message',
    form('fields: []\nrules: [»{ rule: "true", field: title }]\n'),
    "Key 'rules[0].message' is missing",
  ],
  ['names that are not a list', form('fields: []\ncreation_fields: »title\n'), "'creation_fields' must be an array"],
  [
    'a list view with creation_fields',
    list('fields: []\n»creation_fields: []\n'),
    "Unknown key 'creation_fields'; only form views have it",
  ],
  [
    'a list view with allowed_update_fields',
    list('fields: []\n»allowed_update_fields: []\n'),
    "Unknown key 'allowed_update_fields'; only form views have it",
  ],
  ['a list view with rules', list('fields: []\n»rules: []\n'), "Unknown key 'rules'; only form views have it"],
])

table('a part that is malformed hides no fault of another', [
  [
    'no view_type',
    '»name: F\nmodel: Post\nfields: [{ name: »titel }]\n',
    "'view_type' must be form or list",
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
  ],
  [
    'an invalid view_type and an unknown model',
    'name: F\nview_type: »tabel\nmodel: »Posst\nfields: []\n',
    "'view_type' must be form or list",
    "View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?",
  ],
  [
    'an unknown model',
    'name: F\nview_type: form\nmodel: »Posst\nfields: [{ name: a }, { name: »a }]\ncreation_fields: »[b]\n',
    "View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?",
    "Field 'a' is listed twice; remove one",
    "Fields referenced in creation_fields do not exist in the view's fields: ['b']",
  ],
  [
    'no name',
    '»view_type: list\nmodel: Post\nfields: [{ name: »titel }]\n',
    "Key 'name' is missing",
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
  ],
  [
    'fields that are not mappings',
    form('fields: [»title, { name: »boddy }, { »nam: x }, »~]\n').replace('{ »nam', '»{ »nam'),
    "'fields[0]' must be a mapping of keys to values",
    "Model 'Post' has no field 'boddy'; did you mean 'body'?",
    "Key 'fields[2].name' is missing",
    "Unknown key 'nam'; did you mean 'name'?",
    "'fields[3]' must be a mapping of keys to values",
  ],
  [
    'lists of names',
    form('fields: [{ name: title }]\ncreation_fields: »[x, »5]\nallowed_update_fields: »title\n'),
    "Fields referenced in creation_fields do not exist in the view's fields: ['x']",
    "'creation_fields[1]' must be a string",
    "'allowed_update_fields' must be an array",
  ],
  [
    'rules',
    form(
      'fields: []\nrules:\n  - { rule: »5, field: »titel, message: No }\n  - »text\n  - { rule: "x", field: »boddy, message: No }\n',
    ),
    "'rules[0].rule' must be a string",
    "Model 'Post' has no field 'titel'; did you mean 'title'?",
    "'rules[1]' must be a mapping of keys to values",
    "Model 'Post' has no field 'boddy'; did you mean 'body'?",
  ],
])

test('rules and options are compiled although other parts are malformed', () =>
  assertFaults(
    {
      'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string }\n',
      'views/tag.yaml': `name: F
view_type: form
model: Tag
fields:
  - »title
  - { name: name, options: »{ max_length: long } }
rules:
  - »text
  - { rule: »self.nam != null, field: name, message: No }
creation_fields: »name
`,
    },
    [
      "'fields[0]' must be a mapping of keys to values",
      "The options of 'name' cannot be used: …",
      "'rules[0]' must be a mapping of keys to values",
      "The rule cannot be used: Model 'Tag' has no field 'nam'; did you mean 'name'?",
      "'creation_fields' must be an array",
    ],
  ))

test('every member of a field view is accepted', () => {
  const field = {
    ...{ name: 'title', title: '', help_text: 'x', field_type: 'string', widget: 'text', required: true, readonly: false },
    ...{ disabled: false, placeholder: '', default_value: null, options: { rows: 3 }, error: { message: 'No', code: 'no' } },
    is_primary_key: false,
  }
  const value = { name: 'F', view_type: 'form', model: 'Post', fields: [field], validate: () => undefined }
  const { parsed, faults } = parseView({ value, source: flatSource('views/f.ts') }, registry)
  assert.deepEqual(faults.list, [])
  assert.equal(parsed?.model.key, 'post')
  assert.deepEqual(parsed?.view.fields, [field])
})

test('validate in a text file must be a function', () => {
  const value = { name: 'F', view_type: 'form', model: 'Post', fields: [], validate: {} }
  const { faults } = parseView({ value, source: flatSource('views/f.yaml') }, registry)
  assert.equal(faults.list.length, 1)
  assert.match(faults.list[0]?.message ?? '', /^'validate' .*function/)
})
