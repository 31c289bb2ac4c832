import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatSource } from '../../../src/config/source.ts'
import { FILE_MODELS } from '../../../src/files/file-models.ts'
import { buildRegistry } from '../../../src/model/build.ts'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import { FILE_TABLE, fileIdOf, type StoredFile } from '../../../src/model/files.ts'
import type { Registry } from '../../../src/model/registry.ts'
import type { Operation, Store, StoredRecord, TransactionMode, Violation } from '../../../src/store/store.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import type { OpenStore } from './contract.ts'

const MODELS: readonly ModelDefinition[] = [
  { name: 'Album', fields: [{ name: 'title', type: 'string' }] },
  {
    name: 'Photo',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'cover', type: 'image' },
      { name: 'gallery', type: 'file', multiple: true },
      { name: 'album_id', type: 'foreignkey', model: 'album', on_delete: 'cascade' },
    ],
  },
]

/** The models of these tests. */
export function registryWithFiles(): Registry {
  const define = (value: ModelDefinition) => ({ value, source: flatSource(`model ${value.name}`) })
  const { registry, faults } = buildRegistry(MODELS.map(define), { public: [], internal: FILE_MODELS })
  faults.throwIfAny()
  return registry
}

const AT = '2026-01-02T03:04:05.006Z'
const UPLOADED = '2026-01-01T00:00:00.000Z'

/** A store of photos, and what the tests do with it. */
class Photos {
  readonly store: Store
  #uploads = 0

  constructor(store: Store) {
    this.store = store
  }

  /** A file that is uploaded for a field of photos, and is in no record. */
  async upload(field = 'gallery', values: JsonObject = {}): Promise<StoredFile> {
    const number = ++this.#uploads
    const file = { sha256: String(number).padStart(64, 'a'), size: number, name: `${number}.png`, type: 'image/png' }
    const row = { ...file, token: `token-${number}-token`, model: 'photo', field, user_id: 1, at: UPLOADED, ...values }
    const [stored] = await this.accept([{ kind: 'insert', table: FILE_TABLE, values: row }])
    const id = fileIdOf(row.token, stored?.id ?? 0)
    return { id, ...file, width: null, height: null, alt: null, uploaded_at: UPLOADED }
  }

  async accept(operations: readonly Operation[]): Promise<readonly StoredRecord[]> {
    const outcome = await this.store.transact(operations, 'commit', { files: { at: AT } })
    assert.ok(outcome.ok, JSON.stringify(outcome))
    const told = outcome.changes.filter(({ table }) => table === FILE_TABLE)
    for (const { id, after } of told) assert.deepEqual((await this.store.get(FILE_TABLE, [id]))[0], after)
    return outcome.records
  }

  /** Refused by the commit, by a rehearsal, and as an operation on a record as it was read. */
  async refuse(
    operations: readonly Operation[],
    expected: readonly (readonly [index: number, field: string, file: StoredFile])[],
  ) {
    const before = await this.places()
    const violations = expected.map(([index, field, { id }]): Violation => ({ kind: 'file', index, field, file: id }))
    const expecting = await Promise.all(
      operations.map(async (each): Promise<Operation> => {
        const [expect] = each.kind === 'update' ? await this.store.get(each.table, [each.id]) : []
        return each.kind === 'update' && expect !== undefined ? { ...each, expect } : each
      }),
    )
    const modes: readonly TransactionMode[] = ['rehearse', 'commit']
    for (const given of [operations, expecting]) {
      for (const mode of modes) assert.deepEqual(await this.store.transact(given, mode), { ok: false, violations })
    }
    assert.deepEqual(await this.places(), before)
  }

  /** Where the files are: the id of the record, with `!` once it has given the file up. */
  async places(): Promise<readonly string[]> {
    const { records } = await this.store.find(FILE_TABLE, {
      filters: [],
      sort: [{ field: 'id', order: 'asc' }],
      offset: 0,
      limit: 100,
    })
    return records.map(({ record_id: id, released_at: at }) => {
      if (at != null) assert.equal(at, AT)
      return `${id ?? 'pending'}${at == null ? '' : '!'}`
    })
  }
}

const insert = (values: JsonObject, id?: number): Operation => ({
  kind: 'insert',
  table: 'photo',
  values,
  ...(id === undefined ? {} : { id }),
})
const update = (id: number, values: JsonObject, expect?: StoredRecord): Operation => ({
  kind: 'update',
  table: 'photo',
  id,
  values,
  ...(expect === undefined ? {} : { expect }),
})

