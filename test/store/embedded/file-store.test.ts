import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Registry } from '../../../src/model/registry.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { isObject } from '../../../src/util/json.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { insert, Library, libraryRegistry, remove, type TableName, update } from '../../helpers/store/library.ts'
import { type OpenedStore, storeContract } from '../../helpers/store/store-contract.ts'
import { folderTest, inFolder, journalsIn, onDisk } from './folder.ts'

storeContract(
  'file',
  async (registry) => {
    const folder = await temporaryFolder()
    return openIn(join(folder.path, 'data'), registry, folder.remove)
  },
  { randomSteps: 900 },
)

async function openIn(folder: string, registry: Registry, forget: () => Promise<void>): Promise<OpenedStore> {
  const store = await FileStore.open(folder, registry, 'write')
  return {
    store,
    async reopen() {
      await store.close()
      return openIn(folder, registry, forget)
    },
    async close() {
      await store.close()
      await forget()
    },
  }
}

/** The tables of a parsed data file. */
async function readTables(file: string): Promise<Record<string, { next_id: number; records: Record<string, unknown>[] }>> {
  const document: unknown = JSON.parse(await readFile(file, 'utf8'))
  assert.ok(isObject(document) && isObject(document.tables), 'there are no tables')
  return document.tables as Record<string, { next_id: number; records: Record<string, unknown>[] }>
}

describe('the data file', () => {
  folderTest('is JSON with one record per line, in id order', async ({ shelves, file, store }) => {
    await shelves.accept([
      insert('genre', { name: 'line\nbreak' }, 10),
      insert('genre', { name: 'b' }, 9),
      insert('author', { name: 'c' }),
    ])
    await shelves.accept([
      insert('genre', { name: 'd' }, 2),
      update('genre', 10, { name: 'e\n' }),
      insert('genre', { name: 'f' }),
    ])
    await store.close()
    const tables = await readTables(file)
    assert.deepEqual(
      tables.genre?.records.map(({ id }) => id),
      [2, 9, 10, 11],
    )
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('{"'))
    const records = lines.map((line): unknown => JSON.parse(line.replace(/,$/, '')))
    assert.deepEqual(
      records,
      Object.values(tables).flatMap((table) => table.records),
    )
    assert.equal(records.length, 5)
  })

  folderTest(
    'a change of one record changes one line, the sequence and the checksum',
    async ({ shelves, file, store, reopen }) => {
      await shelves.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
      await store.close()
      const before = (await readFile(file, 'utf8')).split('\n')
      const again = await reopen()
      await again.shelves.accept([update('genre', 2, { name: 'changed' })])
      await again.store.close()
      const after = (await readFile(file, 'utf8')).split('\n')
      assert.equal(after.length, before.length)
      const changed = after.filter((line, index) => line !== before[index])
      assert.deepEqual(changed.slice(0, 2), ['"sequence": 2,', '{"id":2,"name":"changed"},'])
      assert.match(changed.slice(2).join('\n'), /^"checksum": "[0-9a-f]{8}"$/)
    },
  )

  folderTest('is readable by its owner only, and so is a created folder', async ({ folder, file, reopen }) => {
    for (const name of ['a', 'b']) {
      const { shelves, store } = await reopen()
      await shelves.add('genre', { name })
      await store.close()
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    }
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
  })

  folderTest(
    'names the journal from the first transaction on, and is the only file once the store is closed',
    async ({ shelves, folder, store }) => {
      assert.deepEqual(await readdir(folder), ['lock'])
      await Promise.all(['a', 'b', 'c'].map((name) => shelves.add('genre', { name })))
      assert.deepEqual(await readdir(folder), ['db.json', 'journal.1.log', 'lock'])
      const file = join(folder, 'db.json')
      const named = await readFile(file, 'utf8')
      assert.match(named, /^{\n"format": 1,\n"sequence": 0,\n"journal": "journal\.1\.log",\n"tables": {\n},\n/)
      await shelves.add('genre', { name: 'd' })
      assert.equal(await readFile(file, 'utf8'), named)
      await store.close()
      assert.deepEqual(await readdir(folder), ['db.json'])
      assert.doesNotMatch(await readFile(file, 'utf8'), /journal/)
    },
  )

  folderTest(
    'an unfinished draft of a crash is ignored and replaced, and its mode is not kept',
    async ({ shelves, file, store, reopen }) => {
      await shelves.add('genre', { name: 'a' })
      await store.close()
      await writeFile(`${file}.new`, '{"format": 1, "tables": {"gen', { mode: 0o644 })
      const again = await reopen()
      assert.deepEqual(await again.shelves.ids('genre'), [1])
      await again.shelves.add('genre', { name: 'b' })
      await again.store.close()
      assert.equal((await readTables(file)).genre?.records.length, 2)
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    },
  )

  folderTest(
    'is not written for rejected or rehearsed transactions, nor by closing after them',
    async ({ shelves, file, folder, store, reopen }) => {
      await shelves.add('genre', { name: 'a' })
      await store.close()
      const before = await stat(file)
      const again = await reopen()
      await again.store.transact([insert('genre', { name: 'a' })])
      await again.store.transact([insert('genre', { name: 'b' })], 'rehearse')
      await again.store.transact([])
      assert.deepEqual(journalsIn(folder), [])
      await again.store.close()
      const after = await stat(file)
      assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs])
    },
  )

  folderTest('a large one is complete', async ({ shelves, file, folder, store, reopen }) => {
    const name = 'ü'.repeat(300)
    await shelves.accept(Array.from({ length: 3000 }, () => insert('category', { name })))
    assert.equal((await onDisk(folder)).category?.length, 3000)
    await store.close()
    assert.equal((await readTables(file)).category?.records.length, 3000)
    const again = (await reopen()).shelves
    assert.equal((await again.find('category', [{ field: 'name', operator: 'eq', value: name }]))[1], 3000)
  })

  folderTest('a next id that is missing or too low is corrected', async ({ store, file, reopen }) => {
    await store.close()
    for (const next of ['', '"next_id": 2, ', '"next_id": "x", ']) {
      await writeFile(file, `{"format": 1, "tables": {"genre": {${next}"records": [{"id": 7, "name": "a"}]}}}`)
      const opened = await reopen()
      assert.equal((await opened.shelves.add('genre', { name: 'b' })).id, 8)
      await opened.store.close()
    }
  })
})

