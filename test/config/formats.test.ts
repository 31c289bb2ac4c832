import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError } from '../../src/config/fault.ts'
import type { Project } from '../../src/project/project.ts'
import { viewsFor } from '../views/views.ts'
import { assertFaults, type Files, load } from './projects.ts'

const config = { port: 9000, jwt: { access_token_minutes: 5 }, cors: ['https://a.example'] }
const tag = {
  name: 'Tag',
  display_field: 'name',
  timestamps: true,
  fields: [
    { name: 'name', type: 'string', required: true, max_length: 40 },
    { name: 'weight', type: 'number', gte: 0, default: 1 },
    { name: 'parent_id', type: 'foreignkey', model: 'tag', on_delete: 'set_null' },
  ],
}
const view = {
  name: 'TagForm',
  view_type: 'form',
  model: 'Tag',
  fields: [{ name: 'name', title: 'Name', required: true }],
  creation_fields: ['name'],
}

const YAML = {
  config: 'port: 9000\njwt: { access_token_minutes: 5 }\ncors: [https://a.example]\n',
  tag: `name: Tag
display_field: name
timestamps: true
fields:
  - { name: name, type: string, required: true, max_length: 40 }
  - { name: weight, type: number, gte: 0, default: 1 }
  - name: parent_id
    type: foreignkey
    model: tag
    on_delete: set_null
`,
  view: `name: TagForm
view_type: form
model: Tag
fields:
  - { name: name, title: Name, required: true }
creation_fields: [name]
`,
}
const module = (call: string, value: object): string =>
  `import { ${call} } from 'admin-folder'\nexport default ${call}(${JSON.stringify(value)})\n`
const plain = (value: object): string => `export default ${JSON.stringify(value)}\n`

const SPELLINGS: Readonly<Record<string, Files>> = {
  yaml: { 'admin.config.yaml': YAML.config, 'models/tag.yaml': YAML.tag, 'views/tag.yaml': YAML.view },
  yml: { 'admin.config.yml': YAML.config, 'models/tag.yml': YAML.tag, 'views/tag.yml': YAML.view },
  json: {
    'admin.config.json': JSON.stringify(config),
    'models/tag.json': JSON.stringify(tag, null, 2),
    'views/tag.json': JSON.stringify([view]),
  },
  'json indented with tabs': { 'admin.config.json': JSON.stringify(config, null, '\t'), ...tabbed() },
  'ts with the define functions': {
    'admin.config.ts': module('defineConfig', config),
    'models/tag.ts': module('defineModel', tag),
    'views/tag.ts': module('defineFormView', view),
  },
  'ts of plain objects': { 'admin.config.ts': plain(config), 'models/tag.ts': plain([tag]), 'views/tag.ts': plain(view) },
  js: { 'admin.config.js': plain(config), 'models/tag.js': plain(tag), 'views/tag.js': plain([view]) },
  mixed: { 'admin.config.json': JSON.stringify(config), 'models/tag.yaml': YAML.tag, 'views/tag.ts': plain(view) },
}

function tabbed(): Files {
  return { 'models/tag.json': JSON.stringify(tag, null, '\t'), 'views/tag.json': JSON.stringify(view, null, '\t') }
}

describe('one project in every format', () => {
  for (const [spelling, files] of Object.entries(SPELLINGS)) {
    test(spelling, async () => {
      assert.deepEqual(summary(await load(files)), {
        port: 9000,
        algorithm: 'HS256',
        minutes: 5,
        cors: ['https://a.example'],
        fields: [
          ['id', 'primarykey', true, {}, undefined, undefined],
          ['name', 'string', true, { max_length: 40 }, undefined, undefined],
          ['weight', 'number', false, { gte: 0 }, 1, undefined],
          ['parent_id', 'foreignkey', false, {}, undefined, 'tag set_null'],
          ['created_at', 'datetime', true, {}, undefined, undefined],
          ['updated_at', 'datetime', true, {}, undefined, undefined],
        ],
        views: [view],
        forms: ['TagForm'],
      })
    })
  }
})

