import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApp } from '../../src/app.ts'
import { SHELL } from '../../src/auth/permissions.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import { ADMIN_SEED, NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../helpers/api/scenario.ts'
import { ROOT } from '../helpers/fixture.ts'
import { testsOf } from '../helpers/tests-of.ts'
import { permit } from '../security/access.ts'

const SITE = '/admin/api/v1/site'

const withBlog = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp()
  await work(app)
}

const blogTest = testsOf(withBlog)

const get = (path: string, as: string | null = 'admin', status = 200): Scenario =>
  scenario(path, `GET ${path}` as 'GET /', status, { as })

describe('the site', () => {
  blogTest('describes the models that a superuser may access', async (app) => {
    const { json } = await play(app, get(SITE))
    assert.equal(json.api_root, '/api/v1')
    assert.deepEqual(json.user, { id: 1, username: 'admin', is_superuser: true, groups: [] })
    assert.deepEqual(json.limits.page_size, 100)
    const post = json.models.find(({ key }: { key: string }) => key === 'post')
    assert.deepEqual(post.can, ['view', 'add', 'change', 'delete'])
    assert.equal(post.count, (await send(app, { request: 'GET /api/v1/models/post' })).json.total)
    const author = post.fields.find(({ name }: { name: string }) => name === 'author_id')
    assert.equal(author.relation.model, 'user')
    const status = post.fields.find(({ name }: { name: string }) => name === 'status')
    assert.ok(status.choices.some(({ value }: { value: string }) => value === 'draft'))
    const helpOf = (name: string) => post.fields.find((field: { name: string }) => field.name === name).help_text
    assert.deepEqual([helpOf('slug'), helpOf('title')], ['The last part of the address', null])
    assert.ok(post.referenced_by.some(({ model, field }: Record<string, string>) => model === 'comment' && field === 'post_id'))
    const user = json.models.find(({ key }: { key: string }) => key === 'user')
    assert.ok(user.fields.every(({ name }: { name: string }) => name !== 'password'))
  })

  test('has the title, colour and logo of the settings, and the groups and icons of models', async () => {
    const ui = { title: 'The Journal', accent: '#0f766e', logo: '/logo.svg' }
    await using app = await openTestApp({ settings: { ui } })
    const { json } = await play(app, get(SITE))
    assert.deepEqual([json.title, json.accent, json.logo], ['The Journal', '#0f766e', '/logo.svg'])
    const post = json.models.find(({ key }: { key: string }) => key === 'post')
    assert.deepEqual([post.group, post.icon], ['Journal', 'newspaper'])
    const group = json.models.find(({ key }: { key: string }) => key === 'group')
    assert.deepEqual([group.group, group.icon, group.history], [null, 'users-round', true])
  })

  test('tells what fields of files accept', async () => {
    const fields = [
      '{ name: title, type: string }',
      '{ name: cover, type: image, max_size: 8 MiB, min_width: 1200, thumbnails: { card: 640x360, wide: 900x } }',
      '{ name: manuals, type: file, multiple: true, accept: [application/pdf] }',
    ]
    const note = `name: Note\nfields:\n${fields.map((field) => `  - ${field}\n`).join('')}`
    await using app = await openTestApp({
      files: { 'models/note.yaml': note, ...ADMIN_SEED },
      settings: { max_upload_bytes: 5000, files: { max_size: '4 MiB' } },
    })
    const { json } = await play(app, get(SITE))
    const model = json.models.find(({ key }: { key: string }) => key === 'note')
    assert.equal(json.capabilities.files, true)
    assert.deepEqual(
      model.fields.flatMap((field: Record<string, unknown>) => ('file' in field ? [[field.name, field.file]] : [])),
      [
        [
          'cover',
          {
            multiple: false,
            max_files: 1,
            max_size: 4 * 2 ** 20,
            accept: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
            thumbnails: {
              preview: { width: 256, height: 256, fit: 'inside' },
              card: { width: 640, height: 360, fit: 'cover' },
              wide: { width: 900, height: null, fit: 'cover' },
            },
            min_width: 1200,
            min_height: null,
          },
        ],
        [
          'manuals',
          {
            ...{ multiple: true, max_files: 20, max_size: 5000, accept: ['application/pdf'] },
            ...{ thumbnails: {}, min_width: null, min_height: null },
          },
        ],
      ],
    )
  })

  test('names the defaults of fields that requests may set, and no secret', async () => {
    const fields = [
      '{ name: day, type: date, default: today }',
      '{ name: at, type: datetime, default: now }',
      '{ name: size, type: integer, default: 3 }',
      '{ name: key, type: uuid }',
      '{ name: owner_id, type: foreignkey, model: user, default: { user: id } }',
      '{ name: text, type: string }',
    ]
    const note = `name: Note\ntimestamps: true\nfields:\n${fields.map((field) => `  - ${field}\n`).join('')}`
    await using app = await openTestApp({ files: { 'models/note.yaml': note, ...ADMIN_SEED } })
    const { json } = await play(app, get(SITE))
    const model = json.models.find(({ key }: { key: string }) => key === 'note')
    const named = model.fields.flatMap((field: Record<string, unknown>) =>
      'default' in field ? [[field.name, field.default]] : [],
    )
    assert.deepEqual(named, [
      ['day', 'today'],
      ['at', 'now'],
      ['size', 3],
      ['owner_id', { user: 'id' }],
    ])
  })

  test('says which models have a history', async () => {
    const files = {
      'admin.config.yaml': 'history: { days: 1 }\n',
      'models/note.yaml': 'name: Note\nhistory: false\nfields:\n  - { name: text, type: string }\n',
      ...ADMIN_SEED,
    }
    await using app = await openTestApp({ files })
    const { json } = await play(app, get(SITE))
    const on = json.models.filter(({ history }: { history: boolean }) => history).map(({ key }: { key: string }) => key)
    assert.deepEqual([json.capabilities.history, on], [true, ['user', 'group', 'permission']])
  })

  test('offers snapshots to superusers, of data in files', { skip: NEEDS_DATA_FOLDER }, async () => {
    await withBlog(async (app) => {
      assert.equal((await play(app, get(SITE))).json.capabilities.snapshots, true)
      assert.equal((await play(app, get(SITE, 'm.keller'))).json.capabilities.snapshots, false)
    })
    const project = await loadProject({ folder: join(ROOT, 'fixtures/minimal'), env: {}, flags: {} })
    const app = await openApp(project, 'ephemeral', { tokenCodec: jwtCodec })
    try {
      const { capabilities } = JSON.parse((await app.site.describe(SHELL)).text)
      assert.deepEqual([capabilities.snapshots, capabilities.webhooks], [false, true])
    } finally {
      await app.close()
    }
  })

  blogTest('leaves out what a user may not access', async (app) => {
    const users = (await send(app, { request: 'GET /api/v1/models/user?filters=is_active=true&page_size=100' })).json.data
    for (const { username, is_superuser: isSuperuser } of users) {
      const { json } = await play(app, get(SITE, username))
      assert.equal(json.capabilities.webhooks, isSuperuser)
      const { permissions } = (await send(app, { request: 'GET /api/v1/auth/me', as: username })).json
      for (const { key, can, count } of json.models) {
        assert.ok(can.length > 0)
        for (const action of can) assert.ok(permissions.includes(`${action}_${key}`), `${username} ${action}_${key}`)
        assert.equal(count !== undefined, can.includes('view'))
      }
      assert.equal(json.models.flatMap(({ can }: { can: string[] }) => can).length, new Set(permissions).size)
    }
  })

  blogTest('has no count of a model that the user may add to and not view', async (app) => {
    await permit(app, 3, 'add_tag')
    const { json } = await play(app, get(SITE, 'anna.lind'))
    const tag = json.models.find(({ key }: { key: string }) => key === 'tag')
    assert.deepEqual([tag.can, 'count' in tag], [['add'], false])
  })

  blogTest('is answered 304 to a client that has it, until a count changes', async (app) => {
    const { headers } = await play(app, get(SITE))
    const again = { ...get(SITE), headers: { 'if-none-match': String(headers.etag) } }
    await play(app, { ...again, status: 304 })
    await send(app, { request: 'POST /api/v1/models/tag', body: { data: { name: 'Reef', slug: 'reef' } } })
    await play(app, again)
  })
})

