import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { registryOf } from '../model/models.ts'

const registry = registryOf()

/** The fields of a model with their types, followed by the targets of relations. */
const fieldsOf = (key: string): string[] =>
  [...registry.expect(key).fields.values()].map(
    ({ name, type, relation }) => `${name} ${type.name}${relation ? ` ${relation.target}` : ''}`,
  )

const STAMPS = ['created_at datetime', 'updated_at datetime']

describe('the built-in models', () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    user: [
      ...['id primarykey', 'username string', 'email email', 'password password', 'first_name string', 'last_name string'],
      ...['is_active boolean', 'is_superuser boolean', 'last_login datetime', 'groups many_to_many group'],
      ...['permissions many_to_many permission', ...STAMPS],
    ],
    group: ['id primarykey', 'name string', 'description text', 'permissions many_to_many permission', ...STAMPS],
    permission: ['id primarykey', 'codename string', 'name string', 'description text', ...STAMPS],
  }
  for (const [key, fields] of Object.entries(rows)) test(key, () => assert.deepEqual(fieldsOf(key), fields))

  test('a user is active and not a superuser by default', () => {
    const { fields } = registry.expect('user')
    assert.equal(fields.get('is_active')?.default, true)
    assert.equal(fields.get('is_superuser')?.default, false)
  })

  test('identifying names are unique and mandatory', () => {
    for (const [key, name] of [
      ['user', 'username'],
      ['user', 'email'],
      ['group', 'name'],
      ['permission', 'codename'],
    ] as const) {
      const field = registry.expect(key).fields.get(name)
      assert.deepEqual([field?.unique, field?.required], [true, true], `${key}.${name}`)
    }
  })

  test('sessions are internal', () => {
    assert.equal(registry.expect('authsession').internal, true)
    assert.ok(!registry.public.some((model) => model.key === 'authsession'))
  })
})
