import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SHELL } from '../../../src/auth/permissions.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { listeningTest } from '../../helpers/api/raw.ts'
import { play, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { appTest, login, withApp } from '../../security/access.ts'

const SNAPSHOTS = '/api/v1/snapshots'
const RESET = 'POST /api/v1/reset'
const TAGS = '/api/v1/models/tag'

const saved = async (app: TestApp): Promise<void> => {
  await play(app, { request: `POST ${SNAPSHOTS}`, body: { name: 'before' }, status: 201 })
}
const addTag = (app: TestApp, slug: string) =>
  play(app, { request: `POST ${TAGS}`, body: { data: { name: slug, slug } }, status: 201 })
const countTags = async (app: TestApp): Promise<number> => (await play(app, { request: `GET ${TAGS}`, status: 200 })).json.total

scenarios('copies of the data', [
  scenario('a snapshot includes the latest write', `POST ${SNAPSHOTS}`, 201, {
    skip: NEEDS_DATA_FOLDER,
    given: async (app) => {
      await addTag(app, 'lanterns')
    },
    body: { name: 'v1.before' },
    check: async ({ json }, { folder }) => {
      const text = await readFile(join(folder.path, 'data/snapshots/v1.before.json'), 'utf8')
      assert.match(text, /"slug":"lanterns"/)
      assert.deepEqual([json.data.name, json.data.bytes], ['v1.before', Buffer.byteLength(text)])
      assert.match(json.data.saved_at, /^\d{4}-.*Z$/)
    },
  }),
  scenario('they are listed', `GET ${SNAPSHOTS}`, 200, { skip: NEEDS_DATA_FOLDER, given: saved, expectPart: { total: 1 } }),
  scenario('one is removed', `DELETE ${SNAPSHOTS}/before`, 200, {
    skip: NEEDS_DATA_FOLDER,
    given: saved,
    expectPart: { message: 'Snapshot deleted successfully' },
    check: async ({ json }, app) => {
      assert.equal(json.data.name, 'before')
      assert.deepEqual(await readdir(join(app.folder.path, 'data/snapshots')), [])
    },
  }),
  scenario('one that does not exist cannot be removed', `DELETE ${SNAPSHOTS}/befor`, 404, {
    skip: NEEDS_DATA_FOLDER,
    given: saved,
    check: ({ json }) => assert.match(json.details, /There is no snapshot 'befor'; did you mean 'before'/),
  }),
  scenario('a name cannot leave the folder', `DELETE ${SNAPSHOTS}/..%2Fdb`, 400, { skip: NEEDS_DATA_FOLDER }),
  scenario('an existing snapshot is not overwritten', `POST ${SNAPSHOTS}`, 409, {
    skip: NEEDS_DATA_FOLDER,
    given: saved,
    body: { name: 'before' },
    expectPart: { error: 'Snapshot exists' },
  }),
  scenario('unless it is forced', `POST ${SNAPSHOTS}`, 201, {
    skip: NEEDS_DATA_FOLDER,
    given: saved,
    body: { name: 'before', force: true },
  }),
  scenario('invalid requests are reported by field', `POST ${SNAPSHOTS}`, 400, {
    skip: NEEDS_DATA_FOLDER,
    body: { force: 'yes', nmae: 'x' },
    expect: {
      detail: {
        error: {
          force: ['force must be a boolean'],
          nmae: ["Field 'nmae' does not exist; did you mean 'name'?"],
          name: ['name is mandatory'],
        },
      },
    },
  }),
  scenario('an unknown snapshot is reported with the nearest name', `POST ${SNAPSHOTS}/befroe/load`, 404, {
    skip: NEEDS_DATA_FOLDER,
    given: saved,
    expectPart: { error: 'Snapshot not found', details: "There is no snapshot 'befroe'; did you mean 'before'?" },
  }),
])

test('a loaded snapshot replaces everything: records, ids, search and caches', { skip: NEEDS_DATA_FOLDER }, () =>
  withApp(async (app) => {
    const search = async () => (await play(app, { request: `GET ${TAGS}/search?q=lanterns`, status: 200 })).json.total
    await saved(app)
    const { json: made } = await addTag(app, 'lanterns')
    assert.deepEqual([await search(), await countTags(app)], [1, 13])
    const loaded = await play(app, { request: `POST ${SNAPSHOTS}/before/load`, status: 200 })
    assert.equal(loaded.json.data.name, 'before')
    assert.deepEqual([await search(), await countTags(app)], [0, 12])
    assert.equal((await addTag(app, 'again')).json.data.id, made.data.id)
  }),
)

test('a damaged copy is refused before anything is lost', { skip: NEEDS_DATA_FOLDER }, () =>
  withApp(async (app) => {
    await saved(app)
    const path = join(app.folder.path, 'data/snapshots/before.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"Lighthouse"', '3'))
    const former = app.app
    const { status, json } = await send(app, { request: `POST ${SNAPSHOTS}/before/load` })
    assert.deepEqual([status, json.error, json.status_code], [500, 'Data file is damaged', 500])
    assert.match(
      json.details,
      /^The snapshot 'before' cannot be loaded, and the data is unchanged\. In the data folder, snapshots\/before\.json was edited/,
    )
    assert.match(json.details, /^tables\..* must be a string \(id \d+, line \d+\)$/m)
    assert.match(json.details, /Correct it by hand, or restore it from a backup\./)
    assert.ok(!json.details.includes(app.folder.path), 'where the data folder is, no client is told')
    assert.equal(app.reported.splice(0).length, 1, 'the log has it, too')
    assert.equal(app.app, former)
    assert.equal(await countTags(app), 12)
  }),
)

