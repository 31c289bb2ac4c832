import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ADMIN_SEED, NEEDS_DATA_FOLDER, openTestApp, quickHasher, type TestApp } from '../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../helpers/api/scenario.ts'
import { dataOf, FORBIDDEN, generalError, ids, recordNotFound, UNLIMITED } from './records/expected.ts'

const VIEWS = '/api/v1/models/savedview'
const AUTHORS = 2
const MODERATORS = 3

const view = (name: string, values: object = {}) => ({ name, model: 'post', query: 'filter=status%3Ddraft', ...values })

/** The views of the matrix, by id: those of anna.lind, an author, and one of tomasz, a moderator. */
async function saveViews(app: TestApp): Promise<void> {
  const save = (as: string, data: object) => dataOf(app, `POST ${VIEWS}`, { as, body: { data }, status: 201 })
  await save('anna.lind', view('Mine'))
  await save('anna.lind', view('Of authors', { groups: [AUTHORS] }))
  await save('tomasz', view('Of tomasz'))
  await save('admin', view('Of everyone', { everyone: true, default_for: 'all' }))
  await save('admin', view('Of moderators', { groups: [MODERATORS] }))
}

const gives =
  (...codenames: string[]) =>
  async (app: TestApp) => {
    const { data } = (
      await play(app, { request: `GET /api/v1/models/permission?filters=codename__in=${codenames.join('%2C')}`, status: 200 })
    ).json
    await dataOf(app, 'PUT /api/v1/models/user/9', { body: { data: { permissions: data.map(({ id }: { id: number }) => id) } } })
    await saveViews(app)
  }

const noSuchView = (id: number) => generalError(`SavedView with ID ${id} does not exist`)

const mayNotShare = (details: string) => ({ ...FORBIDDEN, details })

describe('saved views of other users', () => {
  test('are seen by members of their groups and, if they are for everyone, by every user', async () => {
    await using app = await openTestApp({ settings: UNLIMITED })
    await saveViews(app)
    const seen = async (as: string) => ids((await play(app, { request: `GET ${VIEWS}`, status: 200, as })).json)
    const inSite = async (as: string) => {
      const { json } = await play(app, { request: 'GET /admin/api/v1/site', status: 200, as })
      return json.saved_views.map(({ name }: { name: string }) => name)
    }
    for (const [as, all, named] of [
      ['anna.lind', [1, 2, 4], ['Mine', 'Of authors', 'Of everyone']],
      ['jduarte', [2, 4], ['Of authors', 'Of everyone']],
      ['siobhan_r', [2, 4, 5], ['Of authors', 'Of everyone', 'Of moderators']],
      ['tomasz', [3, 4, 5], ['Of everyone', 'Of moderators', 'Of tomasz']],
      // May not view posts: the page offers no list of them.
      ['newcomer', [4], []],
      // A superuser sees all, and is offered those that are meant for the superuser.
      ['admin', [1, 2, 3, 4, 5], ['Of everyone', 'Of moderators']],
    ] as const) {
      assert.deepEqual(await seen(as), all, as)
      assert.deepEqual(await inSite(as), named, as)
    }
    await play(app, { request: `GET ${VIEWS}`, status: 401, as: null })
    // The site has the versions of them, so that a client can change one without reading it.
    const { json } = await play(app, { request: 'GET /admin/api/v1/site', status: 200, as: 'anna.lind' })
    const put = (status: number) =>
      play(app, {
        ...{ request: `PUT ${VIEWS}/2`, as: 'anna.lind', status },
        ...{ headers: { 'if-match': json.saved_views[1].etag }, body: { data: { query: 'sort=title' } } },
      })
    await put(200)
    await put(412)
    await play(app, { request: `GET ${VIEWS}/1`, status: 404, as: 'jduarte', expect: recordNotFound('SavedView', 1) })
    // What was asked under the same query by another user is no answer for this one.
    await play(app, { request: `GET ${VIEWS}/1`, status: 200, as: 'anna.lind' })
    await play(app, { request: `GET ${VIEWS}/1`, status: 404, as: 'jduarte' })
  })
})

const change = (name: string, as: string, id: number, status: number, rest: Partial<Scenario> = {}): Scenario => ({
  ...scenario(`${as}: ${name}`, `PUT ${VIEWS}/${id}`, status, { as, body: { data: { name: 'Changed' } } }),
  given: saveViews,
  ...rest,
})
const remove = (name: string, as: string, id: number, status: number, rest: Partial<Scenario> = {}): Scenario => ({
  ...scenario(`${as}: ${name}`, `DELETE ${VIEWS}/${id}`, status, { as }),
  given: saveViews,
  ...rest,
})
const add = (name: string, as: string, values: object, status: number, rest: Partial<Scenario> = {}): Scenario => ({
  ...scenario(`${as}: ${name}`, `POST ${VIEWS}`, status, { as, body: { data: view('New', values) } }),
  ...rest,
})

