import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { ConfigError } from '../../../src/config/fault.ts'
import { loadProject } from '../../../src/project/project.ts'
import { seedFaults } from '../../../src/transfer/seed.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, send } from '../../helpers/api/scenario.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const LIMIT = 2000

const NOTE = `name: Note
fields:
  - { name: title, type: string, required: true, unique: true }
  - { name: body, type: text }
  - { name: data, type: json }
  - { name: topics, type: many_to_many, model: Topic }
  - { name: pin, type: password, max_length: 5000 }
`

const FORM = `model: Note
view_type: form
name: NoteForm
fields: [{ name: title }, { name: body }]
`

const files = (config: object, seed: readonly object[] = []) => ({
  'admin.config.json': JSON.stringify(config),
  'models/note.yaml': NOTE,
  'models/topic.yaml': 'name: Topic\nfields:\n  - { name: name, type: string }\n',
  'views/note.yaml': FORM,
  'seed/user.json': JSON.stringify([
    { username: 'admin', email: 'admin@example.org', password: 'size-admin-2024', is_superuser: true },
  ]),
  ...(seed.length === 0 ? {} : { 'seed/note.json': JSON.stringify(seed) }),
})

const LIMITED = { max_record_bytes: LIMIT }
const NOTES = '/api/v1/models/note'

/** The documented size of a note: its writable fields without passwords, as JSON in UTF-8. */
const sizeOf = ({ title, body = null, data = null, topics = [] }: Note): number =>
  Buffer.byteLength(JSON.stringify({ title, body, data, topics }))

interface Note {
  readonly title: string
  readonly body?: string | null
  readonly data?: object | null
  readonly topics?: readonly number[]
}

/** A note of this size. */
const noteOf = (bytes: number, title: string): { readonly title: string; readonly body: string } => {
  const body = 'x'.repeat(bytes - sizeOf({ title, body: '' }))
  return { title, body }
}

const refused = (bytes: number, field = 'body') =>
  `${field} makes the Note too large: ${bytes} bytes as JSON, and max_record_bytes is ${LIMIT}`

async function withApp(run: (app: TestApp) => Promise<void>, config: object = LIMITED): Promise<void> {
  await using app = await openTestApp({ files: files(config) })
  await run(app)
  assert.deepEqual(app.reported, [])
}

const create = (app: TestApp, data: object, status = 201) => play(app, { request: `POST ${NOTES}`, body: { data }, status })
const update = (app: TestApp, id: number, data: object, status = 200) =>
  play(app, { request: `PUT ${NOTES}/${id}`, body: { data }, status })
const total = async (app: TestApp): Promise<number> => (await play(app, { request: `GET ${NOTES}`, status: 200 })).json.total