for (const [what, damage, words] of [
  [
    'a copy that was cut off',
    (text: string) => text.slice(0, text.length / 2),
    /snapshots\/before\.json cannot be read: line \d+/,
  ],
  ['a copy without anything in it', () => '', /snapshots\/before\.json cannot be read: it is empty\. Restore it from a backup/],
] as const) {
  test(`${what} is reported with its remedy`, { skip: NEEDS_DATA_FOLDER }, () =>
    withApp(async (app) => {
      await saved(app)
      const path = join(app.folder.path, 'data/snapshots/before.json')
      await writeFile(path, damage(await readFile(path, 'utf8')))
      const { status, json } = await send(app, { request: `POST ${SNAPSHOTS}/before/load` })
      assert.deepEqual([status, json.error], [500, 'Data file is damaged'])
      assert.match(json.details, words)
      app.reported.splice(0)
      assert.equal(await countTags(app), 12)
    }),
  )
}

test('a copy that is no file is named, too', { skip: NEEDS_DATA_FOLDER }, () =>
  withApp(async (app) => {
    await mkdir(join(app.folder.path, 'data/snapshots/before.json'), { recursive: true })
    const { status, json } = await send(app, { request: `POST ${SNAPSHOTS}/before/load` })
    assert.equal(status, 500)
    assert.match(json.details, /snapshots\/before\.json cannot be read: EISDIR.*; it must be a readable file$/)
    app.reported.splice(0)
  }),
)

test('a snapshot that cannot be written to disk leaves the data unchanged, and is reported', { skip: NEEDS_DATA_FOLDER }, () =>
  withApp(async (app) => {
    await saved(app)
    // In the place of the file that it is copied into.
    await mkdir(join(app.folder.path, 'data/snapshots/loading'))
    const { status, json } = await send(app, { request: `POST ${SNAPSHOTS}/before/load` })
    assert.deepEqual([status, json.error], [503, 'Storage unavailable'])
    assert.match(json.details, /^The data could not be replaced \(E\w+\); /)
    assert.equal(app.reported.splice(0).length, 1, 'why is in the log')
    await addTag(app, 'lanterns')
    assert.equal(await countTags(app), 13)
  }),
)

appTest('invalid seed records are reported by line, and nothing is removed', async (app) => {
  await writeFile(join(app.folder.path, 'seed/tag.yaml'), '- { name: x, slug: 3 }\n')
  const { status, json } = await send(app, { request: RESET, body: { seed_data: true } })
  assert.deepEqual([status, json.error], [500, 'Invalid configuration'])
  assert.match(json.details, /^seed\/tag\.yaml:1:\d+: .*slug/m)
  assert.equal(app.reported.splice(0).length, 1, 'the log has it, too')
  assert.equal(await countTags(app), 12)
})