function summary({ settings, registry, views, forms }: Project): object {
  const fields = [...registry.expect('tag').fields.values()]
  return {
    port: settings.port,
    algorithm: settings.jwt.algorithm,
    minutes: settings.jwt.access_token_minutes,
    cors: settings.cors,
    fields: fields.map(({ name, type, required, limits, default: preset, relation }) => [
      name,
      type.name,
      required,
      limits,
      preset,
      relation && `${relation.target} ${relation.onDelete}`,
    ]),
    views: viewsFor(views, 'tag').map((each) => ({ ...each })),
    forms: [...forms.keys()],
  }
}

describe('one fault in every format', () => {
  const message = "Unknown type 'strng'; did you mean 'string'?…"
  const rows: Files = {
    'models/tag.yaml': 'name: Tag\nfields:\n  - name: name\n    type: »strng\n',
    'models/tag.json': '{\n  "name": "Tag",\n  "fields": [\n    { "name": "name", "type": »"strng" }\n  ]\n}\n',
    'models/tag.ts':
      "import { defineModel } from 'admin-folder'\n\nconst type = 'strng' as 'string'\n" +
      "export default »defineModel({\n  name: 'Tag',\n  fields: [{ name: 'name', type }],\n})\n",
    'models/tag.js':
      "import { defineModel } from 'admin-folder'\n\n" +
      "export default [»defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'strng' }] })]\n",
  }
  for (const [file, text] of Object.entries(rows)) test(file, () => assertFaults({ [file]: text }, [message]))

  test('a list in a file: each item has its own position', () =>
    assertFaults(
      {
        'models/all.yaml':
          '- name: Tag\n  fields:\n    - { name: a, type: »strng }\n- name: Label\n  fields:\n    - { name: b, type: »txt }\n',
      },
      [message, "Unknown type 'txt'; did you mean 'text'?…"],
    ))

  test('several definitions in a TypeScript file have the positions of their calls', () =>
    assertFaults(
      {
        'models/all.ts':
          "import { defineModel } from 'admin-folder'\nexport default [\n" +
          "  »defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'string' }] }),\n" +
          "  defineModel({ name: 'Good', fields: [] }),\n" +
          "  »defineModel({ name: 'Label', fields: [{ name: 'a', type: 'txt' as 'text' }] }),\n]\n",
      },
      [message, "Unknown type 'txt'; did you mean 'text'?…"],
    ))

  test('the call site is found if the path of the project has a space', () =>
    assertFaults(
      {
        '/my project/models/tag.ts':
          "import { defineModel } from 'admin-folder'\n\n" +
          "export default »defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'string' }] })\n",
      },
      [message],
      { inside: '/my project/' },
    ))

  test('views and settings in TypeScript have the position of their call', () =>
    assertFaults(
      {
        'admin.config.ts':
          "import { defineConfig } from 'admin-folder'\nconst port: unknown = 'x'\n" +
          'export default »defineConfig({ port: port as number })\n',
        'models/tag.yaml': YAML.tag,
        'views/tag.ts':
          "import { defineListView } from 'admin-folder'\n\n" +
          "export default [\n  »defineListView({ name: 'TagList', model: 'Tag', fields: [{ name: 'nme' }] }),\n]\n",
      },
      ["'port' must be a number", "Model 'Tag' has no field 'nme'; did you mean 'name'?"],
    ))
})