scenarios('the site needs a token', [
  { ...get(SITE, null, 401), name: 'site' },
  { ...get('/api/v1/search?q=x', null, 401), name: 'search' },
  { ...get('/admin/api/v1/lint', null, 401), name: 'lint' },
  { ...get('/api/v1/events', null, 401), name: 'events' },
])

describe('a search over all models', () => {
  blogTest('returns the best hits of every model that the user may view', async (app) => {
    const { json } = await play(app, get('/api/v1/search?q=harbour&limit=50'))
    assert.ok(json.total > 3)
    assert.ok(new Set(json.data.map(({ model }: { model: string }) => model)).size > 1)
    const scores = json.data.map(({ score }: { score: number }) => score)
    assert.deepEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a),
    )
    for (const { model, id, label } of json.data.slice(0, 3)) {
      const { data } = (await send(app, { request: `GET /api/v1/models/${model}/${id}` })).json
      assert.ok(Object.values(data).includes(label))
    }
    const one = await play(app, get('/api/v1/search?q=harbour&models=tag,category&limit=1'))
    assert.ok(one.json.data.length <= 1)
    await play(app, get('/api/v1/search?q=harbour&models=tagg', 'admin', 404))
    await play(app, get('/api/v1/search?limit=51', 'admin', 400))
    const users = (
      await send(app, { request: 'GET /api/v1/models/user?filters=is_superuser=false&filters=is_active=true&page_size=100' })
    ).json.data
    for (const { username } of users) {
      const may = (await send(app, { request: 'GET /api/v1/auth/me', as: username })).json.permissions
      const found = await play(app, get('/api/v1/search?q=harbour', username))
      for (const { model } of found.json.data) assert.ok(may.includes(`view_${model}`), `${username} ${model}`)
    }
  })

  blogTest('of one model takes include, as lists do', async (app) => {
    const { json } = await play(app, get('/api/v1/models/comment/search?q=harbour&include=post__title&page_size=1'))
    assert.deepEqual(Object.keys(json.data[0].post), ['id', 'title'])
    await play(app, get('/api/v1/models/comment/search?q=harbour&include=pots__title', 'admin', 400))
  })
})

