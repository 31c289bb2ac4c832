import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { type Scenario, send } from '../../helpers/api/scenario.ts'
import { appTest } from '../access.ts'

/** A name of no field, as near to no other as a secret's name is. */
const UNKNOWN = 'qqqqqqqq'

/** Queries about a field of users: of their own list and through a relation to them. */
const QUERIES: readonly ((field: string) => string)[] = [
  ...[
    '',
    '__ne',
    '__in',
    '__icontains',
    '__startswith',
    '__endswith',
    '__gt',
    '__gte',
    '__lt',
    '__lte',
    '__isnull',
    '__x',
  ].flatMap((suffix) => [
    (field: string) => `user?filters=${field}${suffix}=true`,
    (field: string) => `user?filters=${field}${suffix}=%24argon2id`,
    (field: string) => `post?filters=author__${field}${suffix}=true`,
    (field: string) => `user?filters=groups__${field}${suffix}=true`,
  ]),
  (field) => `user?filters=${field}__x__y=1`,
  (field) => `user?filters=%70${field.slice(1)}=1`.replace('%70q', '%71q'),
  (field) => `user?sort_by=${field}`,
  (field) => `user?sort_by=username,${field}&sort_order=desc`,
  (field) => `user?fields=${field}`,
  (field) => `user?fields=username,${field}`,
  (field) => `user/1?fields=${field}`,
  (field) => `post?include=author__${field}`,
  (field) => `post/1?fields=author&include=author__${field}`,
  (field) => `post?sort_by=author__${field}`,
  (field) => `user?${field}=x`,
]

/** An answer about a field, without the field's name. */
async function answer(app: TestApp, query: string, field: string): Promise<{ status: number; text: string }> {
  const { status, text } = await send(app, { request: `GET /api/v1/models/${query}` })
  return { status, text: text.replaceAll(field, '<field>') }
}

describe('of a secret field', () => {
  appTest('no question is answered otherwise than of a field that does not exist', async (app) => {
    for (const make of QUERIES) {
      const query = make('password')
      const secret = await answer(app, query, 'password')
      assert.deepEqual(secret, await answer(app, make(UNKNOWN), UNKNOWN), query)
      assert.equal(secret.status, 400, query)
    }
  })

  appTest('a slip is not put right by its name', async (app) => {
    for (const slip of ['passwrd', 'pasword', 'Password', 'passwords']) {
      for (const query of [
        `user?filters=${slip}=x`,
        `user?sort_by=${slip}`,
        `user?fields=${slip}`,
        `post?include=author__${slip}`,
      ]) {
        const { status, text } = await answer(app, query, slip)
        assert.equal(status, 400, query)
        assert.doesNotMatch(text, /password/, query)
      }
    }
  })

  appTest('the value is in no answer of any operation, nested or not', async (app) => {
    const secret = 'a-very-secret-word'
    const user = { username: 'new.user', email: 'new.user@example.org', password: secret }
    const requests: readonly { request: Scenario['request']; body?: unknown }[] = [
      { request: 'POST /api/v1/models/user', body: { data: user } },
      { request: 'POST /api/v1/models/user', body: { data: user } },
      { request: 'PUT /api/v1/models/user/9', body: { data: { password: secret } } },
      { request: 'PUT /api/v1/models/user/9', body: { data: { password: [secret] } } },
      { request: 'PUT /api/v1/models/user/9', body: { data: { password: secret.slice(0, 3) } } },
      { request: 'PUT /api/v1/models/user/bulk', body: { updates: [{ id: 9, data: { password: secret } }] } },
      { request: 'POST /api/v1/models/user/bulk', body: { records: [{ ...user, username: 'x.y', email: 'x@example.org' }] } },
      { request: 'GET /api/v1/models/user?page_size=100' },
      { request: 'GET /api/v1/models/user/9' },
      { request: 'GET /api/v1/models/post?page_size=100' },
      { request: 'GET /api/v1/models/comment?page_size=100' },
      { request: 'GET /api/v1/auth/me' },
      { request: 'DELETE /api/v1/models/user/9' },
    ]
    for (const request of requests) {
      const { text, status } = await send(app, request)
      assert.ok(status < 500, text)
      assert.doesNotMatch(text, new RegExp(`${secret}|\\$quick\\$|argon2|"password":"`), `${request.request}: ${text}`)
    }
  })
})
