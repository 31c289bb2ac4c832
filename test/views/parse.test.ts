import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flatSource } from '../../src/config/source.ts'
import { parseView } from '../../src/views/parse.ts'
import { assertFaults } from '../config/projects.ts'
import { registry, viewsOf } from './views.ts'

const form = (rest: string): string => `name: PostForm\nview_type: form\nmodel: Post\n${rest}`
const list = (rest: string): string => `name: PostList\nview_type: list\nmodel: Post\n${rest}`

interface Row {
  readonly name: string
  readonly view: string
  readonly faults: readonly string[]
}

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { name, view, faults } of rows) test(name, () => void viewsOf([view], faults))
  })
}

table('the configuration rule', [
  {
    name: 'creation_fields',
    view: form('fields: [{ name: title }]\ncreation_fields: »[a, title, b]\n'),
    faults: ["Fields referenced in creation_fields do not exist in the view's fields: ['a', 'b']"],
  },
  {
    name: 'allowed_update_fields',
    view: form('fields: [{ name: title }]\nallowed_update_fields: »[body]\n'),
    faults: ["Fields referenced in allowed_update_fields do not exist in the view's fields: ['body']"],
  },
  {
    name: 'both',
    view: form('fields: [{ name: title }]\ncreation_fields: »[a]\nallowed_update_fields:\n  »[b, c]\n'),
    faults: [
      "Fields referenced in creation_fields do not exist in the view's fields: ['a']",
      "Fields referenced in allowed_update_fields do not exist in the view's fields: ['b', 'c']",
    ],
  },
  {
    name: 'a field of the model that is not in the view',
    view: form('fields: [{ name: title }]\ncreation_fields: »[title, status]\n'),
    faults: ["Fields referenced in creation_fields do not exist in the view's fields: ['status']"],
  },
  {
    name: 'no fields at all',
    view: form('fields: []\ncreation_fields: »[title]\n'),
    faults: ["Fields referenced in creation_fields do not exist in the view's fields: ['title']"],
  },
  {
    name: '__proto__ and constructor',
    view: form('fields: [{ name: title }]\ncreation_fields: »[__proto__, constructor]\n'),
    faults: ["Fields referenced in creation_fields do not exist in the view's fields: ['__proto__', 'constructor']"],
  },
  { name: 'empty lists', view: form('fields: []\ncreation_fields: []\nallowed_update_fields: []\n'), faults: [] },
])