describe('generated views', () => {
  const FILES = {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string, required: true }\n',
    'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string }\n',
    'views/tag.yaml': '- { name: TagForm, view_type: form, model: Tag, fields: [{ name: name, required: false }] }\n',
  }

  test('are added where a model has no form or list, if asked for', async () => {
    await using app = await openTestApp({ files: FILES })
    const views = '/admin/api/v1/views'
    const plain = await play(app, get(`${views}/`, null))
    assert.deepEqual(Object.keys(plain.json.data), ['tag'])
    const all = (await play(app, get(`${views}/?generated=true`, null))).json.data
    const kinds = (list: Record<string, unknown>[]) =>
      list.map(({ view_type: type, generated }) => `${type} ${generated === true}`)
    assert.deepEqual(kinds(all.tag), ['form false', 'list true'])
    assert.deepEqual(kinds(all.note), ['form true', 'list true'])
    assert.ok(kinds(all.user).includes('form true'))
    assert.deepEqual((await play(app, get(`${views}/note?generated=true`, null))).json.data, all.note)
    await play(app, get(`${views}/?generate=true`, null, 400))
  })
})

blogTest('the findings of lint are for superusers', async (app) => {
  const { json } = await play(app, get('/admin/api/v1/lint'))
  assert.deepEqual(json.summary.errors, 0)
  const users = (await send(app, { request: 'GET /api/v1/models/user?filters=is_superuser=false&filters=is_active=true' })).json
    .data
  await play(app, get('/admin/api/v1/lint', users[0].username, 403))
})