scenarios('saved views without permissions', [
  add('are of the user who saves them', 'newcomer', {}, 201, {
    expectPart: { data: { user_id: 9, everyone: false, groups: [] } },
  }),
  add('are not saved for another user', 'anna.lind', { user_id: 5 }, 403),
  add('are shared with own groups', 'anna.lind', { groups: [AUTHORS] }, 201),
  add('are not shared with other groups', 'anna.lind', { groups: [AUTHORS, MODERATORS] }, 403, {
    expect: mayNotShare('Sharing a saved view with group 3, of which you are no member, needs the permission change_savedview'),
  }),
  add('are not shared with everyone', 'anna.lind', { everyone: true }, 403, {
    expect: mayNotShare('Sharing a saved view with everyone needs the permission change_savedview'),
  }),
  add('are no default for all', 'anna.lind', { groups: [AUTHORS], default_for: 'all' }, 403),
  add('have one name for each user and model', 'anna.lind', { name: 'Mine' }, 400, { given: saveViews }),
  change('own', 'anna.lind', 1, 200),
  change('own shared with a group', 'anna.lind', 2, 200),
  change('that of the group', 'jduarte', 2, 403),
  change('that of everyone', 'anna.lind', 4, 403),
  change('private one of another', 'jduarte', 1, 400, { expect: noSuchView(1) }),
  change('own is not given away', 'anna.lind', 1, 403, { body: { data: { user_id: 5 } } }),
  change('own is not shared with everyone later', 'anna.lind', 1, 403, { body: { data: { everyone: true } } }),
  change('stays shared with a group that the user has left', 'anna.lind', 2, 200, {
    given: async (app) => {
      await saveViews(app)
      await dataOf(app, 'PUT /api/v1/models/user/3', { body: { data: { groups: [] } } })
    },
    body: { data: { name: 'Still', groups: [AUTHORS] } },
  }),
  remove('own', 'anna.lind', 1, 200),
  remove('that of the group', 'jduarte', 2, 403),
  remove('private one of another', 'jduarte', 1, 404),
])

scenarios('saved views with permissions', [
  add('change_savedview shares with everyone', 'newcomer', { everyone: true, default_for: 'all', groups: [AUTHORS] }, 201, {
    given: gives('change_savedview'),
  }),
  change('change_savedview changes what others share', 'newcomer', 4, 200, { given: gives('change_savedview') }),
  change('change_savedview shows no private one', 'newcomer', 1, 400, { given: gives('change_savedview') }),
  remove('change_savedview deletes no other', 'newcomer', 4, 403, { given: gives('change_savedview') }),
  remove('delete_savedview deletes what others share', 'newcomer', 4, 200, { given: gives('delete_savedview') }),
  change('superusers change all', 'admin', 1, 200),
])

describe('a project and saved views', () => {
  const files = { 'models/note.yaml': 'name: Note\nfields:\n  - {name: title, type: string}\n' }

  test('keep what permissions and sites of users say', async () => {
    await using app = await openTestApp({ settings: UNLIMITED })
    await saveViews(app)
    const me = (await play(app, { request: 'GET /api/v1/auth/me', status: 200, as: 'newcomer' })).json
    assert.deepEqual(me.data.permissions, [])
    const { json } = await play(app, { request: 'GET /admin/api/v1/site', status: 200, as: 'newcomer' })
    const models = json.models.map(({ key }: { key: string }) => key)
    assert.deepEqual([models, json.capabilities.import, json.capabilities.share_views], [['fee'], false, false])
    assert.deepEqual(json.user.groups, [])
  })

  test('follow a model that is renamed', async () => {
    await using app = await openTestApp({ files: { ...files, ...ADMIN_SEED }, settings: UNLIMITED })
    await dataOf(app, `POST ${VIEWS}`, { body: { data: { name: 'All', model: 'note' } }, status: 201 })
    writeFileSync(join(app.folder.path, 'models/note.yaml'), 'name: Memo\nwas: Note\nfields:\n  - {name: title, type: string}\n')
    await using next = await app.reopen()
    assert.equal((await dataOf(next, `GET ${VIEWS}/1`)).model, 'memo')
  })

  test('go with the user', async () => {
    await using app = await openTestApp({ settings: UNLIMITED })
    await saveViews(app)
    await dataOf(app, 'PUT /api/v1/models/user/6', { body: { data: { username: 'tomasz.w' } } })
    await play(app, { request: 'DELETE /api/v1/models/user/6', status: 200 })
    assert.deepEqual(ids((await play(app, { request: `GET ${VIEWS}`, status: 200 })).json), [1, 2, 4, 5])
  })
})

test('a data folder from before saved views takes them, and gets their permissions', { skip: NEEDS_DATA_FOLDER }, async () => {
  const moment = '2025-01-15T12:00:00.000Z'
  const table = (...records: readonly object[]) => ({
    next_id: records.length + 1,
    records: records.map((record, index) => ({ id: index + 1, ...record, created_at: moment, updated_at: moment })),
  })
  const password = await quickHasher.hash('a-long-password')
  const codenames = ['user', 'group', 'permission', 'tag'].flatMap((key) =>
    ['view', 'add', 'change', 'delete'].map((action) => `${action}_${key}`),
  )
  const tables = {
    user: table({ username: 'admin', email: 'admin@example.org', password, is_active: true, is_superuser: true }),
    permission: table(...codenames.map((codename) => ({ codename }))),
    tag: table({ name: 'Knots' }),
  }
  await using app = await openTestApp({
    files: {
      'models/tag.yaml': 'name: Tag\ntimestamps: true\nfields:\n  - { name: name, type: string }\n',
      'data/db.json': JSON.stringify({ format: 1, sequence: 2, tables }),
    },
    settings: UNLIMITED,
  })
  const { json } = await play(app, { request: 'GET /api/v1/models/permission?page_size=100', status: 200 })
  const stored = json.data.map(({ codename }: { codename: string }) => codename)
  assert.deepEqual(stored.slice(0, codenames.length), codenames, 'users and groups refer to permissions by id')
  assert.deepEqual(stored.slice(codenames.length).toSorted(), [
    'add_savedview',
    'change_savedview',
    'delete_savedview',
    'view_savedview',
  ])
  await dataOf(app, `POST ${VIEWS}`, { body: { data: { name: 'Knots', model: 'tag', query: 'q=knots' } }, status: 201 })
  const site = (await play(app, { request: 'GET /admin/api/v1/site', status: 200 })).json
  assert.deepEqual(
    site.saved_views.map(({ name }: { name: string }) => name),
    ['Knots'],
  )
})
