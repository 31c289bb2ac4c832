import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { SHELL } from '../../../src/auth/permissions.ts'
import { openTestApp } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors } from '../records/expected.ts'

const LAST_LOGIN = '2020-02-20T20:20:20.000Z'
const USER = { username: 'newcomer2', email: 'newcomer2@example.org', password: 'a-long-password', last_login: LAST_LOGIN }
const PATH = '/api/v1/models/user'

const CREATED = "Field 'last_login' is not allowed to be set at creation"
const UPDATED = "Field 'last_login' is not allowed to be updated"

const refused = (request: Scenario['request'], body: unknown, key: string, message: string): Scenario =>
  scenario(JSON.stringify(body).slice(0, 60), request, 400, { body, expect: fieldErrors({ [key]: [message] }) })

scenarios('last_login is set by the server only', [
  refused(`POST ${PATH}`, { data: USER }, 'last_login', CREATED),
  refused(`POST ${PATH}/bulk`, { records: [USER] }, '0.last_login', CREATED),
  refused(`PUT ${PATH}/3`, { data: { last_login: LAST_LOGIN } }, 'last_login', UPDATED),
  refused(`PUT ${PATH}/3`, { data: { last_login: null } }, 'last_login', UPDATED),
  refused(`PUT ${PATH}/bulk`, { updates: [{ id: 3, data: { last_login: LAST_LOGIN } }] }, '0.last_login', UPDATED),
  {
    ...refused(`PUT ${PATH}/bulk`, { filters: [], expected_total: 9, data: { last_login: null } }, 'last_login', UPDATED),
    name: 'by filters',
  },
  scenario('a file has the column of an export, which is ignored', `POST ${PATH}/import`, 200, {
    headers: { 'content-type': 'application/json' },
    rawBody: JSON.stringify([USER]),
    expectPart: { created: 1, ignored: ['last_login'] },
    check: async (_, app) => {
      const [user] = await dataOf(app, `GET ${PATH}?filters=username=newcomer2`)
      assert.equal(user.last_login, null)
    },
  }),
  scenario('a file that updates does not set it either', `POST ${PATH}/import?upsert_by=username`, 200, {
    headers: { 'content-type': 'application/json' },
    rawBody: JSON.stringify([{ username: 'anna.lind', last_login: LAST_LOGIN }]),
    expectPart: { updated: 1, ignored: ['last_login'] },
    check: async (_, app) => assert.notEqual((await dataOf(app, `GET ${PATH}/3`)).last_login, LAST_LOGIN),
  }),
  scenario('the site calls it read-only', 'GET /admin/api/v1/site/', 200, {
    check: ({ json }) => {
      const user = json.models.find(({ key }: { key: string }) => key === 'user')
      const field = user.fields.find(({ name }: { name: string }) => name === 'last_login')
      assert.equal(field.readonly, true)
    },
  }),
])

describe('last_login comes with', () => {
  test('seeds, and files whose ids are kept', async () => {
    await using app = await openTestApp({
      files: {
        'models/note.yaml': 'name: Note\nfields: [{ name: text, type: text }]\n',
        'seed/user.yaml': `- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true, last_login: '${LAST_LOGIN}' }\n`,
      },
    })
    assert.equal((await dataOf(app, `GET ${PATH}/1`)).last_login, LAST_LOGIN)
    const open = () => Readable.from([Buffer.from(JSON.stringify([{ id: 7, ...USER }]))])
    await app.app.imports.run(SHELL, 'user', { format: 'json', open }, { keepIds: true })
    assert.equal((await dataOf(app, `GET ${PATH}/7`)).last_login, LAST_LOGIN)
    const { json } = await send(app, { request: 'GET /admin/api/v1/views/user/?generated=true' })
    const [form] = json.data
    assert.equal(form.fields.find(({ name }: { name: string }) => name === 'last_login').readonly, true)
    assert.ok(!form.creation_fields.includes('last_login') && !form.allowed_update_fields.includes('last_login'))
  })
})