table('keys for front ends', [
  {
    name: 'all of a form',
    view: form(`fields: [{ name: title }, { name: status, visible_when: self.title != null }]
use: [create, update]
groups: [{ title: Text, fields: [title], collapsed: true }]
`),
    faults: [],
  },
  {
    name: 'all of a list',
    view: list(`fields: [{ name: title }]
sort: [{ field: title, order: desc }, { field: author.username }]
page_size: 100
filters: [status]
inline_form: PostForm
`),
    faults: [],
  },
  {
    name: 'a group of a field that the form lacks',
    view: form('fields: [{ name: title }]\ngroups: [{ title: A, fields: [»titel] }]\n'),
    faults: ["The group names 'titel', which is not among the fields of the view; did you mean 'title'?"],
  },
  {
    name: 'a field in two groups',
    view: form('fields: [{ name: title }]\ngroups: [{ title: A, fields: [title] }, { title: B, fields: [»title] }]\n'),
    faults: ["Field 'title' is in two groups; remove one"],
  },
  { name: 'an unknown use', view: form('fields: []\nuse: [»updte]\n'), faults: ["'use[0]' must be one of [create, update]"] },
  {
    name: 'too large a page',
    view: list('fields: []\npage_size: »101\n'),
    faults: ["'page_size' must be less than or equal to 100"],
  },
  {
    name: 'an unknown order',
    view: list('fields: []\nsort: [{ field: title, order: »up }]\n'),
    faults: ["'sort[0].order' must be one of [asc, desc]"],
  },
  {
    name: 'a filter by an unknown field',
    view: list('fields: []\nfilters: [»titel]\n'),
    faults: ["Model 'Post' has no field 'titel'; did you mean 'title'?"],
  },
  {
    name: 'a key of lists in a form',
    view: form('fields: []\n»page_size: 10\n'),
    faults: ["Unknown key 'page_size'; only list views have it"],
  },
  {
    name: 'a key of forms in a list',
    view: list('fields: []\n»use: [create]\n'),
    faults: ["Unknown key 'use'; only form views have it"],
  },
  {
    name: 'a condition in a list',
    view: list('fields: [{ name: title, »visible_when: "true" }]\n'),
    faults: ["Unknown key 'visible_when'; only form views have it"],
  },
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
  {
    name: 'an unknown model, with a suggestion',
    view: 'name: F\nview_type: form\nmodel: »Posst\nfields: []\n',
    faults: ["View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?"],
  },
  {
    name: 'a model one letter short',
    view: 'name: F\nview_type: form\nmodel: »Usr\nfields: []\n',
    faults: ["View 'F' refers to the model 'Usr', which does not exist; did you mean 'User'?"],
  },
  {
    name: 'a model in lower case',
    view: 'name: F\nview_type: form\nmodel: »post\nfields: []\n',
    faults: ["View 'F' refers to the model 'post', which does not exist; did you mean 'Post'?"],
  },
  {
    name: 'an unknown model without a similar name',
    view: 'name: F\nview_type: list\nmodel: »Invoice\nfields: []\n',
    faults: ["View 'F' refers to the model 'Invoice', which does not exist"],
  },
  {
    name: 'an internal model',
    view: 'name: F\nview_type: list\nmodel: »AuthSession\nfields: []\n',
    faults: ["View 'F' refers to the model 'AuthSession', which does not exist"],
  },
  {
    name: 'an unknown field, with a suggestion',
    view: form('fields: [{ name: id }, { name: »titel }]\n'),
    faults: ["Model 'Post' has no field 'titel'; did you mean 'title'?"],
  },
  {
    name: 'an unknown field without a similar name',
    view: list('fields: [{ name: »weather }]\n'),
    faults: ["Model 'Post' has no field 'weather'"],
  },
  { name: '__proto__', view: form('fields: [{ name: »__proto__ }]\n'), faults: ["Model 'Post' has no field '__proto__'"] },
  {
    name: 'every field',
    view: form('fields:\n  - name: »titel\n  - name: »boddy\n'),
    faults: [
      "Model 'Post' has no field 'titel'; did you mean 'title'?",
      "Model 'Post' has no field 'boddy'; did you mean 'body'?",
    ],
  },
  {
    name: 'a field twice',
    view: form('fields: [{ name: title }, { name: body }, { name: »title }]\n'),
    faults: ["Field 'title' is listed twice; remove one"],
  },
  {
    name: "a rule's field",
    view: form('fields: []\nrules:\n  - { rule: "true", field: »titel, message: No }\n'),
    faults: ["Model 'Post' has no field 'titel'; did you mean 'title'?"],
  },
  { name: 'a relation in a form', view: form('fields: [{ name: »author }]\n'), faults: ["Model 'Post' has no field 'author'…"] },
  { name: 'a relation in a list', view: list('fields: [{ name: author }, { name: tags }, { name: author_id }]\n'), faults: [] },
])

