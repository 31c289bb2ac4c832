import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { dataOf, UNLIMITED } from '../records/expected.ts'

const USER = '/api/v1/models/user'
const TEAM = '/api/v1/models/team'
/** Ids of the seed accounts. */
const [ADMIN, ANN, DIANE] = [1, 2, 3] as const

const account = (username: string, more: string) =>
  `- { username: ${username}, email: ${username}@example.org, password: the-password-of-${username}, ${more} }\n`

const FILES = {
  'models/team.yaml': 'name: Team\nfields: [{ name: name, type: string, required: true }]\n',
  'models/user.yaml':
    'extends: user\nfields:\n  - { name: team_id, type: foreignkey, model: team, on_delete: cascade }\n  - { name: leader_id, type: foreignkey, model: user, on_delete: cascade }\n',
  'seed/team.yaml': '- { name: Owners }\n- { name: Others }\n',
  // A disabled superuser does not count: only active ones can log in.
  'seed/user.yaml': [
    account('admin', 'is_superuser: true, team_id: 1, leader_id: 2'),
    account('ann', 'team_id: 2'),
    account('diane', 'is_superuser: true, is_active: false'),
  ].join(''),
}

const refusal = (name = "'admin' is the last active superuser") => ({
  error: 'Last superuser',
  status_code: 409,
  details: `${name}; make another user a superuser first`,
})

const stillThere: NonNullable<Scenario['check']> = async (_, app) => {
  const { is_superuser, is_active } = await dataOf(app, `GET ${USER}/${ADMIN}`)
  assert.deepEqual([is_superuser, is_active], [true, true])
}

const json = { 'content-type': 'application/json' }

const refused: readonly Omit<Scenario, 'status'>[] = [
  { name: 'demoted', request: `PUT ${USER}/${ADMIN}`, body: { data: { is_superuser: false } } },
  { name: 'demoted by null', request: `PUT ${USER}/${ADMIN}`, body: { data: { is_superuser: null } } },
  { name: 'demoted in a dry run', request: `PUT ${USER}/${ADMIN}?dry_run=true`, body: { data: { is_superuser: false } } },
  { name: 'disabled', request: `PUT ${USER}/${ADMIN}`, body: { data: { is_active: false } } },
  { name: 'disabled by null', request: `PATCH ${USER}/${ADMIN}`, body: { data: { is_active: null } } },
  { name: 'deleted', request: `DELETE ${USER}/${ADMIN}` },
  { name: 'deleted in a dry run', request: `DELETE ${USER}/${ADMIN}?dry_run=true` },
  {
    name: 'demoted in a bulk update',
    request: `PUT ${USER}/bulk`,
    body: {
      updates: [
        { id: ANN, data: { first_name: 'Ann' } },
        { id: ADMIN, data: { is_superuser: false } },
      ],
    },
  },
  {
    name: 'disabled in a bulk update by filters',
    request: `PUT ${USER}/bulk`,
    body: { filters: [], expected_total: 3, data: { is_active: false } },
  },
  { name: 'deleted in a bulk deletion', request: `DELETE ${USER}/bulk`, body: { ids: [ADMIN, ANN] } },
  {
    name: 'deleted in a bulk deletion by filters',
    request: `DELETE ${USER}/bulk`,
    body: { filters: ['is_superuser=true'], expected_total: 2 },
  },
  {
    name: 'disabled in an import',
    request: `POST ${USER}/import?upsert_by=username`,
    headers: json,
    rawBody: JSON.stringify([{ username: 'admin', is_active: false }]),
  },
  { name: 'deleted by the cascade of another model', request: `DELETE ${TEAM}/1` },
  { name: 'deleted by a cascade in a bulk deletion', request: `DELETE ${TEAM}/bulk`, body: { ids: [1, 2] } },
  { name: 'deleted by the cascade of another user', request: `DELETE ${USER}/${ANN}` },
]

scenarios(
  'the last active superuser cannot be',
  { files: FILES },
  refused.map((each) => ({ ...each, status: 409, expect: refusal(), check: stillThere })),
)

/** Makes ann a superuser as well. */
const given = async (app: TestApp): Promise<void> =>
  void (await dataOf(app, `PUT ${USER}/${ANN}`, { body: { data: { is_superuser: true } } }))

