import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, FORBIDDEN, ids } from './expected.ts'

const TAG = { name: 'Knots', slug: 'knots' }
const USER = { username: 'new.user', email: 'new.user@example.org', password: 'long-enough-here' }

const refused = (as: string, request: Scenario['request'], body?: unknown): Scenario =>
  scenario(`${as} may not`, request, 403, { as, ...(body === undefined ? {} : { body }), expect: FORBIDDEN })

const allowed = (as: string, request: Scenario['request'], status: number, body?: unknown): Scenario =>
  scenario(`${as} may`, request, status, { as, ...(body === undefined ? {} : { body }) })

scenarios('without any permission', [
  refused('newcomer', 'POST /api/v1/models/tag', { data: TAG }),
  refused('newcomer', 'GET /api/v1/models/tag'),
  refused('newcomer', 'GET /api/v1/models/tag/1'),
  refused('newcomer', 'PUT /api/v1/models/tag/1', { data: { name: 'Knots' } }),
  refused('newcomer', 'DELETE /api/v1/models/tag/1'),
  refused('newcomer', 'POST /api/v1/models/tag/bulk', { records: [TAG] }),
  refused('newcomer', 'PUT /api/v1/models/tag/bulk', { updates: [{ id: 1, data: { name: 'Knots' } }] }),
  refused('newcomer', 'DELETE /api/v1/models/tag/bulk', { ids: [1] }),
  refused('newcomer', 'GET /api/v1/models/tag/999'),
  refused('newcomer', 'PUT /api/v1/models/tag/999', { data: { name: 'Knots' } }),
  refused('newcomer', 'GET /api/v1/models/user/9'),
])

scenarios('permission to view', [
  allowed('pia.nakamura', 'GET /api/v1/models/tag', 200),
  allowed('pia.nakamura', 'GET /api/v1/models/tag/1', 200),
  refused('pia.nakamura', 'POST /api/v1/models/tag', { data: TAG }),
  refused('pia.nakamura', 'PUT /api/v1/models/tag/1', { data: { name: 'Knots' } }),
  refused('pia.nakamura', 'DELETE /api/v1/models/tag/1'),
  refused('pia.nakamura', 'GET /api/v1/models/user'),
])

const COMMENT = { post_id: 1, body: 'Well said.' }

scenarios('permission to add', [
  allowed('pia.nakamura', 'POST /api/v1/models/comment', 201, { data: COMMENT }),
  allowed('pia.nakamura', 'POST /api/v1/models/comment/bulk', 201, { records: [COMMENT] }),
  refused('pia.nakamura', 'PUT /api/v1/models/comment/1', { data: { body: 'Changed' } }),
  refused('pia.nakamura', 'DELETE /api/v1/models/comment/1'),
])

scenarios('permission to change and delete', [
  allowed('tomasz', 'PUT /api/v1/models/comment/1', 200, { data: { is_approved: false } }),
  allowed('tomasz', 'PUT /api/v1/models/comment/bulk', 200, { updates: [{ id: 1, data: { is_approved: false } }] }),
  allowed('tomasz', 'DELETE /api/v1/models/comment/1', 200),
  allowed('tomasz', 'DELETE /api/v1/models/comment/bulk', 200, { ids: [1, 2] }),
  refused('tomasz', 'POST /api/v1/models/comment', { data: COMMENT }),
  refused('tomasz', 'POST /api/v1/models/comment/bulk', { records: [COMMENT] }),
  refused('anna.lind', 'DELETE /api/v1/models/post/bulk', { ids: [46] }),
  refused('anna.lind', 'PUT /api/v1/models/tag/bulk', { updates: [{ id: 1, data: { name: 'Knots' } }] }),
  allowed('anna.lind', 'PUT /api/v1/models/post/46', 200, { data: { summary: 'Mine' } }),
  allowed('siobhan_r', 'DELETE /api/v1/models/comment/1', 200),
  allowed('siobhan_r', 'POST /api/v1/models/comment', 201, { data: COMMENT }),
])

