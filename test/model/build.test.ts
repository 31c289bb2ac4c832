import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { valuesOf } from '../helpers/values-of.ts'
import { assertModelFaults, BLOG, faultTable, registryOf } from './models.ts'

const GROUP_FIELDS = [
  '{ name: name, type: string, required: true, unique: true, max_length: 150 }',
  '{ name: description, type: text }',
  '{ name: permissions, type: many_to_many, model: permission }',
]

/** The text of a model `Group` with these fields, and these marks before its list of fields. */
const group = (fields: readonly string[], marks = '', timestamps = 'timestamps: true\n'): string =>
  `name: Group\n${timestamps}fields:\n${fields.map((field, index) => `  ${index === 0 ? marks : ''}- ${field}\n`).join('')}`

describe('models with the same name', () => {
  test('in two files', () => {
    assertModelFaults(
      ['name: Tag\nfields: []\n', 'name: »Tag\nfields: []\n'],
      ["There is already a model 'Tag' (models/1.yaml:1); names must differ in more than case"],
    )
  })

  test('names that differ only in case', () => {
    assertModelFaults(
      ['name: BlogPost\nfields: []\n', 'name: Tag\nfields: []\n', 'label: x\nname: »Blogpost\nfields: []\n'],
      ["There is already a model 'BlogPost' (models/1.yaml:1); names must differ in more than case"],
    )
  })
})

test('models with the same plural that refer to the same model are faults, since their reverse relations have one name', () => {
  const town = 'name: Town\nfields: [{ name: name, type: string }]\n'
  const refers = (name: string, mark = '') =>
    `name: ${name}\nfields:\n  - ${mark}{ name: town_id, type: foreignkey, model: town }\n`
  const message =
    "Town lists the records of 'Buse' and of 'Bus' as 'buses', since both have the same plural; rename one of the models"
  assertModelFaults([town, refers('Bus'), refers('Buse', '»')], [message])
  assertModelFaults([town, refers('Bus'), 'name: Buse\nfields: [{ name: name, type: string }]\n'], [])
})

describe('extending a built-in model', () => {
  test('with all its fields and further ones', () => {
    assertModelFaults(group([...GROUP_FIELDS, '{ name: color, type: string }']), [])
  })

  test('it replaces the built-in one', () => {
    const registry = registryOf({
      name: 'Permission',
      timestamps: true,
      fields: [
        { name: 'codename', type: 'string', required: true, unique: true },
        { name: 'name', type: 'string' },
        { name: 'description', type: 'text' },
        { name: 'risk', type: 'integer' },
      ],
    })
    assert.ok(registry.expect('permission').fields.has('risk'))
    assert.equal(registry.public.filter((model) => model.key === 'permission').length, 1)
  })

  const keep = "Model 'Group' extends a built-in model and must keep its field"
  const rows: readonly (readonly [name: string, text: string, ...faults: string[]])[] = [
    ['an omitted field', group(GROUP_FIELDS.slice(0, 2), '»'), `${keep} 'permissions': its type is many_to_many`],
    [
      'all fields omitted',
      'name: Group\ntimestamps: true\nfields: »»»[]\n',
      `${keep} 'name': its type is string`,
      `${keep} 'description': its type is text`,
      `${keep} 'permissions': its type is many_to_many`,
    ],
    [
      'another type',
      group(GROUP_FIELDS.with(1, '{ name: description, type: json }'), '»'),
      `${keep} 'description': its type is text`,
    ],
    [
      'a relation to another model',
      group(GROUP_FIELDS.with(2, '{ name: permissions, type: many_to_many, model: user }'), '»'),
      `${keep} 'permissions': its type is many_to_many`,
    ],
    [
      'no timestamps',
      group(GROUP_FIELDS, '»»', ''),
      `${keep} 'created_at': set \`timestamps: true\``,
      `${keep} 'updated_at': set \`timestamps: true\``,
    ],
  ]
  for (const [name, text, ...faults] of rows) test(name, () => assertModelFaults(text, faults))

  test('an internal model cannot be extended, since its records would become public', () => {
    assertModelFaults(
      `name: »AuthSession
timestamps: true
fields:
  - { name: user_id, type: foreignkey, model: user, required: true, on_delete: cascade }
  - { name: family, type: string, required: true, unique: true }
  - { name: token_id, type: string, required: true }
  - { name: expires_at, type: datetime, required: true }
`,
      ["'AuthSession' is reserved for an internal model; choose another name"],
    )
  })
})