/** Transactions derive which files records get and give up. */
export function checkFiles(open: OpenStore): void {
  const check = (name: string, body: (photos: Photos) => Promise<void>) =>
    test(name, async () => {
      const { store, close } = await open(registryWithFiles())
      try {
        await body(new Photos(store))
      } finally {
        await close()
      }
    })

  check('a new record gets files that are pending', async (photos) => {
    const [cover, one, two] = [await photos.upload('cover'), await photos.upload(), await photos.upload()]
    const [stored] = await photos.accept([insert({ cover, gallery: [two, one] })])
    assert.deepEqual([stored?.cover, stored?.gallery], [cover, [two, one]])
    assert.deepEqual(await photos.places(), ['1', '1', '1'])
    await photos.accept([insert({ title: 'without' })])
  })

  check('an update releases what it leaves out, and gets what is new', async (photos) => {
    const [one, two, three] = [await photos.upload(), await photos.upload(), await photos.upload()]
    const [stored] = await photos.accept([insert({ gallery: [one, two] })])
    const [changed] = await photos.accept([update(1, { gallery: [three, two] }, stored)])
    assert.deepEqual(await photos.places(), ['1!', '1', '1'])
    await photos.accept([update(1, { title: 'only the title' }, changed)])
    await photos.accept([update(1, { gallery: [] })])
    assert.deepEqual(await photos.places(), ['1!', '1!', '1!'])
    await photos.accept([update(1, { gallery: [two] })])
    assert.deepEqual(await photos.places(), ['1!', '1', '1!'])
  })

  check('another order, another name and the same value change no row', async (photos) => {
    const [one, two] = [await photos.upload(), await photos.upload()]
    await photos.accept([insert({ gallery: [one, two] })])
    for (const gallery of [
      [two, one],
      [two, { ...one, alt: 'one' }],
    ]) {
      const { ok, changes } = { changes: [], ...(await photos.store.transact([update(1, { gallery })])) }
      assert.deepEqual([ok, changes.map(({ table }) => table)], [true, ['photo']])
    }
    assert.deepEqual(await photos.places(), ['1', '1'])
  })

  check('null, a removal and a cascade release', async (photos) => {
    await photos.accept([{ kind: 'insert', table: 'album', values: { title: 'a' } }])
    const covers = [await photos.upload('cover'), await photos.upload('cover'), await photos.upload('cover')]
    const records = await photos.accept(covers.map((cover) => insert({ cover, album_id: 1 })))
    await photos.accept([update(1, { cover: null })])
    assert.deepEqual(await photos.places(), ['1!', '2', '3'])
    const [, second] = records
    await photos.accept([{ kind: 'remove', table: 'photo', id: 2, ...(second && { expect: second }) }])
    assert.deepEqual(await photos.places(), ['1!', '2!', '3'])
    await photos.accept([{ kind: 'remove', table: 'album', id: 1 }])
    assert.deepEqual(await photos.places(), ['1!', '2!', '3!'])
  })

  check('a record that is stored again under its id gets its files again', async (photos) => {
    const cover = await photos.upload('cover')
    await photos.accept([insert({ cover })])
    await photos.accept([{ kind: 'remove', table: 'photo', id: 1 }])
    await photos.refuse([insert({ cover })], [[0, 'cover', cover]])
    await photos.accept([insert({ cover }, 1)])
    assert.deepEqual(await photos.places(), ['1'])
  })

  check('a file of another record, field or hash, a released upload and an unknown id are refused', async (photos) => {
    const taken = await photos.upload()
    await photos.accept([insert({ gallery: [taken] }), insert({})])
    const cover = await photos.upload('cover')
    const pending = await photos.upload()
    const released = await photos.upload('gallery', { released_at: AT })
    const other = await photos.upload('gallery', { model: 'album' })
    const refused = [
      taken,
      cover,
      released,
      other,
      { ...pending, sha256: 'b'.repeat(64) },
      { ...pending, id: pending.id.replace('token', 'guess') },
      { ...pending, id: fileIdOf('token-9-token', 99) },
      { ...pending, id: 'x' },
    ]
    for (const file of refused) {
      await photos.refuse([update(2, { gallery: [file] })], [[0, 'gallery', file]])
      await photos.refuse([insert({ title: 'a' }), insert({ gallery: [pending, file] })], [[1, 'gallery', file]])
    }
    await photos.refuse([update(1, { gallery: [{ ...taken, sha256: 'b'.repeat(64) }] })], [[0, 'gallery', taken]])
    await photos.refuse([update(1, { gallery: [taken, taken] })], [[0, 'gallery', taken]])
  })

  check('two records of a transaction do not get the same file', async (photos) => {
    const cover = await photos.upload('cover')
    await photos.refuse([insert({ cover }), insert({ cover })], [[1, 'cover', cover]])
    await photos.accept([insert({}), insert({ cover })])
    await photos.refuse([update(2, { cover: null }), update(1, { cover })], [[1, 'cover', cover]])
  })

  check('of transactions at once, one gets the file', async (photos) => {
    await photos.accept([insert({}), insert({})])
    for (const operations of [
      [insert({}), insert({})],
      [update(1, {}), update(2, {})],
      [insert({}), update(2, {})],
    ]) {
      const cover = await photos.upload('cover')
      const outcomes = await Promise.all(
        operations.map((each) =>
          photos.store.transact([each.kind === 'insert' || each.kind === 'update' ? { ...each, values: { cover } } : each]),
        ),
      )
      const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.violations))
      assert.deepEqual(refused, [{ kind: 'file', index: 0, field: 'cover', file: cover.id }])
      await photos.store.transact([update(1, { cover: null }), update(2, { cover: null })], 'commit', { files: { at: AT } })
    }
  })

  check('a transaction in parts moves files, too', async (photos) => {
    const { store } = photos
    if (store.transactInParts === undefined) return
    const [one, two] = [await photos.upload('cover'), await photos.upload('cover')]
    await store.transactInParts('commit', async (apply) => {
      for (const cover of [one, two]) assert.equal((await apply([insert({ cover })])).ok, true)
    })
    assert.deepEqual(await photos.places(), ['1', '2'])
    const refused = await store.transactInParts('rehearse', async (apply) => {
      return [await apply([insert({ title: 'a' })]), await apply([insert({ cover: one })])]
    })
    assert.deepEqual(
      refused.map((outcome) => (outcome.ok ? [] : outcome.violations)),
      [[], [{ kind: 'file', index: 0, field: 'cover', file: one.id }]],
    )
  })
}