test('a snapshot taken during writes contains one moment', { skip: NEEDS_DATA_FOLDER }, () =>
  withApp(async (app) => {
    const writes = Array.from({ length: 60 }, (_, index) => addTag(app, `tag-${index}`))
    const copies = ['a', 'b'].map((name) => play(app, { request: `POST ${SNAPSHOTS}`, body: { name }, status: 201 }))
    await Promise.all([...writes, ...copies])
    const folder = join(app.folder.path, 'data/snapshots')
    assert.deepEqual(await readdir(folder), ['a.json', 'b.json'])
    for (const name of await readdir(folder)) {
      const { tables } = JSON.parse(await readFile(join(folder, name), 'utf8')) as {
        tables: { tag: { records: { id: number }[] } }
      }
      const ids = tables.tag.records.map(({ id }) => id)
      assert.deepEqual(
        ids,
        ids.map((_, index) => index + 1),
        'every record up to one of them',
      )
    }
    assert.equal(await countTags(app), 72)
  }),
)

appTest('a reset keeps accounts with their sessions, and counts what it removes', async (app) => {
  const { access_token: token } = await login(app)
  await play(app, { request: 'POST /api/v1/webhooks', body: { url: 'http://127.0.0.1:9/' }, status: 201 })
  const removed = { category: 8, fee: 3, tag: 12, post: 46, comment: 100 }
  const planned = await play(app, { request: RESET, body: { dry_run: true }, status: 200 })
  assert.deepEqual(planned.json, { message: 'Nothing was removed', removed, webhooks: 1, history: 0, seeded: 0 })
  assert.equal(await countTags(app), 12)
  const { json } = await play(app, { request: RESET, status: 200 })
  assert.deepEqual(json, { message: 'Every record was removed except accounts', removed, webhooks: 1, history: 0, seeded: 0 })
  const counts = [...(await app.app.store.status()).records].filter(([, count]) => count > 0)
  assert.deepEqual(Object.fromEntries(counts), { user: 9, group: 5, permission: 36, authsession: 1, accountevent: 1 })
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await send(app, { request: `GET ${TAGS}`, as: null, headers })).status, 200)
  assert.equal((await addTag(app, 'lanterns')).json.data.id, 1)
  await using reopened = await app.reopen()
  assert.deepEqual([await countTags(reopened), (await reopened.app.store.status()).records.get('user')], [1, 9])
})

appTest('a reset with seed records keeps a changed account, and creates no account again', async (app) => {
  await play(app, { request: 'PUT /api/v1/models/user/2', body: { data: { first_name: 'Kept' } }, status: 200 })
  await play(app, { request: 'DELETE /api/v1/models/user/9', status: 200 })
  await addTag(app, 'lanterns')
  const { json } = await play(app, { request: RESET, body: { seed_data: true }, status: 200 })
  assert.equal(json.seeded, 169)
  assert.equal(await countTags(app), 12)
  assert.equal((await play(app, { request: 'GET /api/v1/models/user/2', status: 200 })).json.data.first_name, 'Kept')
  await play(app, { request: 'GET /api/v1/models/user/9', status: 404 })
})

appTest('a reset with seed records takes the seed files as they are now', async (app) => {
  const seeds = join(app.folder.path, 'seed')
  await rm(join(seeds, 'comment.ndjson'))
  await writeFile(join(seeds, 'tag.yaml'), '- { name: Only, slug: only }\n')
  await rm(join(seeds, 'post.json'))
  const { json } = await play(app, { request: RESET, body: { seed_data: true }, status: 200 })
  assert.deepEqual([json.removed.comment, json.removed.post], [100, 46])
  assert.deepEqual([(await app.app.store.status()).records.get('comment') ?? 0, await countTags(app)], [0, 1])
  await writeFile(join(seeds, 'tags.yaml'), '- { name: Only, slug: only }\n')
  const refused = await send(app, { request: RESET, body: { seed_data: true } })
  assert.equal(refused.status, 500)
  assert.match(refused.json.details, /^seed\/tags\.yaml:1:1: There is no model 'tags' to seed; did you mean 'tag'\?/)
  assert.equal(app.reported.splice(0).length, 1)
  assert.equal(await countTags(app), 1)
})

