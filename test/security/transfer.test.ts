import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../helpers/api/app.ts'
import { play, send } from '../helpers/api/scenario.ts'
import { appTest, permit } from './access.ts'

const EXPORT = 'GET /api/v1/models/user/export'
const JSON_TYPE = { 'content-type': 'application/json' }
const NEW = { username: 'new.user', email: 'new.user@example.org', password: 'long-enough-here' }

/** A user of the blog without a group that matters here. */
const READER = { id: 9, name: 'old.account' }

const importUsers = (app: TestApp, as: string, query: string, ...records: readonly object[]) =>
  send(app, { request: `POST /api/v1/models/user/import${query}`, as, rawBody: JSON.stringify(records), headers: JSON_TYPE })

async function reader(app: TestApp, ...codenames: readonly string[]): Promise<string> {
  const { json } = await play(app, { request: `GET /api/v1/models/user/${READER.id}`, status: 200 })
  await play(app, { request: `PUT /api/v1/models/user/${READER.id}`, body: { data: { is_active: true } }, status: 200 })
  if (codenames.length > 0) await permit(app, READER.id, ...codenames)
  return json.data.username
}

describe('an export', () => {
  appTest('contains no secret in any format for any user', async (app) => {
    for (const query of ['format=csv', 'format=json', 'format=ndjson', 'labels=true', 'labels=true&list_id=UserList']) {
      const { text, status } = await send(app, { request: `${EXPORT}?${query}` })
      assert.equal(status, 200)
      assert.doesNotMatch(text, /password|\$quick\$/)
    }
    for (const query of ['fields=password', 'filters=password__isnull=true', 'sort_by=password']) {
      const { status, text } = await send(app, { request: `${EXPORT}?${query}` })
      const unknown = await send(app, { request: `${EXPORT}?${query.replace('password', 'qqqqqqqq')}` })
      assert.equal(status, 400)
      assert.equal(text.replaceAll('password', '?'), unknown.text.replaceAll('qqqqqqqq', '?'))
    }
  })

  appTest('needs a token and the permission to view the model, and the models of its filters', async (app) => {
    await play(app, { request: EXPORT, as: null, status: 401 })
    const name = await reader(app, 'view_post')
    await play(app, { request: EXPORT, as: name, status: 403 })
    await play(app, { request: 'GET /api/v1/models/post/export?filters=author__username=admin', as: name, status: 403 })
    const { json } = await play(app, { request: 'GET /api/v1/models/post/export?format=json', as: name, status: 200 })
    // As an id, which says no more than a list does.
    assert.equal(typeof json[0].author_id, 'number')
    assert.equal('author' in json[0], false)
  })

  appTest('with labels names no record that the reader may not view, and no secret field', async (app) => {
    const name = await reader(app, 'view_post')
    const request = 'GET /api/v1/models/post/export?labels=true&fields=author,tags,title&filters=id=43'
    const { text } = await play(app, { request, as: name, status: 200 })
    assert.match(text, /^Author,Tags,Title\r\n#2,#3; #11; #12,Lantern parade/)
    for (const format of ['csv', 'xlsx']) {
      const { status, json } = await send(app, { request: `${EXPORT}?labels=true&format=${format}&fields=password` })
      assert.equal(status, 400)
      assert.match(json.details.fields.join(), /Unknown field 'password'/)
    }
  })

  appTest('of a model of the server itself does not exist', async (app) => {
    await play(app, { request: 'GET /api/v1/models/authsession/export', status: 404 })
    await play(app, { request: 'POST /api/v1/models/authsession/import', rawBody: '[]', headers: JSON_TYPE, status: 404 })
  })
})

describe('an import', () => {
  appTest('needs a token, the permission to add, and the permission to change for updates', async (app) => {
    const request = 'POST /api/v1/models/tag/import'
    const file = { rawBody: '[]', headers: JSON_TYPE }
    await play(app, { request, ...file, as: null, status: 401 })
    const name = await reader(app, 'change_tag', 'view_tag')
    await play(app, { request, ...file, as: name, status: 403 })
    await reader(app, 'add_tag')
    await play(app, { request, ...file, as: name, status: 200 })
    await play(app, { request: `${request}?upsert_by=slug`, ...file, as: name, status: 403 })
    await reader(app, 'add_tag', 'change_tag')
    await play(app, { request: `${request}?upsert_by=slug`, ...file, as: name, status: 200 })
  })

  appTest('sets neither ids nor timestamps for any user', async (app) => {
    const own = { id: 77, created_at: '2001-01-01T00:00:00.000Z', updated_at: '2001-01-01T00:00:00.000Z' }
    const { json, status } = await importUsers(app, 'admin', '', { ...NEW, ...own })
    assert.deepEqual([status, json.ignored], [200, Object.keys(own)])
    const { json: list } = await send(app, { request: `GET /api/v1/models/user?filters=username=${NEW.username}` })
    const [user] = list.data
    assert.notEqual(user.id, own.id)
    assert.notEqual(user.created_at, own.created_at)
    assert.notEqual(user.updated_at, own.updated_at)
  })

  appTest('grants no permission that the sender could not grant otherwise', async (app) => {
    const name = await reader(app, 'add_user', 'change_user', 'view_user')
    for (const power of [{ is_superuser: true }, { is_superuser: false }, { groups: [1] }, { permissions: [1] }]) {
      assert.equal((await importUsers(app, name, '', { ...NEW, ...power })).status, 403, JSON.stringify(power))
      const over = await importUsers(app, name, '?upsert_by=username', { username: name, ...power })
      assert.equal(over.status, 403, JSON.stringify(power))
    }
    // Nor over the account of a superuser.
    const takeover = await importUsers(app, name, '?upsert_by=username', { username: 'admin', password: 'mine-from-now-on' })
    assert.equal(takeover.status, 403)
    assert.equal((await importUsers(app, name, '', NEW)).status, 200)
  })

  appTest('of another password ends the sessions of the user; a dry run does not', async (app) => {
    const anna = { username: 'anna.lind', password: 'lighthouse-keys-17' }
    const { json } = await send(app, { request: 'POST /api/v1/auth/token', as: null, body: anna })
    const headers = { authorization: `Bearer ${json.access_token}` }
    const record = { username: anna.username, password: 'another-one-altogether' }
    assert.equal((await importUsers(app, 'admin', '?upsert_by=username&dry_run=true', record)).status, 200)
    await play(app, { request: 'GET /api/v1/auth/me', as: null, headers, status: 200 })
    assert.equal((await importUsers(app, 'admin', '?upsert_by=username', record)).status, 200)
    await play(app, { request: 'GET /api/v1/auth/me', as: null, headers, status: 401 })
  })

  appTest('with names of members of every object sets nothing by them', async (app) => {
    const rawBody = '[{"name":"a","slug":"a","__proto__":{"slug":"b"}},{"name":"b","slug":"b","constructor":1}]'
    const reply = await send(app, { request: 'POST /api/v1/models/tag/import', rawBody, headers: JSON_TYPE })
    assert.equal(reply.status, 400)
    assert.deepEqual(Object.keys(reply.json.detail.error).sort(), ['1.__proto__', '2.constructor'])
  })
})
