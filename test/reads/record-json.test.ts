import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe } from 'node:test'
import { ANONYMOUS, SYSTEM } from '../../src/auth/permissions.ts'
import { FileUrls } from '../../src/model/file-urls.ts'
import type { Model } from '../../src/model/model.ts'
import { parseReadQuery } from '../../src/query/parse.ts'
import { fullProjection, type RecordProjection } from '../../src/query/project.ts'
import {
  arrayJson,
  loadRelated,
  NOTHING_NESTED,
  present,
  type RecordJson,
  RecordSerializer,
} from '../../src/reads/record-json.ts'
import { type Store, type StoredRecord, versionOf } from '../../src/store/store.ts'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { testsOf } from '../helpers/tests-of.ts'
import { valuesOf } from '../helpers/values-of.ts'

/** Serialises records for the server itself. */
interface Writer {
  write(model: Model, records: readonly StoredRecord[], projection: RecordProjection): Promise<readonly RecordJson[]>
}

interface Desk {
  readonly app: TestApp['app']
  readonly writer: Writer
  model(key: string): Model
  full(key: string): RecordProjection
  chosen(key: string, query: string): RecordProjection
  stored(key: string, id: number): Promise<StoredRecord>
  /** The JSON of a record as it is stored now, in full. */
  write(key: string, id: number): Promise<RecordJson>
  update(key: string, id: number, data: object): Promise<unknown>
}

async function withDesk(work: (desk: Desk) => Promise<void>): Promise<void> {
  const { app, close } = await openTestApp()
  const { registry, access } = app.project
  const serializer = new RecordSerializer(access, app.store, new FileUrls('/api/v1'))
  const writer: Writer = { write: (model, records, projection) => serializer.write(SYSTEM, model, records, projection) }
  const model = (key: string) => registry.expect(key)
  const full = (key: string) => fullProjection(model(key), registry)
  const stored = async (key: string, id: number) => {
    const [record] = await app.store.get(key, [id])
    assert.ok(record)
    return record
  }
  try {
    await work({
      app,
      writer,
      model,
      full,
      stored,
      chosen: (key, query) => parseReadQuery(new URLSearchParams(query), model(key), registry),
      write: async (key, id) => only(await writer.write(model(key), [await stored(key, id)], full(key))),
      update: (key, id, data) => app.records.update(SYSTEM, key, id, { data }),
    })
  } finally {
    await close()
  }
}

const deskTest = testsOf(withDesk)

function only(written: readonly RecordJson[]): RecordJson {
  assert.equal(written.length, 1)
  const [json] = written
  assert.ok(json)
  return json
}

/** The JSON of a record, presented by hand. */
async function afresh(store: Store, model: Model, record: StoredRecord, projection: RecordProjection): Promise<string> {
  const related = await loadRelated([record], projection, (target, ids) => store.get(target.key, ids))
  return JSON.stringify(present(model, record, projection, { ...NOTHING_NESTED, related }))
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)

describe('the JSON of a record', () => {
  deskTest('equals the presented record, for every record of every model', async ({ app, writer, full }) => {
    for (const model of app.project.registry.public) {
      const { records } = await app.store.find(model.key, { filters: [], sort: [], offset: 0, limit: 1000 })
      const written = await writer.write(model, records, full(model.key))
      for (const [index, record] of records.entries()) {
        assert.equal(written[index]?.text, await afresh(app.store, model, record, full(model.key)))
        assert.equal(written[index]?.version, versionOf(record))
        assert.equal(written[index]?.digest, digestOf(written[index]?.text ?? ''))
      }
      assert.equal(arrayJson(written), JSON.stringify(written.map(({ text }) => JSON.parse(text))))
    }
  })

  deskTest('has every field in its place, however the record is stored', async ({ writer, model, full }) => {
    const records: StoredRecord[] = [
      { id: 1, name: 'a', slug: 'a', color: null },
      { id: 2, name: 'b', slug: 'b' },
      { slug: 'c', id: 3, name: 'c', color: null },
      { id: 4, name: 'd', slug: 'd', color: null, gone: 'no field of the model any more' },
    ]
    const written = await writer.write(model('tag'), records, full('tag'))
    assert.deepEqual(
      valuesOf(written, 'text'),
      ['a', 'b', 'c', 'd'].map((name, index) => JSON.stringify({ id: index + 1, name, slug: name, color: null })),
    )
    assert.deepEqual(valuesOf(written, 'version'), records.map(versionOf))
  })

  deskTest('has an empty list where a list is stored as nothing', async ({ writer, model, chosen }) => {
    const written = await writer.write(model('post'), [{ id: 1, languages: null }], chosen('post', 'fields=languages'))
    assert.equal(only(written).text, '{"id":1,"languages":[]}')
  })

  deskTest('of no records is empty', async ({ writer, model, full }) => {
    assert.equal(arrayJson(await writer.write(model('post'), [], full('post'))), '[]')
  })
})

describe('a record in full', () => {
  deskTest('changes with the record', async ({ write, update }) => {
    const before = await write('tag', 1)
    await update('tag', 1, { color: '#000000' })
    const after = await write('tag', 1)
    assert.equal(JSON.parse(after.text).color, '#000000')
    assert.notEqual(after.version, before.version)
    assert.notEqual(after.digest, before.digest)
  })

  deskTest('changes with a nested record, and keeps its version', async ({ write, update, stored }) => {
    const before = await write('post', 1)
    const { author_id, tags } = await stored('post', 1)
    await update('user', Number(author_id), { first_name: 'Inga' })
    const renamed = await write('post', 1)
    assert.equal(JSON.parse(renamed.text).author.first_name, 'Inga')
    assert.equal(renamed.version, before.version)
    assert.notEqual(renamed.digest, before.digest)
    const [tag] = tags as readonly number[]
    await update('tag', Number(tag), { name: 'Signals' })
    assert.equal(JSON.parse((await write('post', 1)).text).tags[0].name, 'Signals')
  })

  deskTest('changes when a nested record is deleted', async ({ app, write, stored }) => {
    const record = await stored('post', 1)
    const { tags } = record
    const [tag] = tags as readonly number[]
    await write('post', 1)
    await app.records.remove(SYSTEM, 'tag', Number(tag))
    const listed: { id: number }[] = JSON.parse((await write('post', 1)).text).tags
    assert.ok(listed.every(({ id }) => id !== tag))
  })
})

describe('a projection', () => {
  deskTest('with selected fields has these alone', async ({ writer, model, chosen, stored }) => {
    const narrow = only(await writer.write(model('post'), [await stored('post', 1)], chosen('post', 'fields=title')))
    assert.deepEqual(Object.keys(JSON.parse(narrow.text)), ['id', 'title'])
  })

  deskTest('reduced to what a reader may see nests other records by id', async ({ app, writer, model, full, stored }) => {
    const record = await stored('post', 1)
    const reader = { ...ANONYMOUS, userId: 3, permissions: new Set(['view_tag']) }
    const seen = app.project.access.visibleTo(reader, full('post'))
    assert.deepEqual(JSON.parse(only(await writer.write(model('post'), [record], seen)).text).author, { id: 1 })
  })

  deskTest('without fields and include is the full one', async ({ chosen, full }) =>
    assert.deepEqual(chosen('post', ''), full('post')),
  )
})
