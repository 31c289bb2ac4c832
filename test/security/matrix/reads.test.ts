import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import type { Reply } from '../../helpers/api/scenario.ts'
import { EventReader } from '../../http/events/event-reader.ts'
import { ACTORS, type Actor, ask, MODELS, NOTES, notesTest, POINTS, type Rights, rightsOf } from './notes.ts'

type Get = (path: string) => Promise<Reply>

const idsOf = (data: readonly { id: number }[]): number[] => data.map(({ id }) => id)
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** What each endpoint shows of the notes, held against those that the actor may view. */
const READS: Readonly<Record<string, (get: Get, rights: Rights, as: Actor) => Promise<void>>> = {
  async 'GET /models/note: list, total, pages'(get, { seen }) {
    const { json } = await get('models/note')
    assert.deepEqual([idsOf(json.data), json.total, json.total_pages], [seen, seen.length, 1])
    for (const [place, id] of seen.entries()) {
      const page = (await get(`models/note?page_size=1&page=${place + 1}`)).json
      assert.deepEqual([idsOf(page.data), page.total, page.has_next], [[id], seen.length, place + 1 < seen.length])
    }
  },
  async 'GET /models/note: filters, groups of filters, sort'(get, { seen }) {
    const some = async (query: string) => idsOf((await get(`models/note?${query}`)).json.data)
    assert.deepEqual(
      await some('filters=points__gte=10'),
      seen.filter((id) => POINTS[id] >= 10),
    )
    assert.deepEqual(
      await some('any=slug=own|slug=hidden'),
      seen.filter((id) => id === 2 || id === 3),
    )
    assert.deepEqual(
      await some('filters=id__in=2,3'),
      seen.filter((id) => id === 2 || id === 3),
    )
    assert.deepEqual(
      await some('filters=status=draft&filters=topic__name=all'),
      seen.filter((id) => id === 2 || id === 3),
    )
    assert.deepEqual(await some('sort_by=points&sort_order=desc'), seen.toReversed())
  },
  async 'GET /models/note/{record_id}'(get, { seen }) {
    for (const id of NOTES) {
      const { status, json, headers } = await get(`models/note/${id}`)
      assert.equal(status, seen.includes(id) ? 200 : 404, String(id))
      assert.equal(headers.etag === undefined, status === 404)
      if (status === 404) assert.equal(json.details, `Note with ID ${id} does not exist`)
    }
  },
  async 'GET /models/note/{record_id}/history'(get, { seen }) {
    for (const id of NOTES) assert.equal((await get(`models/note/${id}/history`)).status, seen.includes(id) ? 200 : 404)
  },
  async 'GET /models/note/search'(get, { seen }) {
    const { json } = await get('models/note/search?q=harbour')
    assert.deepEqual([idsOf(json.data).sort(), idsOf(json.hits).sort(), json.total], [seen, seen, seen.length])
    const sorted = await get('models/note/search?q=harbour&sort_by=points&sort_order=desc&fuzzy=true')
    assert.deepEqual(idsOf(sorted.json.data), seen.toReversed())
  },
  async 'GET /models/note/export'(get, { seen }) {
    const ndjson = linesOf((await get('models/note/export?format=ndjson&fields=id')).text)
    assert.deepEqual(
      ndjson.map((line) => JSON.parse(line).id),
      seen,
    )
    assert.deepEqual(idsOf((await get('models/note/export?format=json&fields=id')).json), seen)
    const csv = linesOf((await get('models/note/export?format=csv&fields=id')).text.replaceAll('\r', ''))
    assert.deepEqual(csv, ['id', ...seen.map(String)])
    const labelled = linesOf((await get('models/note/export?labels=true&fields=id')).text.replaceAll('\r', ''))
    assert.deepEqual(labelled, ['ID', ...seen.map(String)])
  },
  async 'GET /models/note/aggregate'(get, { seen }) {
    const sum = seen.reduce((total, id) => total + POINTS[id], 0)
    const [min, max] = [POINTS[seen[0] ?? 1], POINTS[seen.at(-1) ?? 1]]
    const { json } = await get('models/note/aggregate?count&sum=points&avg=points&min=points&max=points')
    const values = { sum: { points: sum }, avg: { points: sum / seen.length }, min: { points: min }, max: { points: max } }
    assert.deepEqual(json.data, [{ group: {}, count: seen.length, ...values }])
    const groups = (await get('models/note/aggregate?group_by=slug')).json
    assert.equal(groups.total, seen.length)
  },
  async 'GET /models/note/mock, test: no stored record'(get, _, as) {
    assert.equal((await get('models/note/mock?count=5')).status, as === null ? 401 : 200)
    assert.doesNotMatch((await get('models/note/test?sample=true')).text, /harbour (own|hidden)/, String(as))
  },
  async 'GET /models/remark: relations'(get, { seen }) {
    for (const path of ['models/remark', 'models/remark?include=note__title,also__title', 'models/remark/search?q=remark']) {
      const { data, total } = (await get(path)).json
      assert.equal(total, 4, 'remarks are public')
      for (const { note_id: id, note, also } of data) {
        assert.deepEqual(Object.keys(note).length > 1, seen.includes(id), `${path}: note ${id}`)
        for (const each of also) assert.equal(Object.keys(each).length > 1, seen.includes(each.id), `${path}: also ${each.id}`)
      }
    }
    const { note } = (await get('models/remark/3')).json.data
    assert.deepEqual(Object.keys(note).length > 1, seen.includes(3))
  },
  async 'GET /models/remark: filters and sort through a relation'(get, { seen }) {
    const some = async (query: string) => idsOf((await get(`models/remark?${query}`)).json.data)
    assert.deepEqual(await some('filters=note__title__icontains=harbour'), seen)
    assert.deepEqual(await some('filters=note__points__ne=1'), seen.slice(1))
    assert.deepEqual(
      await some('any=note__slug=own|note__slug=hidden'),
      seen.filter((id) => id === 2 || id === 3),
    )
    assert.deepEqual(await some('filters=note__topic__name=all'), seen, 'through two relations')
    assert.deepEqual(await some('filters=also__slug=hidden'), seen.includes(3) ? NOTES : [], 'through a list')
    const hidden = NOTES.filter((id) => !seen.includes(id))
    assert.deepEqual(await some('sort_by=note.points'), [...seen, ...hidden])
    assert.deepEqual(await some('sort_by=note.points&sort_order=desc'), [...hidden, ...seen.toReversed()])
    const count = async (filter: string) => (await get(`models/remark/aggregate?count&filters=${filter}`)).json.data[0].count
    assert.equal(await count('note__points__gte=1'), seen.length)
    const exported = (await get('models/remark/export?format=json&fields=id&filters=note__points__gte=1')).json
    assert.deepEqual(idsOf(exported), seen)
    const labelled = linesOf((await get('models/remark/export?labels=true&fields=note')).text.replaceAll('\r', ''))
    const names = ['harbour open', 'harbour own', 'harbour hidden', 'harbour plain']
    assert.deepEqual(labelled, ['Note', ...NOTES.map((id) => (seen.includes(id) ? names[id - 1] : `#${id}`))])
  },
  async 'GET /models/topic: records that refer to one'(get, { seen }) {
    for (const path of ['topic/1?', 'topic?']) {
      const { data } = (await get(`models/${path}fields=notes__count&include=notes__title`)).json
      const { notes__count: count, notes } = Array.isArray(data) ? data[0] : data
      assert.deepEqual([count, notes.total, idsOf(notes.data)], [seen.length, seen.length, seen])
    }
  },
  async 'GET /search, over all models'(get, { seen }, as) {
    const { status, json } = await get('search?q=harbour')
    assert.equal(status, as === null ? 401 : 200)
    if (as === null) return
    assert.deepEqual([json.data.map(({ id }: { id: number }) => id).sort(), json.total], [seen, seen.length])
  },
  async 'GET /models/user, group, permission: no rule, no permission'(get, _, as) {
    for (const model of ['user', 'group', 'permission']) {
      for (const path of ['', '/1', '/export?format=json', '/aggregate', '/mock', '/1/history']) {
        const { status } = await get(`models/${model}${path}`)
        assert.equal(status, as === 'super' ? 200 : as === null ? 401 : 403, model + path)
      }
    }
  },
  async 'GET /history, webhooks, snapshots: of superusers'(get, _, as) {
    for (const path of ['history', 'webhooks', 'webhooks/deliveries', 'snapshots']) {
      assert.equal((await get(path)).status, as === 'super' ? 200 : as === null ? 401 : 403, path)
    }
  },
  async 'GET /auth/me: the user'(get, _, as) {
    const { status, json } = await get('auth/me')
    assert.equal(status, as === null ? 401 : 200)
    if (as !== null) assert.equal(json.data.username, as)
  },
  async 'GET /openapi.json: nothing of records'(get) {
    assert.doesNotMatch((await get('openapi.json')).text, /harbour|editors/)
  },
}

