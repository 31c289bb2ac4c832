import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BLOG, registryOf } from './models.ts'

const registry = registryOf(...BLOG)

describe('looking up a model', () => {
  for (const key of ['post', 'tag', 'user']) test(key, () => assert.equal(registry.get(key)?.key, key))
  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Post', 'POST', '', 'nope']) {
    test(`${JSON.stringify(key)} is not a model`, () => {
      assert.equal(registry.get(key), undefined)
      assert.deepEqual(registry.referrersOf(key), [])
      assert.throws(() => registry.expect(key), new Error(`Model '${key}' is not registered`))
    })
  }
})

describe('referrers of a model', () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    user: [
      ...[
        'accountevent.user_id',
        'apikey.user_id',
        'authfactor.user_id',
        'authidentity.user_id',
        'authsession.user_id',
        'onetimetoken.user_id',
      ],
      ...['post.author_id', 'verifiedaddress.user_id'],
    ],
    tag: ['post.tags', 'tag.parent_id'],
    post: [],
    permission: ['group.permissions', 'user.permissions'],
  }
  for (const [key, expected] of Object.entries(rows)) {
    test(key, () => {
      const found = registry.referrersOf(key).map(({ model, field }) => `${model.key}.${field.name}`)
      assert.deepEqual(found.sort(), expected)
    })
  }
})
