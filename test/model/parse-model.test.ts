import { describe, test } from 'node:test'
import { assertModelFaults, faultTable, withFields } from './models.ts'

faultTable('names that are taken', [
  [
    'three fields with the same name',
    ['{ name: a, type: string }', '{ name: »a, type: integer }', '{ name: »a, type: text }'],
    "The name 'a' is already used by another field",
    "The name 'a' is already used by another field",
  ],
  [
    'a field named like a relation',
    ['{ name: author_id, type: foreignkey, model: user }', '{ name: »author, type: string }'],
    "The name 'author' is already used by the relation of 'author_id'",
  ],
  [
    'a relation named like a field',
    ['{ name: author, type: many_to_many, model: user }', '{ name: »author_id, type: foreignkey, model: user }'],
    "The name 'author' is already used by another field",
  ],
  ['a relation named id', '{ name: »id_id, type: foreignkey, model: user }', "The name 'id' is already used by the primary key"],
  ['two fields named id', ['{ name: id, type: integer }', '{ name: »id, type: integer }'], "The name 'id' is already used…"],
])

describe('the model itself', () => {
  type Row = readonly [name: string, text: string, ...faults: string[]]
  const rows: readonly Row[] = [
    ['no name', '»fields: []\n', "Key 'name' is missing"],
    ['no fields', '»name: Thing\n', "Key 'fields' is missing"],
    [
      'an index of updated_at without the field',
      'name: Thing\nindex_updated_at: »true\nfields: [{ name: a, type: string, index: false }, { name: b, type: text, index: »no }]\n',
      "'index_updated_at' needs `timestamps: true`, which adds the field",
      "'index' must be a boolean…",
    ],
    ['fields that are no list', 'name: Thing\nfields: »{ a: string }\n', "'fields' must be an array"],
    [
      'a field that is not a mapping',
      'name: Thing\nfields: [»title]\n',
      'A field must be a mapping with at least a name and a type',
    ],
    [
      'fields that are not mappings, beside others',
      'name: Thing\nfields: [»title, »~, »[a], { name: a, type: »strng }, { name: b_id, type: foreignkey, model: »usr }]\n',
      ...Array<string>(3).fill('A field must be a mapping with at least a name and a type'),
      "Unknown type 'strng'; did you mean 'string'?",
      "'b_id' refers to the model 'usr', which does not exist; did you mean 'user'?",
    ],
    [
      'every part is faulty',
      `name: »thing
label: »5
timestamps: »yes
display_field: »titel
»lable: x
fields:
  - »title
  - { name: title, type: string, min_length: 5, max_length: »3, pattern: »"[a" }
  - { name: »title, type: text, »uniqe: true }
`,
      "'name' must be a class name such as BlogPost, not 'thing'",
      "'label' must be a string",
      "'timestamps' must be a boolean; write true, without quotes",
      "'titel' cannot be the display field: there is no such field; did you mean 'title'?",
      "Unknown key 'lable'; did you mean 'label'?",
      'A field must be a mapping with at least a name and a type',
      "No value of 'title' is possible: min_length 5 is greater than max_length 3",
      "The pattern of 'title' is invalid: …",
      "The name 'title' is already used by another field",
      "Unknown key 'uniqe'; did you mean 'unique'?",
    ],
    [
      'no name, and faulty fields',
      '»»lable: x\nfields:\n  - { name: a, type: »strng }\n  - { name: »id_id, type: foreignkey, model: user }\n',
      "Key 'name' is missing",
      "Unknown key 'lable'; did you mean 'label'?",
      "Unknown type 'strng'; did you mean 'string'?",
      "The name 'id' is already used by the primary key",
    ],
    [
      'a display field that is faulty itself',
      'name: Thing\ndisplay_field: a\nfields: [{ name: a, type: »strng }]\n',
      "Unknown type 'strng'; did you mean 'string'?",
    ],
    [
      'a display field that is not a string',
      'name: Thing\ndisplay_field: »5\nfields: [{ name: a, type: string }]\n',
      "'display_field' must be a string",
    ],
    ...['thing', 'Thing Two', 'Thing_2', '2Thing', 'Ünit', '__proto__'].map(
      (name): Row => [
        `named ${name}`,
        `name: »"${name}"\nfields: []\n`,
        `'name' must be a class name such as BlogPost, not '${name}'`,
      ],
    ),
    [
      'an unknown display field',
      'name: Thing\ndisplay_field: »titel\nfields: [{ name: title, type: string }]\n',
      "'titel' cannot be the display field: there is no such field; did you mean 'title'?",
    ],
    [
      'a secret display field',
      'name: Thing\ndisplay_field: »pass\nfields: [{ name: pass, type: password }]\n',
      "'pass' cannot be the display field: it is a password, a relation or a file (known: id)",
    ],
    [
      'a relation as display field',
      'name: Thing\ndisplay_field: »u_id\nfields: [{ name: u_id, type: foreignkey, model: user }]\n',
      "'u_id' cannot be the display field…",
    ],
    ['id as display field', 'name: Thing\ndisplay_field: id\nfields: []\n'],
    [
      'an unknown display field, and another fault',
      'name: Thing\ndisplay_field: »titel\nfields: [{ name: title, type: string }, { name: a, type: »strng }]\n',
      "'titel' cannot be the display field: there is no such field; did you mean 'title'?",
      "Unknown type 'strng'; did you mean 'string'?",
    ],
    [
      'a field that timestamps: true adds',
      'name: Thing\ntimestamps: true\nfields: [{ name: »created_at, type: datetime }, { name: »updated_at, type: date }]\n',
      "The name 'created_at' is already used by a field that `timestamps: true` adds",
      "The name 'updated_at' is already used by a field that `timestamps: true` adds",
    ],
    ['a created_at of its own', 'name: Thing\nfields: [{ name: created_at, type: datetime }]\n'],
    ['an unknown key', 'name: Thing\n»timestmps: true\nfields: []\n', "Unknown key 'timestmps'; did you mean 'timestamps'?"],
    [
      'every field is faulty',
      withFields(
        '{ name: a, type: »x1 }',
        '{ name: b, type: string, »c: 1 }',
        '{ name: d_id, type: foreignkey, model: »e }',
        '{ name: »f__g, type: text }',
      ),
      "Unknown type 'x1'…",
      "Unknown key 'c'…",
      "'d_id' refers to the model 'e'…",
      "'f__g' cannot be a field name…",
    ],
  ]
  for (const [name, text, ...faults] of rows) test(name, () => assertModelFaults(text, faults))
})
