import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { type Scenario, send } from '../../helpers/api/scenario.ts'
import { dataOf } from '../../http/records/expected.ts'
import { appTest, permit, withApp } from '../access.ts'

const USERS = '/api/v1/models/user'
const NEW = { username: 'new.user', email: 'new.user@example.org', password: 'long-enough-here' }

/** What nobody may set of a record, and what superusers alone may set of users and groups. */
const SYSTEM_FIELDS = { id: 77, created_at: '2001-01-01T00:00:00.000Z', updated_at: '2001-01-01T00:00:00.000Z' } as const
const POWERS = { is_superuser: true, groups: [1], permissions: [1] } as const

type Write = (fields: object, form: string | undefined) => { request: Scenario['request']; body: object }

const formOf = (form: string | undefined) => (form === undefined ? {} : { form_id: form })

/** Every way in which a user may be written. */
const PATHS: Readonly<Record<string, Write>> = {
  create: (fields, form) => ({ request: `POST ${USERS}`, body: { data: { ...NEW, ...fields }, ...formOf(form) } }),
  'bulk create': (fields, form) => ({
    request: `POST ${USERS}/bulk`,
    body: { records: [{ ...NEW, ...fields }], ...formOf(form) },
  }),
  update: (fields, form) => ({ request: `PUT ${USERS}/9`, body: { data: fields, ...formOf(form) } }),
  'bulk update': (fields, form) => ({
    request: `PUT ${USERS}/bulk`,
    body: { updates: [{ id: 9, data: fields }], ...formOf(form) },
  }),
}

const FORMS = [undefined, 'UserCreateForm'] as const

/** All users as they are, passwords and all. */
async function everybody(app: TestApp): Promise<unknown> {
  const { records } = await app.app.store.find('user', { filters: [], sort: [], offset: 0, limit: 100 })
  return records
}

/** Sends writes that are to be refused, and sees that nothing came of them. */
async function refuses(app: TestApp, as: string, writes: readonly ReturnType<Write>[], status: number): Promise<void> {
  const before = await everybody(app)
  for (const write of writes) {
    const reply = await send(app, { ...write, as })
    const shown = `${write.request} ${JSON.stringify(write.body)} by ${as} answered ${reply.status}: ${reply.text}`
    assert.equal(reply.status, status, shown)
  }
  assert.deepEqual(await everybody(app), before)
}

const each = (fields: object): object[] => Object.entries(fields).map(([name, value]) => ({ [name]: value }))

describe('fields that only the server sets', () => {
  for (const [name, write] of Object.entries(PATHS)) {
    appTest(`${name}, with a form and without`, async (app) => {
      const bodies = FORMS.flatMap((form) => each(SYSTEM_FIELDS).map((fields) => write(fields, form)))
      await refuses(app, 'admin', bodies, 400)
    })
  }

  appTest('id beside data, or in it, names no other record', async (app) => {
    const bodies = [
      { request: `PUT ${USERS}/9`, body: { data: { first_name: 'Lea' }, id: 1 } },
      { request: `PUT ${USERS}/bulk`, body: { updates: [{ id: 9, data: { id: 1, first_name: 'Lea' } }] } },
      { request: `PUT ${USERS}/bulk`, body: { updates: [{ id: 9, record_id: 1, data: { first_name: 'Lea' } }] } },
      { request: `POST ${USERS}`, body: { data: NEW, id: 77 } },
    ] as const
    await refuses(app, 'admin', bodies, 400)
  })
})

describe('privileged fields are for superusers only', () => {
  const managing = (work: (app: TestApp) => Promise<void>) =>
    withApp(async (app) => {
      await permit(
        app,
        9,
        'view_user',
        'add_user',
        'change_user',
        'delete_user',
        'add_group',
        'change_group',
        'change_permission',
      )
      await work(app)
    })

  for (const [name, write] of Object.entries(PATHS)) {
    test(`${name}: 403; 400 under a form that does not list the field`, () =>
      managing(async (app) => {
        const values = [
          ...each(POWERS),
          { is_superuser: false },
          { is_superuser: null },
          { is_superuser: 'true' },
          { groups: [] },
        ]
        await refuses(
          app,
          'newcomer',
          values.map((fields) => write(fields, undefined)),
          403,
        )
        await refuses(
          app,
          'newcomer',
          values.map((fields) => write(fields, 'UserCreateForm')),
          400,
        )
      }))
  }

  test('nor by a nested object, another spelling or a wrapper', () =>
    managing(async (app) => {
      const smuggled = [
        { user: { is_superuser: true } },
        { data: { is_superuser: true } },
        { 'is_superuser ': true },
        { Is_Superuser: true },
        { isSuperuser: true },
        { 'is_superuser.': true },
        { '$.is_superuser': true },
        { is_superuser__exact: true },
        { groups_id: [1] },
        { group_ids: [1] },
      ]
      for (const write of Object.values(PATHS)) {
        await refuses(
          app,
          'newcomer',
          smuggled.map((fields) => write(fields, undefined)),
          400,
        )
      }
      await refuses(app, 'newcomer', [{ request: `PUT ${USERS}/9`, body: { data: {}, is_superuser: true } }], 400)
      await refuses(app, 'newcomer', [{ request: `PUT ${USERS}/9`, body: { is_superuser: true } }], 400)
    }))

  appTest('nor does a linked object carry fields along', async (app) => {
    const before = await dataOf(app, 'GET /api/v1/models/tag/1')
    const links = [{ id: 1, name: 'Taken over', is_superuser: true }]
    await dataOf(app, 'PUT /api/v1/models/post/1', { body: { data: { tags: links } } })
    assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/1'), before)
  })

  test('nor edits or deletes a superuser, in any field', () =>
    managing(async (app) => {
      const edits = [
        { first_name: 'Mine' },
        { password: 'mine-from-now-on' },
        { email: 'me@example.org' },
        { is_active: false },
        {},
      ]
      const writes = edits.flatMap((data) => [
        { request: `PUT ${USERS}/1`, body: { data } } as const,
        {
          request: `PUT ${USERS}/bulk`,
          body: {
            updates: [
              { id: 9, data: { first_name: 'Lea' } },
              { id: 1, data },
            ],
          },
        } as const,
      ])
      await refuses(app, 'newcomer', writes, 403)
      await refuses(app, 'newcomer', [{ request: `DELETE ${USERS}/bulk`, body: { ids: [9, 1] } }], 403)
      assert.equal((await send(app, { request: `DELETE ${USERS}/1`, as: 'newcomer' })).status, 403)
    }))

  test('nor through a group or the name of a permission', () =>
    managing(async (app) => {
      const writes = [
        { request: 'PUT /api/v1/models/group/4', body: { data: { permissions: [1] } } },
        { request: 'PUT /api/v1/models/group/bulk', body: { updates: [{ id: 4, data: { permissions: [1] } }] } },
        { request: 'POST /api/v1/models/group', body: { data: { name: 'Crew', permissions: [1] } } },
        { request: 'POST /api/v1/models/group/bulk', body: { records: [{ name: 'Crew', permissions: [1] }] } },
        { request: 'PUT /api/v1/models/permission/1', body: { data: { codename: 'delete_user' } } },
      ] as const
      await refuses(app, 'newcomer', writes, 403)
    }))
})
