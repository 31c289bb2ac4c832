import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const USER = (name: string, more = ''): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024${more} }\n`

const FILES = {
  'models/note.yaml': `name: Note
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: slug, type: slug, unique: true }
  - { name: status, type: choice, choices: [draft, published], default: draft }
  - { name: points, type: integer }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
  - { name: topic_id, type: foreignkey, model: topic }
access:
  view: self.status == 'published' || self.owner_id == user.id || 'editors' in user.groups
  add: authenticated
  change: self.owner_id == user.id || 'editors' in user.groups
  delete: { group: editors }
`,
  'models/remark.yaml': `name: Remark
display_field: text
fields:
  - { name: text, type: string, required: true }
  - { name: note_id, type: foreignkey, model: note, required: true, on_delete: cascade }
access:
  view: public
  add: self.note.owner_id == user.id
`,
  // A model without access, for which permissions hold.
  'models/plain.yaml': 'name: Plain\nfields:\n  - { name: topic_id, type: foreignkey, model: topic }\n',
  'models/topic.yaml': 'name: Topic\nfields:\n  - { name: name, type: string }\naccess: { view: public }\n',
  'seed/topic.yaml': '- { name: all }\n',
  'seed/group.yaml': '- { id: 1, name: editors }\n',
  'seed/user.yaml': [USER('super', ', is_superuser: true'), USER('owner'), USER('other'), USER('editor', ', groups: [1]')].join(
    '',
  ),
  'seed/note.yaml': `- { title: open news, slug: open, status: published, points: 1, owner_id: 2, topic_id: 1 }
- { title: own draft, slug: own, status: draft, points: 10, owner_id: 2, topic_id: 1 }
- { title: hidden draft, slug: hidden, status: draft, points: 100, owner_id: 3, topic_id: 1 }
- { title: plain news, slug: plain, status: published, points: 1000, topic_id: 1 }
`,
  'seed/remark.yaml': `- { text: on open, note_id: 1 }
