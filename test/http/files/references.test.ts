import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { filesIn } from '../../../src/model/files.ts'
import type { Json, JsonObject } from '../../../src/util/json.ts'
import type { TestApp } from '../../helpers/api/app.ts'
import { send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { ask, openArticles, places, upload } from './articles.ts'

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openArticles()
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const idsIn = (value: Json | undefined): readonly string[] => filesIn(withoutUrls(value)).map(({ id }) => id)

/** Answers may add an address to each file, which is not stored. */
const withoutUrls = (value: Json | undefined): Json =>
  JSON.parse(JSON.stringify(value ?? null, (key, each) => (key === 'url' ? undefined : each)))

/** Sends a create or an update that succeeds. @returns the record */
async function saved(app: TestApp, request: string, data: JsonObject, as = 'admin'): Promise<JsonObject> {
  const reply = await ask(app, request, { data }, as)
  assert.ok(reply.status === 200 || reply.status === 201, reply.text)
  return reply.json.data
}

/** Sends a create or an update that is refused. @returns the messages by field */
async function refused(app: TestApp, request: string, body: unknown, as = 'admin'): Promise<unknown> {
  const before = await places(app)
  const reply = await ask(app, request, body, as)
  assert.equal(reply.status, 400, reply.text)
  assert.deepEqual(await places(app), before)
  return reply.json.detail.error
}

const noUpload = (field: string, id: string) => `${field}: there is no upload '${id}'; uploads are kept for 24 hours`

describe('files in records', () => {
  appTest('an id becomes the whole file; what was read may be written back', async (app) => {
    const cover = await upload(app, { field: 'cover', name: 'harbour.png', size: 70_000 })
    const made = await saved(app, 'POST article', { title: 'One', cover })
    const file = { id: cover, name: 'harbour.png', type: 'image/png', size: 70_000, width: 1600, height: 900, alt: null }
    assert.deepEqual(withoutUrls(made.cover), {
      ...file,
      sha256: (made.cover as JsonObject).sha256,
      uploaded_at: '2026-01-15T12:00:00.000Z',
    })
    assert.deepEqual(await places(app), ['cover 1'])
    const again = await saved(app, 'PUT article/1', { cover: made.cover ?? null })
    assert.deepEqual([again.cover, again.updated_at], [made.cover, made.updated_at])
    const read = (await ask(app, 'GET article/1')).json.data
    assert.deepEqual(read.cover, made.cover)
  })

  appTest('an object sets the name and the alternative text; its other members are ignored', async (app) => {
    const cover = await upload(app, { field: 'cover' })
    const forged = { id: cover, name: '../../x\u0007.png', alt: ' A\u0007harbour ', sha256: 'b'.repeat(64), size: 1, extra: true }
    const made = await saved(app, 'POST article', { title: 'One', cover: forged })
    const { name, alt, sha256, size } = made.cover as JsonObject
    assert.deepEqual([name, alt], ['x.png', 'A harbour'])
    assert.notEqual(sha256, forged.sha256)
    assert.ok(Number(size) > 1)
    const renamed = await saved(app, 'PUT article/1', { cover: { id: cover, name: 'y.png' } })
    assert.deepEqual([(renamed.cover as JsonObject).name, (renamed.cover as JsonObject).alt], ['y.png', 'A harbour'])
    const emptied = await saved(app, 'PUT article/1', { cover: { id: cover, alt: '' } })
    assert.deepEqual([(emptied.cover as JsonObject).name, (emptied.cover as JsonObject).alt], ['y.png', null])
    assert.deepEqual(await places(app), ['cover 1'])
  })

  appTest('an array replaces all files, in its order; null removes them', async (app) => {
    const [a, b, c] = [await upload(app), await upload(app), await upload(app)]
    const made = await saved(app, 'POST article', { title: 'One', gallery: [a, b] })
    assert.deepEqual(idsIn(made.gallery), [a, b])
    const changed = await saved(app, 'PUT article/1', { gallery: [c, { id: b, alt: 'b' }] })
    assert.deepEqual(idsIn(changed.gallery), [c, b])
    assert.deepEqual(await places(app), ['gallery 1!', 'gallery 1', 'gallery 1'])
    assert.deepEqual(idsIn((await saved(app, 'PUT article/1', { gallery: [a] })).gallery), [a])
    assert.deepEqual((await saved(app, 'PUT article/1', { gallery: null })).gallery, [])
    assert.deepEqual(await places(app), ['gallery 1!', 'gallery 1!', 'gallery 1!'])
  })

  appTest('a dry run finds what a write would, and attaches nothing', async (app) => {
    const cover = await upload(app, { field: 'cover' })
    const dry = await ask(app, 'POST article?dry_run=true', { data: { title: 'One', cover } })
    assert.equal(dry.status, 200, dry.text)
    assert.deepEqual(await places(app), ['cover pending'])
  })

  appTest('bulk operations, by ids and by filters', async (app) => {
    const [a, b, c] = [await upload(app), await upload(app), await upload(app)]
    const records = [
      { title: 'One', gallery: [a] },
      { title: 'Two', gallery: [b] },
    ]
    assert.equal((await ask(app, 'POST article/bulk', { records })).status, 201)
    const twice = await refused(app, 'POST article/bulk', {
      records: [
        { title: 'x', gallery: [c] },
        { title: 'y', gallery: [c] },
      ],
    })
    assert.deepEqual(twice, { '1.gallery': [noUpload('gallery', c)] })
    const others = await refused(app, 'PUT article/bulk', { updates: [{ id: 2, data: { gallery: [a] } }] })
    assert.deepEqual(others, { '0.gallery': [noUpload('gallery', a)] })
    const all = { filters: ['id__gt=0'], expected_total: 2 }
    const shared = await refused(app, 'PUT article/bulk', { ...all, data: { gallery: [c] } })
    assert.deepEqual(shared, { '2.gallery': [noUpload('gallery', c)] })
    assert.equal((await ask(app, 'PUT article/bulk', { ...all, data: { gallery: [] } })).status, 200)
    assert.deepEqual(await places(app), ['gallery 1!', 'gallery 2!', 'gallery pending'])
    await ask(app, 'PUT article/1', { data: { gallery: [a] } })
    assert.equal((await ask(app, 'DELETE article/bulk', { ids: [1, 2] })).status, 200)
    assert.deepEqual(await places(app), ['gallery 1!', 'gallery 2!', 'gallery pending'])
  })

  appTest('a batch attaches, moves and releases files, all or none', async (app) => {
    const cover = await upload(app, { field: 'cover' })
    const file = await upload(app, { model: 'note', field: 'file', type: 'text/plain' })
    const article = { method: 'create', model: 'article', ref: 'article', data: { title: 'One', cover } }
    const note = (data: JsonObject) => ({
      method: 'create',
      model: 'note',
      data: { text: 'n', article_id: { $ref: 'article' }, ...data },
    })
    const batch = (operations: readonly unknown[]) =>
      send(app, { request: 'POST /api/v1/batch', as: 'admin', body: { operations } })
    const twice = await batch([article, note({ file }), note({ file })])
    assert.deepEqual(twice.json.detail?.error, { '2.file': [noUpload('file', file)] }, twice.text)
    assert.deepEqual(await places(app), ['cover pending', 'file pending'])
    const other = await batch([article, note({ file: cover })])
    assert.deepEqual(other.json.detail?.error, { '1.file': [noUpload('file', cover)] }, other.text)
    const made = await batch([article, note({ file })])
    assert.equal(made.status, 200, made.text)
    // Refused batches leave gaps in the ids.
    const [{ id }, { id: noteId }] = made.json.data
    assert.deepEqual(await places(app), [`cover ${id}`, `file ${noteId}`])
    const emptied = await batch([
      { method: 'update', model: 'note', id: noteId, data: { file: null } },
      { method: 'delete', model: 'article', id },
    ])
    assert.equal(emptied.status, 400, emptied.text)
    const released = await batch([{ method: 'delete', model: 'article', id }])
    assert.equal(released.status, 200, released.text)
    assert.deepEqual(await places(app), [`cover ${id}!`, `file ${noteId}!`])
  })

  appTest('a deletion and its cascade release the files', async (app) => {
    await saved(app, 'POST article', { title: 'One', cover: await upload(app, { field: 'cover' }) })
    const file = await upload(app, { model: 'note', field: 'file', type: 'text/plain' })
    await saved(app, 'POST note', { text: 'n', file, article_id: 1 })
    app.advance(1000)
    assert.equal((await ask(app, 'DELETE article/1')).status, 200)
    assert.deepEqual(await places(app), ['cover 1!', 'file 1!'])
    const [row] = await app.app.store.get('storedfile', [2])
    assert.equal(row?.released_at, '2026-01-15T12:00:01.000Z')
  })
})

/** What is refused, and the messages. */
const FAULTS: readonly (readonly [
  what: string,
  values: JsonObject,
  data: (id: string) => JsonObject,
  error: (id: string) => unknown,
])[] = [
  [
    'a type',
    { type: 'image/heic' },
    (id) => ({ gallery: [id] }),
    () => ({ gallery: ['gallery must be a JPEG, PNG, WebP, GIF or AVIF image, not HEIC'] }),
  ],
  [
    'a size',
    { field: 'cover', size: 9_000_000 },
    (cover) => ({ cover }),
    () => ({ cover: ['cover must not be larger than 8 MiB'] }),
  ],
  [
    'the size of the setting',
    { size: 20_000_000 },
    (id) => ({ gallery: [id] }),
    () => ({ gallery: ['gallery must not be larger than 10 MiB'] }),
  ],
  [
    'a width',
    { field: 'cover', width: 1199 },
    (cover) => ({ cover }),
    () => ({ cover: ['cover must be at least 1200 pixels wide'] }),
  ],
  [
    'a type of another field',
    { field: 'manual' },
    (manual) => ({ manual }),
    () => ({ manual: ['manual must be of type application/pdf, not image/png'] }),
  ],
  ['a number', {}, (id) => ({ gallery: [id, id, id, id] }), () => ({ gallery: ['gallery must have at most 3 files'] })],
  ['a repetition', {}, (id) => ({ gallery: [id, { id }] }), () => ({ gallery: ['gallery must not have the same file twice'] })],
  ['one for many', {}, (id) => ({ gallery: id }), () => ({ gallery: ['gallery must be an array of ids of uploads'] })],
  ['many for one', { field: 'cover' }, (id) => ({ cover: [id] }), () => ({ cover: ['cover must be the id of an upload'] })],
  [
    'no id',
    {},
    () => ({ cover: 7, gallery: [{ name: 'x' }] }),
    () => ({ cover: ['cover must be the id of an upload'], gallery: ['gallery must be the id of an upload'] }),
  ],
  [
    'a long alternative text',
    {},
    (id) => ({ gallery: [{ id, alt: 'a'.repeat(1001) }] }),
    () => ({ gallery: ['gallery must have an alternative text of at most 1000 characters'] }),
  ],
  ['an unknown id', {}, () => ({ cover: 'x' }), () => ({ cover: [noUpload('cover', 'x')] })],
  [
    'an id of 10,000 characters',
    {},
    () => ({ cover: 'x'.repeat(10_000) }),
    () => ({ cover: [noUpload('cover', `${'x'.repeat(60)}…`)] }),
  ],
]

describe('limits of files in records', () => {
  for (const [what, values, data, error] of FAULTS) {
    appTest(what, async (app) => {
      const id = await upload(app, values)
      const sent = { title: 'One', ...data(id) }
      assert.deepEqual(await refused(app, 'POST article', { data: sent }), error(id))
      await saved(app, 'POST article', { title: 'Stored' })
      assert.deepEqual(await refused(app, 'PUT article/1', { data: sent }), error(id))
    })
  }
})

describe('ids that a user may not use have one message', () => {
  appTest('of another user, field, model or record, of a hidden record, released or guessed; and a known hash', async (app) => {
    const user = { user_id: 2 }
    const [mine, taken, own] = [await upload(app, user), await upload(app, user), await upload(app, user)]
    await saved(app, 'POST article', { title: 'Own', gallery: [own] }, 'ann')
    await saved(app, 'POST article', { title: 'Other', gallery: [taken] }, 'ann')
    const secret = await upload(app)
    await saved(app, 'POST article', { title: 'Hidden', hidden: true, gallery: [secret] })
    const gone = await upload(app, user)
    await saved(app, 'PUT article/2', { gallery: [gone] }, 'ann')
    await saved(app, 'PUT article/2', { gallery: [] }, 'ann')
    const file = (await ask(app, 'GET article/1')).json.data.gallery[0]
    const refusedIds = [
      await upload(app, { user_id: 3 }),
      await upload(app, { user_id: null }),
      await upload(app, { ...user, field: 'cover' }),
      await upload(app, { ...user, model: 'note' }),
      await upload(app, { ...user, at: '2026-01-14T12:00:00.000Z' }),
      await upload(app, { ...user, released_at: '2026-01-15T12:00:00.000Z' }),
      taken,
      gone,
      secret,
      mine.replace('token', 'guess'),
      file.sha256,
    ]
    for (const id of refusedIds) {
      const shown = id.length > 60 ? `${id.slice(0, 60)}…` : id
      const expected = { gallery: [noUpload('gallery', shown)] }
      for (const gallery of [[id], [own, { id }], [{ ...file, id }]]) {
        assert.deepEqual(await refused(app, 'PUT article/1', { data: { gallery } }, 'ann'), expected, id)
        assert.deepEqual(
          await refused(app, 'POST article', { data: { title: 'x', gallery: gallery.filter((each) => each !== own) } }, 'ann'),
          expected,
          id,
        )
      }
    }
    // The one that is the user's own is taken.
    assert.equal((await saved(app, 'PUT article/1', { gallery: [own, mine] }, 'ann')).id, 1)
  })
})
