import { describe, test } from 'node:test'
import { assertModelFaults, faultTable, withFields } from './models.ts'

faultTable('names that are taken', [
  {
    name: 'three fields with the same name',
    fields: ['{ name: a, type: string }', '{ name: »a, type: integer }', '{ name: »a, type: text }'],
    faults: ["The name 'a' is already used by another field", "The name 'a' is already used by another field"],
  },
  {
    name: 'a field named like a relation',
    fields: ['{ name: author_id, type: foreignkey, model: user }', '{ name: »author, type: string }'],
    faults: ["The name 'author' is already used by the relation of 'author_id'"],
  },
  {
    name: 'a relation named like a field',
    fields: ['{ name: author, type: many_to_many, model: user }', '{ name: »author_id, type: foreignkey, model: user }'],
    faults: ["The name 'author' is already used by another field"],
  },
  {
    name: 'a relation named id',
    fields: ['{ name: »id_id, type: foreignkey, model: user }'],
    faults: ["The name 'id' is already used by the primary key"],
  },
  {
    name: 'two fields named id',
    fields: ['{ name: id, type: integer }', '{ name: »id, type: integer }'],
    faults: ["The name 'id' is already used…"],
  },
])

describe('the model itself', () => {
  const rows: readonly { name: string; text: string; faults: readonly string[] }[] = [
    { name: 'no name', text: '»fields: []\n', faults: ["Key 'name' is missing"] },
    { name: 'no fields', text: '»name: Thing\n', faults: ["Key 'fields' is missing"] },
    { name: 'fields that are no list', text: 'name: Thing\nfields: »{ a: string }\n', faults: ["'fields' must be an array"] },
    {
      name: 'a field that is not a mapping',
      text: 'name: Thing\nfields: [»title]\n',
      faults: ['A field must be a mapping with at least a name and a type'],
    },
    {
      name: 'fields that are not mappings, beside others',
      text: 'name: Thing\nfields: [»title, »~, »[a], { name: a, type: »strng }, { name: b_id, type: foreignkey, model: »usr }]\n',
      faults: [
        ...Array<string>(3).fill('A field must be a mapping with at least a name and a type'),
        "Unknown type 'strng'; did you mean 'string'?",
        "'b_id' refers to the model 'usr', which does not exist; did you mean 'user'?",
      ],
    },
    {
      name: 'every part is faulty',
      text: `name: »thing
label: »5
timestamps: »yes
display_field: »titel
»lable: x
fields:
  - »title
  - { name: title, type: string, min_length: 5, max_length: »3, pattern: »"[a" }
  - { name: »title, type: text, »uniqe: true }
`,
      faults: [
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
    },
    {
      name: 'no name, and faulty fields',
      text: '»»lable: x\nfields:\n  - { name: a, type: »strng }\n  - { name: »id_id, type: foreignkey, model: user }\n',
      faults: [
        "Key 'name' is missing",
        "Unknown key 'lable'; did you mean 'label'?",
        "Unknown type 'strng'; did you mean 'string'?",
        "The name 'id' is already used by the primary key",
      ],
    },
    {
      name: 'a display field that is faulty itself',
      text: 'name: Thing\ndisplay_field: a\nfields: [{ name: a, type: »strng }]\n',
      faults: ["Unknown type 'strng'; did you mean 'string'?"],
    },
    {
      name: 'a display field that is not a string',
      text: 'name: Thing\ndisplay_field: »5\nfields: [{ name: a, type: string }]\n',
      faults: ["'display_field' must be a string"],
    },
    ...['thing', 'Thing Two', 'Thing_2', '2Thing', 'Ünit', '__proto__'].map((name) => ({
      name: `named ${name}`,
      text: `name: »"${name}"\nfields: []\n`,
      faults: [`'name' must be a class name such as BlogPost, not '${name}'`],
    })),
    {
      name: 'an unknown display field',
      text: 'name: Thing\ndisplay_field: »titel\nfields: [{ name: title, type: string }]\n',
      faults: ["'titel' cannot be the display field: there is no such field; did you mean 'title'?"],
    },
    {
      name: 'a secret display field',
      text: 'name: Thing\ndisplay_field: »pass\nfields: [{ name: pass, type: password }]\n',
      faults: ["'pass' cannot be the display field: it is a password or a relation (known: id)"],
    },
    {
      name: 'a relation as display field',
      text: 'name: Thing\ndisplay_field: »u_id\nfields: [{ name: u_id, type: foreignkey, model: user }]\n',
      faults: ["'u_id' cannot be the display field…"],
    },
    { name: 'id as display field', text: 'name: Thing\ndisplay_field: id\nfields: []\n', faults: [] },
    {
      name: 'an unknown display field, and another fault',
      text: 'name: Thing\ndisplay_field: »titel\nfields: [{ name: title, type: string }, { name: a, type: »strng }]\n',
      faults: [
        "'titel' cannot be the display field: there is no such field; did you mean 'title'?",
        "Unknown type 'strng'; did you mean 'string'?",
      ],
    },
    {
      name: 'a field that timestamps: true adds',
      text: 'name: Thing\ntimestamps: true\nfields: [{ name: »created_at, type: datetime }, { name: »updated_at, type: date }]\n',
      faults: [
        "The name 'created_at' is already used by a field that `timestamps: true` adds",
        "The name 'updated_at' is already used by a field that `timestamps: true` adds",
      ],
    },
    { name: 'a created_at of its own', text: 'name: Thing\nfields: [{ name: created_at, type: datetime }]\n', faults: [] },
    {
      name: 'an unknown key',
      text: 'name: Thing\n»timestmps: true\nfields: []\n',
      faults: ["Unknown key 'timestmps'; did you mean 'timestamps'?"],
    },
    {
      name: 'every field is faulty',
      text: withFields(
        '{ name: a, type: »x1 }',
        '{ name: b, type: string, »c: 1 }',
        '{ name: d_id, type: foreignkey, model: »e }',
        '{ name: »f__g, type: text }',
      ),
      faults: ["Unknown type 'x1'…", "Unknown key 'c'…", "'d_id' refers to the model 'e'…", "'f__g' cannot be a field name…"],
    },
  ]
  for (const { name, text, faults } of rows) test(name, () => assertModelFaults(text, faults))
})
