import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { SCAFFOLD } from '../../src/cli/commands/init.ts'
import { readProjectFiles } from '../../src/config/project-files.ts'
import { DEFAULTS } from '../../src/config/settings.ts'
import { FIELD_TYPE_NAMES } from '../../src/model/definition.ts'
import { fileSchemas } from '../../src/openapi/project-schemas.ts'

type FileName = keyof ReturnType<typeof fileSchemas>

const FIXTURES = join(import.meta.dirname, '../../fixtures')

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const written = JSON.parse(JSON.stringify(fileSchemas())) as Record<FileName, object>
const compiled = new Map(Object.entries(written).map(([name, schema]) => [name, ajv.compile(schema)]))

/** What an editor would underline. */
function faultsIn(name: FileName, value: unknown): string[] {
  const validate = compiled.get(name)
  validate?.(value)
  return (validate?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const model = (field: object) => ({ name: 'Post', fields: [field] })
const form = (more: object) => ({ name: 'PostForm', view_type: 'form', model: 'Post', fields: [{ name: 'title' }], ...more })

/** What is wrong with each, as an editor would show it. */
const FAULTY: readonly (readonly [string, FileName, unknown])[] = [
  ['an action of a name with capitals', 'action.json', { model: 'Post', name: 'Publish', set: { a: 1 } }],
  ['an action for everyone', 'action.json', { model: 'Post', name: 'publish', set: { a: 1 }, access: 'public' }],
  ['an unknown setting', 'config.json', { prot: 8000 }],
  ['a port that is none', 'config.json', { port: 70_000 }],
  ['an unknown algorithm', 'config.json', { jwt: { algorithm: 'none' } }],
  ['a base path that ends in a slash', 'config.json', { base_path: '/a/' }],
  ['a panel of no kind', 'dashboard.json', { panels: [{ title: 'A', kind: 'pie', model: 'Post' }] }],
  ['a panel with two colours', 'dashboard.json', { panels: [{ title: 'A', kind: 'number', model: 'Post', colours: 2 }] }],
  ['a panel for everyone', 'dashboard.json', { panels: [{ title: 'A', kind: 'number', model: 'Post', access: 'public' }] }],
  ['an unknown key of a model', 'model.json', { ...model({ name: 'a', type: 'text' }), lable: 'x' }],
  ['a model without a name', 'model.json', { fields: [] }],
  ['a model that is named like a path', 'model.json', { name: 'post', fields: [] }],
  ['a type that does not exist', 'model.json', model({ name: 'a', type: 'strnig' })],
  ['a key that the type does not have', 'model.json', model({ name: 'a', type: 'boolean', max_length: 3 })],
  ['a relation to nothing', 'model.json', model({ name: 'a_id', type: 'foreignkey' })],
  ['a choice without choices', 'model.json', model({ name: 'a', type: 'choice' })],
  ['a name that is no name', 'model.json', model({ name: 'a__b', type: 'text' })],
  ['a primary key of text', 'model.json', model({ name: 'id', type: 'text' })],
  ['a second definition of a list', 'model.json', [model({ name: 'a', type: 'text' }), { name: 'B' }]],
  ['a view of no type', 'view.json', { name: 'A', model: 'Post', fields: [] }],
  ['a list with creation_fields', 'view.json', { ...form({ creation_fields: [] }), view_type: 'list' }],
  ['an unknown key of a field', 'view.json', form({ fields: [{ name: 'title', tilte: 'Title' }] })],
  ['a bound that is no number', 'view.json', form({ fields: [{ name: 'title', options: { max_length: 'ten' } }] })],
  ['a rule without a message', 'view.json', form({ rules: [{ rule: 'true', field: 'title' }] })],
]

describe('the JSON Schemas of project files', () => {
  for (const name of ['blog', 'clinic', 'minimal']) {
    test(`accept every file of fixtures/${name}`, async () => {
      const { files } = await readProjectFiles(join(FIXTURES, name))
      const all = [
        ...files.models.map(({ value, source }) => ['model.json', value, source.file] as const),
        ...files.views.map(({ value, source }) => ['view.json', value, source.file] as const),
        ...files.roles.map(({ value, source }) => ['role.json', value, source.file] as const),
        ...files.actions.map(({ value, source }) => ['action.json', value, source.file] as const),
        ...(files.dashboard === undefined
          ? []
          : [['dashboard.json', files.dashboard.value, files.dashboard.source.file] as const]),
        ...(files.config === undefined ? [] : [['config.json', files.config.value, files.config.source.file] as const]),
      ]
      // A function is not for JSON.
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      assert.deepEqual(
        all.flatMap(([schema, value, file]) => faultsIn(schema, plain(value)).map((fault) => `${file}${fault}`)),
        [],
      )
    })
  }

  test('accept whole files, with one definition or a list of them', () => {
    const room = (kind: 'models' | 'views') =>
      readdirSync(join(FIXTURES, 'blog', kind))
        .filter((name) => !name.endsWith('.ts'))
        .map((name) => parse(readFileSync(join(FIXTURES, 'blog', kind, name), 'utf8')) as unknown)
    for (const file of room('models')) assert.deepEqual(faultsIn('model.json', file), [])
    for (const file of room('views')) assert.deepEqual(faultsIn('view.json', file), [])
  })

  test('accept the files of admin init, which refer to them', () => {
    for (const [schema, path] of [
      ['config.json', 'admin.config.yaml'],
      ['model.json', 'models/article.yaml'],
      ['view.json', 'views/article.yaml'],
    ] as const) {
      const text = SCAFFOLD[path] ?? ''
      assert.match(
        text,
        new RegExp(`^# yaml-language-server: \\$schema=(\\.\\./)?node_modules/admin-folder/schemas/${schema}\\n`),
      )
      assert.deepEqual(faultsIn(schema, parse(text)), [])
    }
  })

  test('accept every setting at its default, and $schema', () => {
    assert.deepEqual(faultsIn('config.json', { ...DEFAULTS, $schema: './schemas/config.json' }), [])
    assert.deepEqual(faultsIn('model.json', { $schema: 'x', ...model({ name: 'id', type: 'integer' }) }), [])
    assert.deepEqual(faultsIn('view.json', { $schema: 'x', ...form({}) }), [])
  })

  test('accept any options of a field of a list, which only front ends read', () => {
    const fields = [{ name: 'a', options: { choices: [], min_length: 'x' } }]
    assert.deepEqual(faultsIn('view.json', form({ view_type: 'list', fields })), [])
    assert.notDeepEqual(faultsIn('view.json', form({ fields })), [])
  })

  test('accept a field of every type', () => {
    for (const type of FIELD_TYPE_NAMES) {
      const relation = /foreignkey|many_to_many|one_to_one/.test(type) ? { model: 'user' } : {}
      const choices = /choice/.test(type) ? { choices: ['a'] } : {}
      assert.deepEqual(faultsIn('model.json', model({ name: 'a_id', type, required: true, ...relation, ...choices })), [], type)
    }
  })

  for (const [what, schema, value] of FAULTY) {
    test(`reject ${what}`, () => assert.notDeepEqual(faultsIn(schema, value), []))
  }
})