- { text: on own, note_id: 2 }
- { text: on hidden, note_id: 3 }
`,
  'seed/plain.yaml': '- { topic_id: 1 }\n',
}

/** The actors: no user, any user, the owner of notes 1 and 2, a member of the group, a superuser. */
const ACTORS = [null, 'other', 'owner', 'editor', 'super'] as const
type Actor = (typeof ACTORS)[number]

/** The notes that each may view. */
const VISIBLE: Readonly<Record<string, readonly number[]>> = {
  null: [1, 4],
  other: [1, 3, 4],
  owner: [1, 2, 4],
  editor: [1, 2, 3, 4],
  super: [1, 2, 3, 4],
}
const CHANGEABLE: typeof VISIBLE = { null: [], other: [3], owner: [1, 2], editor: [1, 2, 3, 4], super: [1, 2, 3, 4] }

const POINTS: Readonly<Record<number, number>> = { 1: 1, 2: 10, 3: 100, 4: 1000 }
const TITLES: Readonly<Record<number, string>> = { 1: 'open news', 2: 'own draft', 3: 'hidden draft', 4: 'plain news' }

const BASE = '/api/v1/models'

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ files: FILES })
  await work(app)
}

const appTest = testsOf(withApp)

const ask = (app: TestApp, as: Actor, request: string, body?: unknown): Promise<Reply> =>
  send(app, { request: request as `GET /${string}`, as, ...(body === undefined ? {} : { body }) })

const idsIn = (reply: Reply): number[] => reply.json.data.map(({ id }: { id: number }) => id)

describe('what each actor sees of models with access', () => {
  for (const as of ACTORS) {
    const seen = VISIBLE[String(as)] ?? []
    appTest(String(as), async (app) => {
      const get = (path: string) => ask(app, as, `GET ${BASE}/${path}`)
      const list = await get('note')
      assert.equal(list.status, 200)
      assert.deepEqual(idsIn(list), seen)
      assert.equal(list.json.total, seen.length)
      assert.deepEqual(idsIn(await get('note?page_size=1&page=2')), seen.slice(1, 2))
      const few = await get('note?filters=points__gte=10')
      assert.deepEqual(
        idsIn(few),
        seen.filter((id) => (POINTS[id] ?? 0) >= 10),
      )
      for (const id of [1, 2, 3, 4]) {
        const read = await get(`note/${id}`)
        assert.equal(read.status, seen.includes(id) ? 200 : 404, `note ${id}`)
        if (read.status === 404) assert.deepEqual(read.json.details, `Note with ID ${id} does not exist`)
      }
      const search = await get('note/search?q=draft')
      assert.deepEqual(
        idsIn(search).sort(),
        seen.filter((id) => TITLES[id]?.includes('draft')),
      )
      const exported = await get('note/export?format=ndjson&fields=id')
      assert.deepEqual(
        exported.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).id),
        seen,
      )
      const totals = await get('note/aggregate?count&sum=points')
      const sum = seen.reduce((total, id) => total + (POINTS[id] ?? 0), 0)
      assert.deepEqual(totals.json.data, [{ group: {}, count: seen.length, sum: { points: sum } }])
      // Relations to what is hidden: as an id only, and no match or order of its content.
      const remarks = await get('remark')
      assert.deepEqual(idsIn(remarks), [1, 2, 3])
      for (const { note_id: id, note } of remarks.json.data) {
        assert.deepEqual(Object.keys(note).length > 1, seen.includes(id), `note ${id} in its remark`)
        assert.equal(note.id, id)
      }
      const through = await get('remark?filters=note__title__icontains=draft')
      assert.deepEqual(
        idsIn(through),
        [2, 3].filter((id) => seen.includes(id)),
      )
      const sorted = await get('remark?sort_by=note.title&sort_order=desc')
      const shown = [2, 1, 3].filter((id) => seen.includes(id))
      const hidden = [1, 2, 3].filter((id) => !seen.includes(id))
      assert.deepEqual(idsIn(sorted), [...hidden, ...shown])
      const included = await get('remark?include=note__title&fields=id')
      for (const { id, note } of included.json.data) assert.equal('title' in note, seen.includes(id))
      // Records that refer to one are counted and included as far as they are seen.
      const topic = await get('topic/1?include=notes__title,notes__count')
      assert.deepEqual(topic.json.data.notes, { data: seen.map((id) => ({ id, title: TITLES[id] })), total: seen.length })
      assert.equal(topic.json.data.notes__count, seen.length)
      assert.equal((await get('topic?fields=plains__count')).status, as === 'super' ? 200 : as === null ? 401 : 403)
      // Models without access need permissions.
      assert.equal((await get('plain')).status, as === 'super' ? 200 : as === null ? 401 : 403)
      assert.equal((await get('unknown')).status, as === null ? 401 : 404)
      if (as !== null) {
        const me = await ask(app, as, 'GET /api/v1/auth/me')
        const expected = { view_note: true, add_note: true, change_note: true, delete_note: as === 'editor' || as === 'super' }
        for (const [name, holds] of Object.entries(expected)) assert.equal(me.json.permissions.includes(name), holds, name)
      }
    })
  }
})

describe('what each actor may write', () => {
  for (const as of ACTORS) {
    const [seen, changeable] = [VISIBLE[String(as)] ?? [], CHANGEABLE[String(as)] ?? []]
    const refusal = as === null ? 401 : 403
    appTest(String(as), async (app) => {
      const created = await ask(app, as, `POST ${BASE}/note`, { data: { title: 'new' } })
      assert.equal(created.status, as === null ? 401 : 201)
      const many = await ask(app, as, `POST ${BASE}/note/bulk`, { records: [{ title: 'a' }, { title: 'b' }] })
      assert.equal(many.status, as === null ? 401 : 201)
      for (const id of [1, 2, 3, 4]) {
        const expected = changeable.includes(id) ? 200 : as === null ? 401 : seen.includes(id) ? 403 : 400
        for (const [method, path, body] of [
          ['PUT', `note/${id}`, { data: { points: 7 } }],
          ['PATCH', `note/${id}`, { data: { points: 7 } }],
          ['PUT', 'note/bulk', { updates: [{ id, data: { points: 7 } }] }],
        ] as const) {
          const reply = await ask(app, as, `${method} ${BASE}/${path}`, body)
          assert.equal(reply.status, expected, `${method} ${path} ${reply.text}`)
        }
      }
      // A note may not be given away, unless its new state may be changed, too.
      if (as === 'owner') {
        const given = await ask(app, as, `PUT ${BASE}/note/2`, { data: { owner_id: 3 } })
        assert.equal(given.status, 403)
        const kept = await ask(app, 'super', `GET ${BASE}/note/2`)
        assert.equal(kept.json.data.owner_id, 2)
      }
      // A condition through a relation holds for the record as it would be.
      for (const id of [1, 2, 3, 4]) {
        const remark = await ask(app, as, `POST ${BASE}/remark`, { data: { text: 'x', note_id: id } })
        const isOwn = (as === 'owner' && id < 3) || (as === 'other' && id === 3) || as === 'super'
        assert.equal(remark.status, isOwn ? 201 : refusal, `remark on ${id}`)
      }
      // Imports: one row that may not be written refuses the file.
      const file = 'slug,title\nhidden,taken over\n'
      const imported = await send(app, {
        request: `POST ${BASE}/note/import?upsert_by=slug`,
        as,
        rawBody: file,
        headers: { 'content-type': 'text/csv' },
      })
      assert.equal(imported.status, changeable.includes(3) ? 200 : as === null ? 401 : 400, imported.text)
      if (imported.status === 400) assert.match(imported.text, /slug must be unique/)
      for (const id of [3, 4]) {
        const deletable = as === 'editor' || as === 'super'
        const removed = await ask(app, as, `DELETE ${BASE}/note/${id}`)
        assert.equal(removed.status, deletable ? 200 : refusal)
      }
    })
  }

  appTest('a record that its owner loses is gone from the next answer', async (app) => {
    assert.deepEqual(idsIn(await ask(app, 'owner', `GET ${BASE}/note`)), [1, 2, 4])
    const given = await ask(app, 'editor', `PUT ${BASE}/note/2`, { data: { owner_id: 3 } })
    assert.equal(given.status, 200)
    assert.deepEqual(idsIn(await ask(app, 'owner', `GET ${BASE}/note`)), [1, 4])
    assert.deepEqual(idsIn(await ask(app, 'other', `GET ${BASE}/note`)), [1, 2, 3, 4])
    assert.equal((await ask(app, 'owner', `GET ${BASE}/note/2`)).status, 404)
    assert.equal((await ask(app, 'owner', `GET ${BASE}/remark/2`)).json.data.note.title, undefined)
  })

  appTest('a member of a group that it leaves loses what the group may', async (app) => {
    assert.equal(idsIn(await ask(app, 'editor', `GET ${BASE}/note`)).length, 4)
    assert.equal((await ask(app, 'super', `PUT ${BASE}/user/4`, { data: { groups: [] } })).status, 200)
    assert.deepEqual(idsIn(await ask(app, 'editor', `GET ${BASE}/note`)), [1, 4])
    assert.equal((await ask(app, 'editor', `DELETE ${BASE}/note/1`)).status, 403)
  })

  test('without public access a request without a token learns nothing', async () => {
    await using app = await openTestApp({
      files: {
        ...FILES,
        'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
        'models/remark.yaml': 'name: Remark\nfields: []\naccess: { view: authenticated }\n',
        'seed/note.yaml': '[]',
        'seed/remark.yaml': '[]',
      },
    })
    for (const path of ['note', 'remark', 'unknown']) assert.equal((await ask(app, null, `GET ${BASE}/${path}`)).status, 401)
    assert.equal((await ask(app, 'other', `GET ${BASE}/remark`)).status, 200)
  })
})