appTest('a reset is refused if a seed record refers to an account that was deleted', async (app) => {
  const seed = join(app.folder.path, 'seed/post.json')
  await writeFile(seed, (await readFile(seed, 'utf8')).replace(/"author_id": \d+/, '"author_id": 99'))
  const { status, json } = await send(app, { request: RESET, body: { seed_data: true } })
  assert.deepEqual([status, json.error], [500, 'Invalid configuration'])
  assert.match(json.details, /^seed\/post\.json:\d+:\d+: author_id references a non-existent record/m)
  assert.equal(app.reported.splice(0).length, 1)
  assert.equal(await countTags(app), 12)
})

test('a reset is refused if an account refers to a record that it removes', async () => {
  await using app = await openTestApp({
    files: {
      'models/team.yaml': 'name: Team\nfields:\n  - { name: name, type: string, required: true }\n',
      'models/group.yaml': [
        'name: Group',
        'timestamps: true',
        'fields:',
        '  - { name: name, type: string, required: true, unique: true }',
        '  - { name: description, type: text }',
        '  - { name: permissions, type: many_to_many, model: permission }',
        '  - { name: team_id, type: foreignkey, model: team }',
        '',
      ].join('\n'),
      'seed/team.yaml': '- { name: Harbour }\n- { name: Quay }\n',
      'seed/group.yaml': '- { name: editors, team_id: 2 }\n',
    },
  })
  const post = (body: object) =>
    app.server.inject({
      method: 'POST',
      url: '/api/v1/reset',
      payload: body,
      auth: { strategy: 'bearer', credentials: { app: { actor: SHELL } } },
    })
  const words = "'team_id' of group 1 refers to team 2, which the reset removes"
  const refused = await app.app.rehearse({ data: { kind: 'reset', seeds: false, accounts: false } }).catch((error) => error)
  assert.ok(refused.message.startsWith(words), refused.message)
  await app.app.rehearse({ data: { kind: 'reset', seeds: true, accounts: false } })
  assert.match((await post({ dry_run: true })).payload, /refers to team 2/)
})

appTest('a reset with accounts leaves no record, session or webhook; tokens of removed users fail', async (app) => {
  const { access_token: token } = await login(app)
  await play(app, { request: 'POST /api/v1/webhooks', body: { url: 'http://127.0.0.1:9/' }, status: 201 })
  const { json } = await play(app, { request: RESET, body: { accounts: true }, status: 200 })
  assert.equal(json.seeded, 0)
  const records = [...(await app.app.store.status()).records].filter(([, count]) => count > 0)
  assert.deepEqual(records, [
    ['group', 1],
    ['permission', 36],
  ])
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await send(app, { request: `GET ${TAGS}`, as: null, headers })).status, 401)
})

appTest('a reset with accounts and seed records restarts ids and accounts, and a token of the CLI works', async (app) => {
  const { access_token: token } = await login(app)
  await addTag(app, 'lanterns')
  const { json } = await play(app, { request: RESET, body: { seed_data: true, accounts: true }, status: 200 })
  assert.equal(json.seeded, 198)
  assert.equal(await countTags(app), 12)
  assert.equal((await addTag(app, 'lanterns')).json.data.id, 13)
  // The session is gone, though there is a user of that id again.
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await send(app, { request: `GET ${TAGS}`, as: null, headers })).status, 401)
  await login(app)
})

listeningTest('concurrent resets: one is rejected with Retry-After, or both run one after the other', {}, async (app) => {
  const reset = () =>
    fetch(`http://127.0.0.1:${app.port}/api/v1/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: app.authorization.slice('Authorization: '.length).trim() },
      body: '{"seed_data":true}',
    })
  const answers = await Promise.all([reset(), reset(), reset()])
  const statuses = answers.map(({ status }) => status).sort()
  assert.equal(statuses[0], 200)
  for (const answer of answers) {
    const text = await answer.text()
    assert.ok(answer.status === 200 || answer.status === 503, text)
    if (answer.status === 503) assert.equal(answer.headers.get('retry-after'), '1')
  }
  assert.equal(await countTags(app), 12)
})