scenarios('a superuser beside the last one', { files: FILES, settings: { history: { days: 90 } } }, [
  scenario('can be demoted', `PUT ${USER}/${ADMIN}`, 200, { given, body: { data: { is_superuser: false } } }),
  scenario('can be deleted, and is the only record of the answer', `DELETE ${USER}/bulk`, 200, {
    given,
    body: { ids: [ADMIN] },
    check: ({ json: reply }) => assert.deepEqual([reply.total, reply.data.length, reply.data[0].id], [1, 1, ADMIN]),
  }),
  scenario('can be deleted by a cascade', `DELETE ${TEAM}/1`, 200, {
    given,
    check: async (_, app) => assert.equal((await send(app, { request: `GET ${USER}/${ANN}`, as: 'ann' })).status, 200),
  }),
  scenario('cannot be demoted together with it', `PUT ${USER}/bulk`, 409, {
    given,
    body: { filters: [], expected_total: 3, data: { is_superuser: false } },
    expect: refusal("'admin', 'ann' are the last active superusers"),
    check: stillThere,
  }),
  scenario('may take its place in the same request', `PUT ${USER}/bulk`, 200, {
    body: {
      updates: [
        { id: ADMIN, data: { is_superuser: false } },
        { id: ANN, data: { is_superuser: true } },
      ],
    },
  }),
  scenario('may be created in the import that disables it', `POST ${USER}/import?upsert_by=username`, 200, {
    headers: json,
    rawBody: JSON.stringify([
      { username: 'admin', is_active: false },
      { username: 'newcomer', email: 'n@example.org', password: 'a-long-password', is_superuser: true },
    ]),
    expectPart: { created: 1, updated: 1 },
  }),
  scenario('leaves no trace when it is kept: no version, no history entry', `PUT ${USER}/${ADMIN}`, 200, {
    given: async (app) => {
      await given(app)
      app.advance(1000)
    },
    body: { data: { is_superuser: false } },
    check: async (_, app) => {
      const entries: { record_id: number }[] = (await send(app, { request: 'GET /api/v1/history', as: 'ann' })).json.data
      assert.deepEqual(valuesOf(entries, 'record_id'), [ADMIN, ANN])
      assert.equal((await dataOf(app, `GET ${USER}/${ANN}`, { as: 'ann' })).updated_at, '2026-01-15T12:00:00.001Z')
    },
  }),
  scenario('that is disabled changes nothing', `DELETE ${USER}/${DIANE}`, 200),
])

describe('of two superusers who demote, disable or delete each other at once, one is left', () => {
  const ways: readonly (readonly [string, (id: number) => Omit<Scenario, 'name' | 'status'>])[] = [
    ['demote', (id) => ({ request: `PUT ${USER}/${id}`, body: { data: { is_superuser: false } } })],
    ['disable', (id) => ({ request: `PUT ${USER}/bulk`, body: { updates: [{ id, data: { is_active: false } }] } })],
    ['delete', (id) => ({ request: `DELETE ${USER}/${id}` })],
  ]
  for (const [name, request] of ways) {
    test(name, async () => {
      await using app = await openTestApp({ files: { ...FILES, 'seed/user.yaml': TWO }, settings: UNLIMITED })
      for (let round = 0; round < 10; round++) {
        const tokens = [await app.tokenOf('admin'), await app.tokenOf('ann')]
        const sent = [ADMIN, ANN].map((id, index) => {
          const headers = { authorization: `Bearer ${tokens[1 - index]}` }
          return send(app, { ...request(id), as: null, headers })
        })
        const statuses = (await Promise.all(sent)).map(({ status }) => status)
        const left = await app.app.store.find('user', { filters: ACTIVE, sort: [], offset: 0, limit: 10 })
        assert.equal(left.total, 1, `${left.total} are left, after ${statuses}`)
        assert.ok(statuses.filter((status) => status === 200).length === 1, String(statuses))
        if (name === 'delete') break
        const other = left.records[0]?.id === ADMIN ? ANN : ADMIN
        await dataOf(app, `PUT ${USER}/${other}`, {
          as: other === ADMIN ? 'ann' : 'admin',
          body: { data: { is_superuser: true, is_active: true } },
        })
      }
    })
  }
})

const ACTIVE = [
  { field: 'is_superuser', operator: 'eq', value: true },
  { field: 'is_active', operator: 'eq', value: true },
] as const

const TWO = `${account('admin', 'is_superuser: true')}${account('ann', 'is_superuser: true')}`