scenarios('present permissions', [
  {
    given: async (app) => void (await dataOf(app, 'PUT /api/v1/models/user/6', { body: { data: { groups: [] } } })),
    ...refused('tomasz', 'GET /api/v1/models/comment/1'),
    name: 'go with the group',
  },
  {
    given: async (app) => void (await dataOf(app, 'PUT /api/v1/models/group/3', { body: { data: { permissions: [1] } } })),
    ...refused('tomasz', 'GET /api/v1/models/comment/1'),
    name: 'change with those of the group',
  },
  {
    given: async (app) => void (await dataOf(app, 'PUT /api/v1/models/user/9', { body: { data: { groups: [4] } } })),
    ...allowed('newcomer', 'GET /api/v1/models/post/1', 200),
    name: 'come with membership in a group',
  },
  scenario(
    'exist for every registered model by themselves, those of the seed first',
    'GET /api/v1/models/permission?page_size=100',
    200,
    {
      check: ({ json }) => {
        const codenames: string[] = json.data.map(({ codename }: { codename: string }) => codename)
        const seeded = ['post', 'comment', 'category', 'tag']
        const models = ['user', 'group', 'permission', 'savedview', 'fee', ...seeded]
        const of = (model: string) => ['view', 'add', 'change', 'delete'].map((action) => `${action}_${model}`)
        assert.deepEqual(
          ids(json).slice(0, 16),
          Array.from({ length: 16 }, (_, index) => index + 1),
        )
        assert.deepEqual(codenames.slice(0, 16), seeded.flatMap(of))
        assert.deepEqual([...codenames].sort(), models.flatMap(of).sort())
      },
    },
  ),
])

/** Lets newcomer do these things, directly. */
const allowing =
  (...codenames: string[]) =>
  async (app: TestApp) => {
    const filter = encodeURIComponent(`codename__in=${codenames.join()}`)
    const { json } = await play(app, { request: `GET /api/v1/models/permission?filters=${filter}`, status: 200 })
    assert.equal(json.total, codenames.length)
    await dataOf(app, 'PUT /api/v1/models/user/9', { body: { data: { permissions: ids(json) } } })
  }

const privileged = (request: Scenario['request'], body: unknown, unharmed?: Scenario['check']): Scenario => ({
  ...refused('newcomer', request, body),
  name: `are set by superusers alone: ${JSON.stringify(body)}`,
  given: allowing('add_user', 'change_user', 'view_user', 'add_group', 'change_group'),
  ...(unharmed === undefined ? {} : { check: unharmed }),
})

const stillNewcomer: Scenario['check'] = async (_, app) => {
  const user = await dataOf(app, 'GET /api/v1/models/user/9')
  assert.deepEqual([user.is_superuser, user.groups, user.first_name], [false, [], 'Leo'])
}

scenarios('privileged fields', [
  privileged('PUT /api/v1/models/user/9', { data: { is_superuser: true } }, stillNewcomer),
  privileged('PUT /api/v1/models/user/9', { data: { first_name: 'Lea', groups: [1] } }, stillNewcomer),
  privileged('PUT /api/v1/models/user/9', { data: { permissions: [1] } }, stillNewcomer),
  privileged('PUT /api/v1/models/user/9', { data: { is_superuser: false } }, stillNewcomer),
  privileged('PUT /api/v1/models/user/bulk', { updates: [{ id: 9, data: { is_superuser: true } }] }, stillNewcomer),
  privileged('POST /api/v1/models/user', { data: { ...USER, is_superuser: true } }),
  privileged('POST /api/v1/models/user', { data: { ...USER, groups: [1] } }),
  privileged('POST /api/v1/models/user', { data: { ...USER, permissions: [1] } }),
  privileged('POST /api/v1/models/user/bulk', { records: [{ ...USER, is_superuser: true }] }),
  privileged('PUT /api/v1/models/group/1', { data: { permissions: [1] } }),
  privileged('POST /api/v1/models/group', { data: { name: 'Crew', permissions: [1] } }),
  scenario('do not prevent other changes', 'PUT /api/v1/models/user/9', 200, {
    given: allowing('change_user'),
    as: 'newcomer',
    body: { data: { first_name: 'Lea' } },
    expectPart: { data: { first_name: 'Lea', is_superuser: false } },
  }),
  scenario('are no obstacle to a new user without them', 'POST /api/v1/models/user', 201, {
    given: allowing('add_user'),
    as: 'newcomer',
    body: { data: USER },
  }),
  scenario('are no obstacle to a group without them', 'PUT /api/v1/models/group/1', 200, {
    given: allowing('change_group'),
    as: 'newcomer',
    body: { data: { description: 'They run the journal' } },
  }),
  scenario('are set by a superuser', 'PUT /api/v1/models/user/9', 200, {
    body: { data: { is_superuser: true, groups: [1, 2], permissions: [6] } },
    expectPart: { data: { is_superuser: true, permissions: [{ id: 6, codename: 'add_comment' }] } },
  }),
])
