import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACTIONS, type Actor, codename, isPermitted, isPrivileged, SYSTEM } from '../../src/auth/permissions.ts'
import { BLOG, registryOf } from '../model/models.ts'

const registry = registryOf(...BLOG, { name: 'BlogPost', fields: [] })
const post = registry.expect('post')
const actor = (...permissions: readonly string[]): Actor => ({
  userId: 5,
  isSuperuser: false,
  permissions: new Set(permissions),
  groups: new Set(),
  user: undefined,
})

test('the codenames of a model', () =>
  assert.deepEqual(
    ACTIONS.map((action) => codename(action, registry.expect('blogpost'))),
    ['view_blogpost', 'add_blogpost', 'change_blogpost', 'delete_blogpost'],
  ))

describe('the permissions of an actor', () => {
  const rows: readonly { name: string; actor: Actor; may: readonly string[] }[] = [
    { name: 'without permissions', actor: actor(), may: [] },
    { name: 'with one', actor: actor('view_post'), may: ['view'] },
    { name: 'with two', actor: actor('add_post', 'delete_post'), may: ['add', 'delete'] },
    { name: 'with those of another model', actor: actor('view_blogpost', 'change_tag', 'post', 'view'), may: [] },
    { name: 'with all', actor: actor('view_post', 'add_post', 'change_post', 'delete_post'), may: [...ACTIONS] },
    { name: 'a superuser', actor: { ...SYSTEM, userId: 1 }, may: [...ACTIONS] },
    { name: 'the server itself', actor: SYSTEM, may: [...ACTIONS] },
  ]
  for (const { name, actor: who, may: allowed } of rows) {
    test(name, () =>
      assert.deepEqual(
        ACTIONS.filter((action) => isPermitted(who, action, post)),
        allowed,
      ),
    )
  }
})

describe('privileged fields', () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    user: ['is_superuser', 'groups', 'permissions'],
    group: ['permissions'],
    permission: ['codename'],
    tag: [],
    post: [],
  }
  for (const [key, expected] of Object.entries(rows)) {
    test(`of ${key}: ${expected.join(', ') || 'none'}`, () => {
      const model = registry.expect(key)
      const names = [...model.fields.keys(), '__proto__', 'constructor']
      assert.deepEqual(
        names.filter((name) => isPrivileged(model, name)),
        expected,
      )
    })
  }
})
