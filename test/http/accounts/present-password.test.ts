import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, FORBIDDEN } from '../records/expected.ts'

const CHANGED = 'another-password-18'
const REFUSED = {
  error: 'Insufficient permissions',
  status_code: 403,
  details: 'Change your own password with POST /auth/password, which asks for the present one',
}

const account = (username: string, more = '') =>
  `- { username: ${username}, email: ${username}@example.org, password: the-password-of-${username}${more} }\n`
const PERMISSIONS = ['change_user', 'add_user', 'view_user'].map((codename) => `- { codename: ${codename} }\n`).join('')
const USERS = [
  account('admin', ', is_superuser: true'),
  account('ann', ', permissions: [{ codename: change_user }, { codename: add_user }, { codename: view_user }]'),
  account('kim', ''),
].join('')

/** Ids of the accounts. */
const [ADMIN, ANN, KIM] = [1, 2, 3] as const
const USER = '/api/v1/models/user'

/** Every request that can set the password of an account. */
const ways = (id: number, name: string): readonly Omit<Scenario, 'name' | 'status'>[] => [
  { request: `PUT ${USER}/${id}`, body: { data: { password: CHANGED } } },
  { request: `PATCH ${USER}/${id}`, body: { data: { password: CHANGED, first_name: 'A' } } },
  { request: `PUT ${USER}/${id}?dry_run=true`, body: { data: { password: CHANGED } } },
  { request: `PUT ${USER}/${id}`, body: { data: { password: CHANGED }, form_id: 'UserForm' } },
  { request: `PUT ${USER}/bulk`, body: { updates: [{ id, data: { password: CHANGED } }] } },
  { request: `PUT ${USER}/bulk`, body: { filters: [`id=${id}`], expected_total: 1, data: { password: CHANGED } } },
  {
    request: `POST ${USER}/import?upsert_by=username`,
    headers: { 'content-type': 'application/json' },
    rawBody: JSON.stringify([{ username: name, password: CHANGED }]),
  },
]

const unchanged =
  (name: string): NonNullable<Scenario['check']> =>
  async (_, app) => {
    const body = { username: name, password: `the-password-of-${name}` }
    await dataOf(app, 'POST /api/v1/auth/token', { as: null, body })
  }

const refused = (as: string, id: number): Scenario[] =>
  ways(id, as).map((way, index) => ({
    ...way,
    name: `${as} cannot set the own one without the present one, way ${index + 1}`,
    as,
    status: 403,
    expect: REFUSED,
    check: unchanged(as),
  }))

const WITH_CHANGE_USER = {
  files: {
    'models/note.yaml': 'name: Note\nfields: [{ name: text, type: text }]\n',
    'seed/permission.yaml': PERMISSIONS,
    'seed/user.yaml': USERS,
  },
}

scenarios('the own password, with change_user', WITH_CHANGE_USER, [
  ...refused('ann', ANN),
  scenario('other fields of the own account may be set', `PUT ${USER}/${ANN}`, 200, {
    as: 'ann',
    body: { data: { first_name: 'Ann' } },
  }),
  scenario('the password of a user with no further permissions may be set', `PUT ${USER}/${KIM}`, 200, {
    as: 'ann',
    body: { data: { password: CHANGED } },
  }),
  scenario('the present one is accepted by the route of its own', 'POST /api/v1/auth/password', 200, {
    as: 'ann',
    body: { current_password: 'the-password-of-ann', new_password: CHANGED },
  }),
  ...ways(ADMIN, 'admin').map(
    (way, index): Scenario => ({ ...way, name: `superusers set their own, way ${index + 1}`, as: 'admin', status: 200 }),
  ),
  scenario('without permission', `PUT ${USER}/${KIM}`, 403, { as: 'kim', body: { data: {} }, expect: FORBIDDEN }),
])

const WITH_OWN_ACCESS = {
  files: {
    'models/user.yaml': 'extends: user\naccess: { view: self.id == user.id, change: self.id == user.id }\n',
    'seed/permission.yaml': PERMISSIONS,
    'seed/user.yaml': USERS,
  },
}

scenarios('the own password, with access to the own account', WITH_OWN_ACCESS, refused('kim', KIM).slice(0, -1))