describe('models that come and go', () => {
  const gone: readonly TableName[] = ['review', 'cover']

  folderTest('the tables of models that are not registered survive', async ({ shelves, file, store, reopen }) => {
    await shelves.addBook()
    await shelves.accept([
      insert('cover', { book_id: 1, color: 'red' }),
      insert('review', { book_id: 1 }),
      insert('review', { book_id: 1 }),
    ])
    await shelves.accept([remove('review', 2)])
    await store.close()
    const before = await readTables(file)
    const without = await reopen(libraryRegistry(gone))
    await without.shelves.accept([update('book', 1, { pages: 3 }), insert('genre', { name: 'a' })])
    await without.store.close()
    const after = await readTables(file)
    assert.deepEqual([after.review, after.cover], [before.review, before.cover])
    assert.equal(after.genre?.records.length, 1)
    const again = (await reopen()).shelves
    assert.deepEqual(await again.ids('review'), [1])
    assert.equal((await again.add('review', { book_id: 1 })).id, 3)
  })

  folderTest('a store with only such tables keeps them when it is opened and closed', async ({ store, file, reopen }) => {
    await store.close()
    const text = '{"format": 1, "tables": {"stranger": {"next_id": 5, "records": [{"id": 2, "anything": [{}]}]}}}'
    await writeFile(file, text)
    const opened = await reopen()
    assert.equal(opened.store.isNew, false)
    await opened.store.close()
    const kept = await readFile(file, 'utf8')
    assert.deepEqual((await readTables(file)).stranger, { next_id: 5, records: [{ id: 2, anything: [{}] }] })
    const again = await reopen()
    assert.equal(await readFile(file, 'utf8'), kept)
    await again.shelves.add('genre', { name: 'a' })
    await again.store.close()
    assert.deepEqual((await readTables(file)).stranger, { next_id: 5, records: [{ id: 2, anything: [{}] }] })
  })

  folderTest('records from before a field was added or removed are returned as stored', async ({ store, file, reopen }) => {
    await store.close()
    await writeFile(file, '{"format": 1, "tables": {"genre": {"next_id": 2, "records": [{"id": 1, "name": null, "former": 7}]}}}')
    // A registry without the model accepts the file, which is then rewritten with a checksum.
    await reopen(libraryRegistry(['genre', 'book', 'cover', 'review']))
    const { shelves } = await reopen()
    assert.deepEqual(await shelves.find('genre'), [[{ id: 1, name: null, former: 7 }], 1])
  })
})

describe('a new store', () => {
  test('is new until its first transaction', async () => {
    await inFolder(async ({ store, reopen }) => {
      assert.equal(store.isNew, true)
      await store.transact([insert('genre', { name: 'a' })], 'rehearse')
      await store.transact([insert('genre', { name: null })])
      assert.equal(store.isNew, true)
      assert.equal((await reopen()).store.isNew, true)
    })
    await inFolder(async ({ store, shelves, reopen }) => {
      await shelves.add('genre', { name: 'a' })
      assert.equal(store.isNew, false)
      await shelves.accept([remove('genre', 1)])
      assert.equal((await reopen()).store.isNew, false)
    })
  })
})

describe('reading only', () => {
  folderTest('takes no lock, returns the data on disk and rejects writes', async ({ shelves, folder, registry }) => {
    await shelves.add('genre', { name: 'a' })
    const reader = await FileStore.open(folder, registry, 'read')
    assert.deepEqual(await new Library(reader).ids('genre'), [1])
    await assert.rejects(reader.transact([insert('genre', { name: 'b' })]), { name: 'AppError', code: 'STORE_UNAVAILABLE' })
    await shelves.add('genre', { name: 'c' })
    assert.deepEqual(await new Library(reader).ids('genre'), [1])
    await reader.close()
    // The writer still holds the lock.
    await assert.rejects(FileStore.open(folder, registry, 'write'), { name: 'AppError', code: 'DATA_IN_USE' })
  })

  test('creates no files in an empty folder', async () => {
    await using folder = await temporaryFolder()
    const reader = await FileStore.open(join(folder.path, 'data'), libraryRegistry(), 'read')
    assert.deepEqual(await new Library(reader).find('genre'), [[], 0])
    await reader.close()
    assert.deepEqual(await readdir(folder.path), [])
  })
})

describe('one writer', () => {
  folderTest('a folder open for writing is in use until it is closed', async ({ folder, registry, store }) => {
    await assert.rejects(FileStore.open(folder, registry, 'write'), (error: Error) => {
      assert.match(error.message, new RegExp(`process ${process.pid} `))
      return true
    })
    await store.close()
    await (await FileStore.open(folder, registry, 'write')).close()
  })
})