describe('a record has at most max_record_bytes', () => {
  test('when it is created: the bytes of its fields as JSON in UTF-8', () =>
    withApp(async (app) => {
      await create(app, noteOf(LIMIT, 'fits'))
      const { json } = await create(app, noteOf(LIMIT + 1, 'too large'), 400)
      assert.deepEqual(json, { detail: { error: { body: [refused(LIMIT + 1)] } } })
      // 950 characters of two bytes, and 330 that JSON has as six.
      for (const body of ['ü'.repeat(1000), '\u0001'.repeat(333)]) {
        const bytes = sizeOf({ title: 'units', body })
        assert.ok(bytes > LIMIT && body.length < LIMIT)
        const reply = await create(app, { title: 'units', body }, 400)
        assert.deepEqual(reply.json.detail.error, { body: [refused(bytes)] })
      }
      assert.equal(await total(app), 1)
    }))

  test('with JSON and links, and without a password', () =>
    withApp(async (app) => {
      const data = { text: 'x'.repeat(LIMIT) }
      const large = await create(app, { title: 'data', data }, 400)
      assert.deepEqual(large.json.detail.error, { data: [refused(sizeOf({ title: 'data', data }), 'data')] })
      const records = Array.from({ length: 600 }, (_, index) => ({ name: `${index}` }))
      await play(app, { request: 'POST /api/v1/models/topic/bulk', body: { records }, status: 201 })
      const topics = Array.from({ length: 600 }, (_, index) => index + 1)
      const linked = await create(app, { title: 'links', topics }, 400)
      assert.deepEqual(linked.json.detail.error, { topics: [refused(sizeOf({ title: 'links', topics }), 'topics')] })
      await create(app, { title: 'secret', pin: 'x'.repeat(3000) })
    }))

  test('when it is updated: the record with the values that stay', () =>
    withApp(async (app) => {
      const { json } = await create(app, noteOf(1000, 'a'))
      const title = 'b'.repeat(1200)
      const { json: error } = await update(app, json.data.id, { title }, 400)
      assert.deepEqual(error.detail.error, { title: [refused(1000 + 1199, 'title')] })
      await update(app, json.data.id, { title, body: 'short' })
    }))

  test('with a form', () =>
    withApp(async (app) => {
      const body = { data: noteOf(LIMIT + 1, 'a'), form_id: 'NoteForm' }
      const { json } = await play(app, { request: `POST ${NOTES}`, body, status: 400 })
      assert.deepEqual(json.detail.error, { body: [refused(LIMIT + 1)] })
      const { json: small } = await create(app, noteOf(100, 'a'))
      await play(app, { request: `PUT ${NOTES}/${small.data.id}`, body, status: 400 })
    }))

  test('in bulk: each record, all named at once, and none is stored', () =>
    withApp(async (app) => {
      const records = [noteOf(LIMIT + 1, 'a'), noteOf(LIMIT, 'b'), noteOf(LIMIT + 2, 'c')]
      const { json } = await play(app, { request: `POST ${NOTES}/bulk`, body: { records }, status: 400 })
      assert.deepEqual(json.detail.error, { '0.body': [refused(LIMIT + 1)], '2.body': [refused(LIMIT + 2)] })
      assert.equal(await total(app), 0)
      for (const title of ['a', 'b']) await create(app, noteOf(1000, title))
      const updates = [
        { id: 1, data: { body: 'short' } },
        { id: 2, data: { body: 'x'.repeat(LIMIT) } },
      ]
      const { json: of } = await play(app, { request: `PUT ${NOTES}/bulk`, body: { updates }, status: 400 })
      assert.deepEqual(Object.keys(of.detail.error), ['1.body'])
      const selected = { filters: [], expected_total: 2, data: { body: 'x'.repeat(LIMIT) } }
      const { json: by } = await play(app, { request: `PUT ${NOTES}/bulk`, body: selected, status: 400 })
      assert.deepEqual(Object.keys(by.detail.error), ['1.body', '2.body'])
    }))

  test('in a file of each format, in a dry run, in an upsert, and with the ids of the file', () =>
    withApp(async (app) => {
      const rows = [noteOf(LIMIT, 'a'), noteOf(LIMIT + 1, 'b')]
      const contents = {
        'text/csv': `title,body\n${rows.map(({ title, body }) => `${title},${body}\n`).join('')}`,
        'application/json': JSON.stringify(rows),
        'application/x-ndjson': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      }
      const expected = { '2.body': [refused(LIMIT + 1)] }
      for (const [type, rawBody] of Object.entries(contents)) {
        for (const query of ['', '?dry_run=true', '?upsert_by=title']) {
          const headers = { 'content-type': type }
          const { json } = await play(app, { request: `POST ${NOTES}/import${query}`, rawBody, headers, status: 400 })
          assert.deepEqual(json.detail.error, expected)
        }
      }
      const file = { format: 'json', open: () => [contents['application/json']] } as const
      await assert.rejects(app.app.imports.run(SYSTEM, 'note', file, { keepIds: true }), { details: expected })
      assert.equal(await total(app), 0)
      await create(app, noteOf(100, 'b'))
      const upsert = { request: `POST ${NOTES}/import?upsert_by=title`, rawBody: contents['application/json'] } as const
      const { json } = await play(app, { ...upsert, headers: { 'content-type': 'application/json' }, status: 400 })
      assert.deepEqual(json.detail.error, expected)
    }))

  test('as a seed, which a start and lint name', async () => {
    const config = files(LIMITED, [noteOf(LIMIT, 'a'), noteOf(LIMIT + 1, 'b')])
    await assert.rejects(openTestApp({ files: config }), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(
        error.faults.map(({ position, message }) => [position.file, message]),
        [['seed/note.json', refused(LIMIT + 1)]],
      )
      return true
    })
    await using folder = await makeProject(config)
    const faults = await seedFaults(await loadProject({ folder: folder.path, env: {}, flags: {} }))
    assert.deepEqual(valuesOf(faults, 'message'), [refused(LIMIT + 1)])
  })

  test('which is 1 MiB unless the settings say so, and the site says it', () =>
    withApp(async (app) => {
      const { json } = await play(app, { request: 'GET /admin/api/v1/site', status: 200 })
      assert.equal(json.limits.record_bytes, 1_048_576)
      await create(app, noteOf(1_048_576, 'a'))
      await create(app, noteOf(1_048_577, 'b'), 400)
      await create(app, noteOf(9_900_000, 'c'), 400)
    }, {}))
})