describe('each endpoint shows the records that the actor may view', () => {
  for (const as of ACTORS) {
    notesTest(as ?? 'no token', async (app) => {
      // History has no entries for seeds.
      for (const id of NOTES) await ask(app, 'super', `PUT ${MODELS}/note/${id}`, { data: { points: POINTS[id] } })
      for (const [name, check] of Object.entries(READS)) {
        const get = (path: string) => ask(app, as, `GET /api/v1/${path}`)
        await check(get, rightsOf(as), as).catch((error) => assert.fail(`${name} as ${as}: ${error.message}`))
      }
      const site = await ask(app, as, 'GET /admin/api/v1/site')
      assert.equal(site.status, as === null ? 401 : 200)
      const note = as === null ? undefined : site.json.models.find(({ key }: { key: string }) => key === 'note')
      if (as !== null) assert.equal(note.count, rightsOf(as).seen.length)
    })
  }

  notesTest('and each actor is told of changes of those records only', async (app: TestApp) => {
    await app.live.start()
    const readers: EventReader[] = []
    try {
      const url = `http://127.0.0.1:${app.server.info.port}/api/v1/events`
      assert.equal((await fetch(url)).status, 401)
      for (const as of ACTORS) {
        if (as === null) continue
        const { reader } = await EventReader.open(url, await app.tokenOf(as))
        readers.push(reader)
        await reader.until(({ events }) => events.length > 0)
      }
      for (const id of NOTES) await ask(app, 'super', `PUT ${MODELS}/note/${id}`, { data: { points: 5 } })
      app.advance(100)
      for (const [place, reader] of readers.entries()) {
        const { seen } = rightsOf(ACTORS[place + 1] ?? null)
        await reader.until(({ changes }) => changes.length >= seen.length)
        assert.deepEqual(
          reader.changes.map(({ data }) => data.record_id),
          seen,
        )
      }
    } finally {
      for (const reader of readers) reader.stop()
      await app.live.stop()
    }
  })
})
