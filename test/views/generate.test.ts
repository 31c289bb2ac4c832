import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { AUTH_MODELS } from '../../src/auth/models.ts'
import { isPrivileged } from '../../src/auth/permissions.ts'
import { flatSource } from '../../src/config/source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import { FIELD_TYPE_NAMES } from '../../src/model/definition.ts'
import { compileForm } from '../../src/validate/form.ts'
import type { FormViewDefinition } from '../../src/views/definition.ts'
import { generateForm, generateList, viewsYaml } from '../../src/views/generate.ts'
import { buildViews } from '../../src/views/views.ts'

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
    test(`of ${model.name} are sound, and the same once they are written and read again`, () => {
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
    assert.deepEqual(form.creation_fields, [
      ...['username', 'email', 'password', 'first_name', 'last_name', 'is_active', 'last_login'],
    ])
    const permission = registry.expect('permission')
    const editing = generateForm(permission, { ...NOTHING_TAKEN, isPrivileged: (name) => isPrivileged(permission, name) })
    assert.deepEqual([editing.creation_fields, editing.allowed_update_fields], [[], ['name', 'description']])
    // What is shown and cannot be set says so.
    const unsettable = form.fields.filter(({ name }) => form.creation_fields?.includes(name) === false)
    assert.deepEqual(
      unsettable.filter((field) => field.readonly !== true),
      [],
    )
  })

  test('show a password in no list, and in a form with its widget alone', () => {
    const user = registry.expect('user')
    assert.equal(
      generateList(user, NOTHING_TAKEN).fields.find(({ name }) => name === 'password'),
      undefined,
    )
    const field = generateForm(user, NOTHING_TAKEN).fields.find(({ name }) => name === 'password')
    assert.equal(field?.widget, 'password')
  })

  test('have names that no other view has', () => {
    const taken = new Set(['UserForm', 'UserForm2', 'UserList'])
    const user = registry.expect('user')
    assert.equal(generateForm(user, { ...NOTHING_TAKEN, taken }).name, 'UserForm3')
    assert.equal(generateList(user, { taken }).name, 'UserList2')
  })
})