describe('every fault is reported in one run', () => {
  const files: Files = {
    'admin.config.yaml': '»prot: 9000\njwt: { algorithm: »RS256 }\nport: »"8000"\n',
    'models/a.yaml': `name: Article
»timestmps: true
fields:
  - { name: title, type: string }
`,
    'models/b.yaml': `name: Book
fields:
  - { name: title, type: string, »maxlength: 3 }
  - { name: pages, type: integer, »min_length: 3 }
  - { name: author_id, type: foreignkey, model: »usr }
  - »{ name: isbn }
  - { name: price, type: number, required: »yes please }
`,
    'models/c.yaml': 'name: Chapter\nlabel: A\n»label: B\nfields: []\n',
    'models/d.json': '{\n  "name": "Draft",\n  "fields": [],\n»}\n',
    'models/e.ts': "throw »new Error('out of ink')\n",
    'models/f.ts': '»export const nothing = 1\n',
    'models/readme.md': 'Not a model.\n',
    'models/spare.toml': '»\n',
    'seed/bok.yaml': '»[]\n',
    'views/user.yaml': `name: UserForm
view_type: form
model: User
fields:
  - { name: id }
  - { name: »usernme }
creation_fields: »[username, id]
`,
  }

  test('unknown keys, wrong types, missing keys, bad syntax and modules, each by file, line and column', () =>
    assertFaults(files, [
      "Unknown key 'prot'; did you mean 'port'?",
      "'jwt.algorithm' must be one of [HS256, HS384, HS512]",
      "'port' must be a number",
      "Unknown key 'timestmps'; did you mean 'timestamps'?",
      "Unknown key 'maxlength'; did you mean 'max_length'?",
      "Unknown key 'min_length'; a…",
      "'author_id' refers to the model 'usr', which does not exist; did you mean 'user'?",
      "Field 'isbn' has no type; use one of string, text…",
      "'required' must be a boolean",
      "Not valid YAML: the key 'label' is given twice in the same mapping; remove one",
      'Not valid JSON: property name expected',
      'Cannot be loaded: out of ink',
      'The file has no default export; write `export default …`',
      'No definitions are read from .toml files; use one of .yaml .yml .json .ts .js',
      "There is no model 'bok' to seed; did you mean 'book'?",
      "Model 'User' has no field 'usernme'; did you mean 'username'?",
      "Fields referenced in creation_fields do not exist in the view's fields: ['username']",
    ]))

  test('the error is CONFIG_INVALID with exit code 2, and its message lists the faults', () =>
    assert.rejects(load({ 'models/a.yaml': 'name: A\n', 'models/b.yaml': 'name: b\nfields: []\n' }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.equal(error.code, 'CONFIG_INVALID')
      assert.equal(error.exitCode, 2)
      assert.equal(
        error.message,
        "models/a.yaml:1:1: Key 'fields' is missing\nmodels/b.yaml:1:7: 'name' must be a class name such as BlogPost, not 'b'",
      )
      return true
    }))

  test('an unknown key of a model does not hide faults of its fields', () =>
    assertFaults({ 'models/tag.yaml': 'name: Tag\n»lable: Tags\nfields:\n  - { name: a, type: »strng }\n' }, [
      "Unknown key 'lable'; did you mean 'label'?",
      "Unknown type 'strng'; did you mean 'string'?…",
    ]))

  test('a faulty model still exists for views and relations', () =>
    assertFaults(
      {
        'models/post.yaml': 'name: Post\nfields:\n  - { name: tag_id, type: foreignkey, model: tag }\n',
        'models/tag.yaml': 'name: Tag\n»lable: Tags\nfields:\n  - { name: name, type: string }\n',
        'views/tag.yaml': 'name: TagList\nview_type: list\nmodel: Tag\nfields:\n  - { name: name }\n',
      },
      ["Unknown key 'lable'; did you mean 'label'?"],
    ))

  test('a faulty field still exists for views', () =>
    assertFaults(
      {
        'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: »strng }\n',
        'views/tag.yaml': 'name: TagList\nview_type: list\nmodel: Tag\nfields:\n  - { name: name }\n',
      },
      ["Unknown type 'strng'; did you mean 'string'?…"],
    ))

  test('invalid rules and options', () =>
    assertFaults(
      {
        'models/tag.yaml': YAML.tag,
        'views/tag.yaml': `name: TagForm
view_type: form
model: Tag
fields:
  - { name: name, options: »{ pattern: '(a' } }
rules:
  - { rule: 'self.name != null', field: name, message: No }
  - { rule: »self.name ==, field: name, message: No }
  - { rule: »1 + 1, field: name, message: No }
`,
      },
      [
        "The options of 'name' cannot be used: missing closing ): …",
        'The rule cannot be used: …',
        'The rule cannot be used: it gives an int, where true or false is meant',
      ],
    ))

  test('a fault in one part of a view does not hide others', () =>
    assertFaults(
      {
        'models/tag.yaml': YAML.tag,
        'views/tag.yaml': `name: TagForm
view_type: form
model: Tag
»titel: Tags
fields:
  - { name: »nme }
  - { name: name, options: »{ max_length: long } }
creation_fields: »[name, slug]
rules:
  - { rule: »self.name ==, field: name, message: No }
`,
      },
      [
        "Unknown key 'titel'",
        "Model 'Tag' has no field 'nme'; did you mean 'name'?",
        "The options of 'name' cannot be used: …",
        "Fields referenced in creation_fields do not exist in the view's fields: ['slug']",
        'The rule cannot be used: …',
      ],
    ))
})