faultTable('relations', [
  [
    'to an unknown model',
    [
      '{ name: a_id, type: foreignkey, model: »usr }',
      '{ name: b, type: many_to_many, model: »grup }',
      '{ name: c_id, type: one_to_one, model: »nothing }',
    ],
    "'a_id' refers to the model 'usr', which does not exist; did you mean 'user'?",
    "'b' refers to the model 'grup', which does not exist; did you mean 'group'?",
    "'c_id' refers to the model 'nothing', which does not exist…",
  ],
  [
    'to an internal model',
    '{ name: a_id, type: foreignkey, model: »authsession }',
    "'a_id' refers to the model 'authsession', which does not exist…",
  ],
  [
    'to __proto__',
    '{ name: a_id, type: foreignkey, model: »"__proto__" }',
    "'a_id' refers to the model '__proto__', which does not exist",
  ],
])

describe('a faulty model or field still exists for references', () => {
  test('a model of which a part is wrong', () =>
    assertModelFaults(
      [
        'name: Tag\nlabel: »5\nfields: [»title]\n',
        'name: Post\nfields:\n  - { name: tag_id, type: foreignkey, model: tag }\n  - { name: tags, type: many_to_many, model: tag }\n',
      ],
      ["'label' must be a string", 'A field must be a mapping with at least a name and a type'],
    ))

  test('a model whose fields are not a list', () =>
    assertModelFaults(
      ['name: Tag\nfields: »none\n', 'name: Post\nfields:\n  - { name: tag_id, type: foreignkey, model: tag }\n'],
      ["'fields' must be an array"],
    ))

  test('a faulty relation still refers to its model', () =>
    assertModelFaults('name: Post\nfields:\n  - { name: tag_id, type: foreignkey, model: »tga, »uniqe: true }\n', [
      "'tag_id' refers to the model 'tga', which does not exist",
      "Unknown key 'uniqe'; did you mean 'unique'?",
    ]))

  test('a faulty extension of a built-in model', () =>
    assertModelFaults(
      [
        `name: Group\ntimestamps: true\n»lable: x\nfields:\n${GROUP_FIELDS.map((field) => `  - ${field}\n`).join('')}`,
        'name: Post\nfields:\n  - { name: group_id, type: foreignkey, model: group }\n',
      ],
      ["Unknown key 'lable'; did you mean 'label'?"],
    ))

  test('a faulty field in an extension of a built-in model', () =>
    assertModelFaults(group(GROUP_FIELDS.with(1, '{ name: description, type: text, »uniqe: true }')), [
      "Unknown key 'uniqe'; did you mean 'unique'?",
    ]))
})

test('the name of an internal model is reserved', () =>
  assertModelFaults(
    ['name: »AuthSession\nfields: []\n', 'name: Post\nfields: []\n'],
    ["'AuthSession' is reserved for an internal model; choose another name"],
  ))

test('the name of the model of saved views is reserved: a project can neither replace nor extend it', () => {
  const message = "'SavedView' is reserved for a built-in model; choose another name"
  assertModelFaults('name: »SavedView\nfields: []\n', [message])
  assertModelFaults('extends: »savedview\nfields: []\n', [
    "'extends' must name a built-in model, not 'savedview' (known: user, group, permission)",
  ])
})

test('the name of an internal model is reserved in any case', () =>
  assertModelFaults('name: »Authsession\nfields: []\n', ["'Authsession' is reserved for an internal model; choose another name"]))

describe('the registry', () => {
  const registry = registryOf(...BLOG)

  test('built-in models come first, then those of the project in order', () =>
    assert.deepEqual(valuesOf(registry.public, 'key'), ['user', 'group', 'permission', 'post', 'tag']))

  test('internal models are registered but not public', () => {
    assert.equal(registry.get('authsession')?.internal, true)
    assert.ok(!registry.public.some((model) => model.internal))
  })

  test('models may refer to themselves and to each other in a circle', () => {
    const circle = registryOf(
      { name: 'A', fields: [{ name: 'b_id', type: 'foreignkey', model: 'b' }] },
      { name: 'B', fields: [{ name: 'a_id', type: 'one_to_one', model: 'A' }] },
      { name: 'C', fields: [{ name: 'c_id', type: 'foreignkey', model: 'c' }] },
    )
    assert.deepEqual(
      circle.referrersOf('a').map(({ model, field }) => `${model.key}.${field.name}`),
      ['b.a_id'],
    )
  })
})
