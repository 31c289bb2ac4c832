import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../helpers/api/scenario.ts'
import { valuesOf } from '../helpers/values-of.ts'

const USERS = '/api/v1/models/user'

/** Users register themselves, and see and change their own account only. */
const FILES = {
  'models/user.yaml': `extends: user
fields:
  - { name: phone, type: string }
access: { view: self.id == user.id, add: public, change: self.id == user.id, delete: self.id == user.id }
`,
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: owner_id, type: foreignkey, model: user, on_delete: cascade }
access: { view: public }
`,
  'roles/editors.yaml': 'name: editors\npermissions: [view_note]\n',
  'seed/user.yaml': `- { username: super, email: super@example.org, password: harbour-super-2024, is_superuser: true, phone: "1" }
- { username: ann, email: ann@example.org, password: harbour-ann-2024, phone: "2" }
- { username: bob, email: bob@example.org, password: harbour-bob-2024, phone: "3" }
`,
  'seed/note.yaml': '- { text: of ann, owner_id: 2 }\n- { text: of bob, owner_id: 3 }\n',
}

const withUsers = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp({ files: FILES })
  await work(app)
}

const ask = (app: TestApp, as: string | null, request: string, body?: unknown): Promise<Reply> =>
  send(app, { request: request as Scenario['request'], as, ...(body === undefined ? {} : { body }) })

const NEW = { username: 'eve', email: 'eve@example.org', password: 'a-long-password-2024' }

describe('a project in which anyone may register', () => {
  test('gives a new user no privilege', () =>
    withUsers(async (app) => {
      for (const more of [{ is_superuser: true }, { groups: [1] }, { permissions: [1] }, { is_superuser: false }]) {
        assert.equal((await ask(app, null, `POST ${USERS}`, { data: { ...NEW, ...more } })).status, 401, JSON.stringify(more))
        assert.equal((await ask(app, null, `POST ${USERS}/bulk`, { records: [{ ...NEW, ...more }] })).status, 401)
      }
      const made = await ask(app, null, `POST ${USERS}`, { data: NEW })
      assert.equal(made.status, 201)
      assert.equal(made.json.data.is_superuser, false)
      assert.doesNotMatch(made.text, /password/)
      assert.equal((await ask(app, 'eve', `GET ${USERS}`)).json.total, 1)
      for (const path of ['', '/1', '/search?q=ann', '/export', '/aggregate']) {
        assert.equal((await ask(app, null, `GET ${USERS}${path}`)).status, 401, path)
      }
    }))

  test('lets users change their own account, without its privileges', () =>
    withUsers(async (app) => {
      assert.equal((await ask(app, 'ann', `PUT ${USERS}/2`, { data: { phone: '22' } })).status, 200)
      for (const data of [{ is_superuser: true }, { groups: [1] }, { permissions: [1] }]) {
        assert.equal((await ask(app, 'ann', `PUT ${USERS}/2`, { data })).status, 403)
      }
      for (const id of [1, 3]) {
        assert.equal((await ask(app, 'ann', `GET ${USERS}/${id}`)).status, 404)
        assert.equal((await ask(app, 'ann', `PUT ${USERS}/${id}`, { data: { phone: '0' } })).status, 400)
        assert.equal((await ask(app, 'ann', `DELETE ${USERS}/${id}`)).status, 404)
      }
      const all = { filters: [], expected_total: 3, data: { phone: '0' } }
      assert.match((await ask(app, 'ann', `PUT ${USERS}/bulk`, all)).text, /and 1 do/)
    }))

  test('shows other users by their id only, and reveals nothing through relations', () =>
    withUsers(async (app) => {
      const notes = '/api/v1/models/note'
      const list = await ask(app, 'ann', `GET ${notes}`)
      assert.deepEqual(
        valuesOf(list.json.data, 'owner'),
        [(await ask(app, 'ann', `GET ${USERS}/2`)).json.data, { id: 3 }].map((user, place) =>
          place === 0 ? list.json.data[0].owner : user,
        ),
      )
      assert.equal(list.json.data[0].owner.username, 'ann')
      for (const filter of ['owner__username=bob', 'owner__phone__startswith=3', 'owner__email__icontains=bob']) {
        assert.equal((await ask(app, 'ann', `GET ${notes}?filters=${filter}`)).json.total, 0, filter)
        assert.equal((await ask(app, null, `GET ${notes}?filters=${filter}`)).status, 401, filter)
      }
      const sorted = await ask(app, 'ann', `GET ${notes}?sort_by=owner.phone&sort_order=desc`)
      assert.deepEqual(valuesOf(sorted.json.data, 'id'), [2, 1], 'the hidden one counts as null')
      assert.equal((await ask(app, 'ann', `GET ${USERS}?fields=notes__count`)).json.data[0].notes__count, 1)
    }))

  test('does not let a user delete what a superuser goes with', async () => {
    const files = {
      ...FILES,
      'models/team.yaml': 'name: Team\nfields: [{ name: name, type: string }]\naccess: { view: public, delete: public }\n',
      'models/user.yaml': `extends: user
fields:
  - { name: phone, type: string }
  - { name: team_id, type: foreignkey, model: team, on_delete: cascade }
`,
      'seed/team.yaml': '- { name: of all }\n- { name: of ann }\n',
      'seed/user.yaml': FILES['seed/user.yaml']
        .replace(', is_superuser: true', ', is_superuser: true, team_id: 1')
        .replace('phone: "2"', 'phone: "2", team_id: 2'),
    }
    await using app = await openTestApp({ files })
    const teams = '/api/v1/models/team'
    for (const query of ['', '?dry_run=true']) assert.equal((await ask(app, 'bob', `DELETE ${teams}/1${query}`)).status, 403)
    assert.equal((await ask(app, 'bob', `DELETE ${teams}/2`)).status, 200)
    assert.equal((await ask(app, 'super', `GET ${USERS}`)).json.total, 2)
    assert.equal((await ask(app, 'super', `DELETE ${teams}/1`)).status, 409)
  })

  test('does not log a user in with the name of another', () =>
    withUsers(async (app) => {
      const taken = await ask(app, null, `POST ${USERS}`, { data: { ...NEW, username: 'ann' } })
      assert.deepEqual([taken.status, taken.json], [400, { detail: { error: { username: ['username must be unique'] } } }])
    }))
})