describe('a stored record that is larger', () => {
  /** Runs with a note of 5,000 bytes, stored before the limit was set. */
  const withLarge = async (run: (app: TestApp, id: number) => Promise<void>) => {
    const first = await openTestApp({ files: files({}) })
    const { json } = await create(first, noteOf(5000, 'large'))
    await writeFile(join(first.folder.path, 'admin.config.json'), JSON.stringify(LIMITED))
    const app = await first.reopen()
    try {
      await run(app, json.data.id)
    } finally {
      await app.close()
    }
  }

  test('is loaded, read, listed, exported and deleted', () =>
    withLarge(async (app, id) => {
      await play(app, { request: `GET ${NOTES}/${id}`, status: 200, expectPart: { data: { title: 'large' } } })
      assert.equal(await total(app), 1)
      const { text } = await play(app, { request: `GET ${NOTES}/export?format=ndjson`, status: 200 })
      assert.ok(text.length > 5000)
      await play(app, { request: `DELETE ${NOTES}/${id}`, status: 200 })
      assert.equal(await total(app), 0)
    }))

  test('may be updated unless it grows', () =>
    withLarge(async (app, id) => {
      await update(app, id, {})
      await update(app, id, { title: 'small' })
      const { json } = await update(app, id, { title: 'small one' }, 400)
      assert.deepEqual(json.detail.error, { title: [refused(5004, 'title')] })
      await update(app, id, { pin: 'x'.repeat(100) })
      await update(app, id, { body: 'x'.repeat(LIMIT + 100) })
      await update(app, id, { body: 'x'.repeat(LIMIT + 101) }, 400)
      await update(app, id, { body: 'short' })
      await update(app, id, { body: 'x'.repeat(LIMIT) }, 400)
    }))
})

describe('a row of a file', () => {
  const imported = (app: TestApp, rawBody: string, type = 'application/x-ndjson') =>
    send(app, { request: `POST ${NOTES}/import`, rawBody, headers: { 'content-type': type } })

  test('may have four characters for each byte, and 65,536 at least', async () => {
    for (const [limit, most] of [
      [LIMIT, 65_536],
      [30_000, 120_000],
    ] as const) {
      await withApp(
        async (app) => {
          const row = (length: number) => `{"title":"a"${' '.repeat(length - 13)}}`
          const long = `The row is longer than ${most} characters (setting max_record_bytes)`
          for (const [type, text] of [
            ['application/x-ndjson', row(most + 1)],
            ['application/json', `[${row(most + 1)}]`],
            ['text/csv', `title,body\na,"${'""'.repeat(most / 2)}"\n`],
          ] as const) {
            const { status, json } = await imported(app, text, type)
            assert.equal(status, 400)
            assert.deepEqual(json.detail.error, { '1.row': [long] })
          }
          assert.equal((await imported(app, row(most))).status, 200)
        },
        { max_record_bytes: limit },
      )
    }
  })
})