table('shapes', [
  { name: 'no view_type', view: '»name: F\nmodel: Post\nfields: []\n', faults: ["'view_type' must be form or list"] },
  {
    name: 'an invalid view_type',
    view: 'name: F\nview_type: »table\nmodel: Post\nfields: []\n',
    faults: ["'view_type' must be form or list"],
  },
  {
    name: 'no name, no model, no fields',
    view: '»»»view_type: form\n',
    faults: ["Key 'name' is missing", "Key 'model' is missing", "Key 'fields' is missing"],
  },
  { name: 'text', view: '»PostForm\n', faults: ["'view_type' must be form or list"] },
  {
    name: 'an unknown key',
    view: form('»creation_feilds: [title]\nfields: [{ name: title }]\n'),
    faults: ["Unknown key 'creation_feilds'; did you mean 'creation_fields'?"],
  },
  {
    name: 'an unknown key of a field',
    view: form('fields:\n  - { name: title, »placehlder: x }\n'),
    faults: ["Unknown key 'placehlder'; did you mean 'placeholder'?"],
  },
  { name: 'a field without a name', view: form('fields:\n  - »title: Title\n'), faults: ["Key 'fields[0].name' is missing"] },
  {
    name: 'a flag in quotes',
    view: form('fields: [{ name: title, required: »"yes" }]\n'),
    faults: ["'fields[0].required' must be a boolean; write true, without quotes"],
  },
  {
    name: 'options that are not a mapping',
    view: form('fields: [{ name: title, options: »[1] }]\n'),
    faults: ["'fields[0].options' must be a mapping of keys to values"],
  },
  {
    name: 'an error without a message',
    view: form('fields: [{ name: title, error: »{ code: x } }]\n'),
    faults: ["Key 'fields[0].error.message' is missing"],
  },
  {
    name: 'a rule without a message',
    view: form('fields: []\nrules: [»{ rule: "true", field: title }]\n'),
    faults: ["Key 'rules[0].message' is missing"],
  },
  {
    name: 'names that are not a list',
    view: form('fields: []\ncreation_fields: »title\n'),
    faults: ["'creation_fields' must be an array"],
  },
  {
    name: 'a list view with creation_fields',
    view: list('fields: []\n»creation_fields: []\n'),
    faults: ["Unknown key 'creation_fields'; only form views have it"],
  },
  {
    name: 'a list view with allowed_update_fields',
    view: list('fields: []\n»allowed_update_fields: []\n'),
    faults: ["Unknown key 'allowed_update_fields'; only form views have it"],
  },
  {
    name: 'a list view with rules',
    view: list('fields: []\n»rules: []\n'),
    faults: ["Unknown key 'rules'; only form views have it"],
  },
])

table('a part that is malformed hides no fault of another', [
  {
    name: 'no view_type',
    view: '»name: F\nmodel: Post\nfields: [{ name: »titel }]\n',
    faults: ["'view_type' must be form or list", "Model 'Post' has no field 'titel'; did you mean 'title'?"],
  },
  {
    name: 'an invalid view_type and an unknown model',
    view: 'name: F\nview_type: »tabel\nmodel: »Posst\nfields: []\n',
    faults: [
      "'view_type' must be form or list",
      "View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?",
    ],
  },
  {
    name: 'an unknown model',
    view: 'name: F\nview_type: form\nmodel: »Posst\nfields: [{ name: a }, { name: »a }]\ncreation_fields: »[b]\n',
    faults: [
      "View 'F' refers to the model 'Posst', which does not exist; did you mean 'Post'?",
      "Field 'a' is listed twice; remove one",
      "Fields referenced in creation_fields do not exist in the view's fields: ['b']",
    ],
  },
  {
    name: 'no name',
    view: '»view_type: list\nmodel: Post\nfields: [{ name: »titel }]\n',
    faults: ["Key 'name' is missing", "Model 'Post' has no field 'titel'; did you mean 'title'?"],
  },
  {
    name: 'fields that are not mappings',
    view: form('fields: [»title, { name: »boddy }, { »nam: x }, »~]\n').replace('{ »nam', '»{ »nam'),
    faults: [
      "'fields[0]' must be a mapping of keys to values",
      "Model 'Post' has no field 'boddy'; did you mean 'body'?",
      "Key 'fields[2].name' is missing",
      "Unknown key 'nam'; did you mean 'name'?",
      "'fields[3]' must be a mapping of keys to values",
    ],
  },
  {
    name: 'lists of names',
    view: form('fields: [{ name: title }]\ncreation_fields: »[x, »5]\nallowed_update_fields: »title\n'),
    faults: [
      "Fields referenced in creation_fields do not exist in the view's fields: ['x']",
      "'creation_fields[1]' must be a string",
      "'allowed_update_fields' must be an array",
    ],
  },
  {
    name: 'rules',
    view: form(
      'fields: []\nrules:\n  - { rule: »5, field: »titel, message: No }\n  - »text\n  - { rule: "x", field: »boddy, message: No }\n',
    ),
    faults: [
      "'rules[0].rule' must be a string",
      "Model 'Post' has no field 'titel'; did you mean 'title'?",
      "'rules[1]' must be a mapping of keys to values",
      "Model 'Post' has no field 'boddy'; did you mean 'body'?",
    ],
  },
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
