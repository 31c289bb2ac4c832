import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { AUTH_MODELS } from '../../src/auth/account-models.ts'
import { isPrivileged } from '../../src/auth/permissions.ts'
import { flatSource } from '../../src/config/source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import { FIELD_TYPE_NAMES } from '../../src/model/definition.ts'
import { compileForm } from '../../src/validate/form.ts'
import type { FormViewDefinition } from '../../src/views/definition.ts'
import { generateForm, generateList, viewsYaml } from '../../src/views/generate.ts'
import { buildViews } from '../../src/views/views.ts'
import { valuesOf } from '../helpers/values-of.ts'

const NOTHING_TAKEN = { taken: new Set<string>(), isPrivileged: () => false }

const everyType = FIELD_TYPE_NAMES.map((type) => ({
  name: /foreignkey|one_to_one/.test(type) ? `${type}_id` : `a_${type}`,
  type,
  ...(/foreignkey|one_to_one|many_to_many/.test(type) ? { model: 'everything' } : {}),
  ...(/choice/.test(type) ? { choices: ['one', 'two: three'] } : {}),
  ...(type === 'string' ? { required: true, label: 'A: "label"', min_length: 2, pattern: '^[a-z]+$' } : {}),
}))
const definition = { value: { name: 'Everything', timestamps: true, fields: everyType }, source: flatSource('everything.yaml') }
const { registry, faults } = buildRegistry([definition], AUTH_MODELS)

describe('generated views', () => {
  for (const model of registry.public) {
    test(`of ${model.name} are valid and survive serialisation and parsing`, () => {
      assert.deepEqual(faults.list, [])
      const options = { taken: new Set<string>(), isPrivileged: (name: string) => isPrivileged(model, name) }
      const views = [generateForm(model, options), generateList(model, options)]
      const read = parse(viewsYaml(views)) as FormViewDefinition[]
      assert.deepEqual(read, views)
      const source = flatSource('generated.yaml')
      const built = buildViews(
        read.map((value) => ({ value, source })),
        registry,
      )
      assert.deepEqual(built.faults.list, [])
      for (const { view } of built.views.forms) assert.deepEqual(compileForm(view, model).problems, [])
    })
  }

  test('exclude privileged fields from allow-lists, and are for updates only where one is required', () => {
    const user = registry.expect('user')
    const form = generateForm(user, { ...NOTHING_TAKEN, isPrivileged: (name) => isPrivileged(user, name) })
    assert.deepEqual(form.creation_fields, [...['username', 'email', 'password', 'first_name', 'last_name', 'is_active']])
    const permission = registry.expect('permission')
    const editing = generateForm(permission, { ...NOTHING_TAKEN, isPrivileged: (name) => isPrivileged(permission, name) })
    assert.deepEqual([editing.creation_fields, editing.allowed_update_fields], [[], ['name', 'description']])
    // Fields that cannot be set are marked readonly.
    const unsettable = form.fields.filter(({ name }) => form.creation_fields?.includes(name) === false)
    assert.deepEqual(
      unsettable.filter((field) => field.readonly !== true),
      [],
    )
  })

  test('omit passwords from lists and use the password widget in forms', () => {
    const user = registry.expect('user')
    assert.equal(
      generateList(user, NOTHING_TAKEN).fields.find(({ name }) => name === 'password'),
      undefined,
    )
    const field = generateForm(user, NOTHING_TAKEN).fields.find(({ name }) => name === 'password')
    assert.equal(field?.widget, 'password')
  })

  const generatedFrom = (fields: readonly object[], more: object = {}) => {
    const written = { value: { name: 'Event', ...more, fields }, source: flatSource('event.yaml') }
    const { registry: own, faults: problems } = buildRegistry([written], AUTH_MODELS)
    assert.deepEqual(problems.list, [])
    return own.expect('event')
  }

  test('have the help texts of the model and the defaults that a front end can know', () => {
    const model = generatedFrom([
      { name: 'id', type: 'integer', label: 'Number', help_text: 'On the door' },
      { name: 'title', type: 'string', help_text: 'For people' },
      { name: 'day', type: 'date', default: 'today' },
      { name: 'at', type: 'datetime', default: 'now' },
      { name: 'token', type: 'uuid' },
      { name: 'owner_id', type: 'foreignkey', model: 'user', default: { user: 'id' } },
    ])
    const form = generateForm(model, NOTHING_TAKEN)
    assert.deepEqual(valuesOf(form.fields, 'name', 'title', 'help_text', 'default_value'), [
      ['id', 'Number', 'On the door', undefined],
      ['title', 'Title', 'For people', undefined],
      ['day', 'Day', undefined, 'today'],
      ['at', 'At', undefined, 'now'],
      ['token', 'Token', undefined, undefined],
      ['owner_id', 'Owner', undefined, { user: 'id' }],
    ])
  })

  test('are lists of at most eight columns: the display field first, required fields before others, wide ones last', () => {
    const optional = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, type: 'integer' }))
    const fields = [
      { name: 'body', type: 'text', required: true },
      { name: 'home', type: 'url' },
      { name: 'tags', type: 'many_to_many', model: 'group' },
      ...optional,
      { name: 'title', type: 'string' },
      { name: 'kind', type: 'choice', choices: ['x'], required: true },
    ]
    const columns = (model: ReturnType<typeof generatedFrom>) => generateList(model, NOTHING_TAKEN).fields.map(({ name }) => name)
    assert.deepEqual(columns(generatedFrom(fields, { timestamps: true })), ['id', 'title', 'a', 'b', 'c', 'd', 'e', 'kind'])
    const few = fields.filter(({ type }) => type !== 'integer')
    assert.deepEqual(columns(generatedFrom(few, { timestamps: true })), [
      ...['id', 'title', 'home', 'tags', 'kind', 'created_at', 'updated_at'],
    ])
  })

  test('have unique names', () => {
    const taken = new Set(['UserForm', 'UserForm2', 'UserList'])
    const user = registry.expect('user')
    assert.equal(generateForm(user, { ...NOTHING_TAKEN, taken }).name, 'UserForm3')
    assert.equal(generateList(user, { taken }).name, 'UserList2')
  })
})
