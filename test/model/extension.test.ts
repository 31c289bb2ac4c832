import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp } from '../helpers/api/app.ts'
import { lineOf, lintFiles } from '../lint/projects.ts'

const EXTENSION = `extends: user
label: People
fields:
  - { name: phone, type: string, max_length: 20 }
  - { name: manager_id, type: foreignkey, model: user }
`

describe('a model that extends a built-in one', () => {
  test('has the fields of both, in this order', async () => {
    await using app = await openTestApp({
      files: {
        'models/user.yaml': EXTENSION,
        'seed/user.yaml': '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true, phone: "1" }\n',
      },
    })
    const user = app.app.project.registry.expect('user')
    assert.deepEqual([user.name, user.label, user.timestamps], ['User', 'People', true])
    assert.deepEqual([...user.fields.keys()].slice(-5), ['permissions', 'phone', 'manager_id', 'created_at', 'updated_at'])
    assert.equal(user.fields.get('username')?.unique, true)
    const [admin] = await app.app.store.get('user', [1])
    assert.equal(admin?.phone, '1')
  })

  for (const [what, text, finding] of [
    [
      'a fault in an own field has its position',
      EXTENSION.replace('max_length', 'max_lenght'),
      /^models\/user\.yaml:4:\d+.*Unknown key 'max_lenght'/,
    ],
    [
      'an unknown base',
      EXTENSION.replace('user', 'usr'),
      /'extends' must name a built-in model, not 'usr'; did you mean 'user'\?$/,
    ],
    ['another name', `name: Person\n${EXTENSION}`, /A model that extends user has the name User; leave out 'name'$/],
    ['a rename', `was: Person\n${EXTENSION}`, /A model that extends user cannot be renamed; leave out 'was'$/],
    [
      'a field of the base',
      EXTENSION.replace('phone', 'email'),
      /^models\/user\.yaml:4:.*'email' is a field of the built-in user; leave it out, or replace the whole model$/,
    ],
    [
      'a base beside a replacement',
      `- ${EXTENSION.replaceAll('\n', '\n  ').trimEnd()}\n- name: User\n  fields: []\n`,
      /There is already a model 'User'/,
    ],
  ] as const) {
    test(what, async () => {
      const { findings } = await lintFiles({ 'models/user.yaml': text })
      const errors = findings.filter(({ severity }) => severity === 'error').map(lineOf)
      assert.match(errors[0] ?? '', finding)
    })
  }
})
