import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { flatSource } from '../../../../src/config/source.ts'
import { FILE_MODELS } from '../../../../src/files/file-models.ts'
import { buildRegistry } from '../../../../src/model/build.ts'
import type { FieldDefinition, ModelDefinition } from '../../../../src/model/definition.ts'
import type { Registry } from '../../../../src/model/registry.ts'
import { FileStore } from '../../../../src/store/embedded/file-store.ts'
import { compactFolder } from '../../../../src/store/embedded/files/data-folder.ts'
import { examine } from '../../../../src/store/embedded/files/doctor.ts'
import { MemoryStore } from '../../../../src/store/embedded/memory-store.ts'
import type { Operation, Store, StoredRecord } from '../../../../src/store/store.ts'
import type { JsonObject } from '../../../../src/util/json.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { testsOf } from '../../../helpers/tests-of.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { registryOf } from '../../../model/models.ts'
import { copyAsCrashed, journalsIn } from '../folder.ts'

const memo = (name: string, fields: readonly FieldDefinition[], more: Partial<ModelDefinition> = {}): ModelDefinition => ({
  name,
  ...more,
  fields,
})
const LINK = (model: string): ModelDefinition => ({
  name: 'Link',
  fields: [
    { name: 'memo_id', type: 'foreignkey', model },
    { name: 'memos', type: 'many_to_many', model },
  ],
})
const BEFORE = registryOf(memo('Memo', [text('body'), { name: 'size', type: 'integer' }]), LINK('memo'))
const AFTER = registryOf(memo('Note', [text('text', 'body'), { name: 'size', type: 'integer' }], { was: 'Memo' }), LINK('note'))

function text(name: string, was?: string): FieldDefinition {
  return { name, type: 'string', ...(was !== undefined && { was }) }
}

const insert = (table: string, values: JsonObject): Operation => ({ kind: 'insert', table, values })

async function contents(store: Store, table: string): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  for await (const batch of store.stream(table, { filters: [], sort: [] })) records.push(...batch)
  return records
}

/** Calls `use` with a function that opens the folder, which is closed before it is opened again. */
async function inFolder(
  use: (
    open: (registry: Registry, mode?: 'read' | 'write') => Promise<{ store: FileStore; warnings: string[] }>,
    folder: string,
  ) => Promise<void>,
): Promise<void> {
  const temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  let opened: FileStore | undefined
  try {
    await use(async (registry, mode = 'write') => {
      await opened?.close()
      const warnings: string[] = []
      opened = await FileStore.open(folder, registry, mode, { warn: (message) => warnings.push(message) })
      return { store: opened, warnings }
    }, folder)
  } finally {
    await opened?.close()
    await temporary.remove()
  }
}

const folderTest = testsOf(inFolder)

async function fill(store: Store): Promise<void> {
  await store.transact([insert('memo', { body: 'one', size: 1 }), insert('memo', { body: 'two', size: 2 })])
  await store.transact([insert('link', { memo_id: 2, memos: [1, 2] })])
  await store.transact([{ kind: 'remove', table: 'memo', id: 1 }])
}

const RENAMED = [{ id: 2, text: 'two', size: 2 }]

describe('was: a renamed model and field', () => {
  folderTest('keeps the records of the snapshot, their ids, relations and links', async (open, folder) => {
    await fill((await open(BEFORE)).store)
    const { store, warnings } = await open(AFTER)
    assert.deepEqual(await contents(store, 'note'), RENAMED)
    assert.deepEqual(await contents(store, 'link'), [{ id: 1, memo_id: 2, memos: [2] }])
    assert.deepEqual(warnings, ['memo → note: 1 record renamed', 'note.body → note.text: 1 record renamed'])
    const added = await store.transact([insert('note', { text: 'three' })])
    assert.equal(added.ok && added.records[0]?.id, 3)
    assert.ok(!(await readFile(join(folder, 'db.json'), 'utf8')).includes('memo"'), 'the file has no former name')
  })

  folderTest('keeps those of a journal that was not compacted', async (open, folder) => {
    const { store } = await open(BEFORE)
    await fill(store)
    const crashed = `${folder}-crashed`
    copyAsCrashed(folder, crashed)
    assert.equal(journalsIn(crashed).length, 1)
    const after = await FileStore.open(crashed, AFTER, 'write')
    assert.deepEqual(await contents(after, 'note'), RENAMED)
    await after.close()
    assert.deepEqual(journalsIn(crashed), [])
  })

  folderTest('may be removed after a start', async (open) => {
    await fill((await open(BEFORE)).store)
    await open(AFTER)
    const { store, warnings } = await open(registryOf(memo('Note', [text('text')]), LINK('note')))
    assert.deepEqual([await contents(store, 'note'), warnings], [RENAMED, []])
  })

  folderTest('is applied once', async (open, folder) => {
    await fill((await open(BEFORE)).store)
    await (await open(AFTER)).store.close()
    const bytes = await readFile(join(folder, 'db.json'), 'utf8')
    const { warnings } = await open(AFTER)
    assert.deepEqual([warnings, await readFile(join(folder, 'db.json'), 'utf8')], [[], bytes])
  })

  folderTest('is applied to what a reader sees, and changes no file', async (open, folder) => {
    await fill((await open(BEFORE)).store)
    await (await open(BEFORE)).store.close()
    const bytes = await readFile(join(folder, 'db.json'), 'utf8')
    const { store } = await open(AFTER, 'read')
    assert.deepEqual([await contents(store, 'note'), await readFile(join(folder, 'db.json'), 'utf8')], [RENAMED, bytes])
  })

  folderTest('is applied by a compaction, and named by the doctor', async (open, folder) => {
    await fill((await open(BEFORE)).store)
    await (await open(BEFORE)).store.close()
    const { findings, sound } = await examine(folder, AFTER)
    assert.ok(sound)
    assert.match(findings[0]?.message ?? '', /^holds former names, which the next start replaces: memo → note/)
    await compactFolder(folder, AFTER)
    assert.deepEqual((await examine(folder, AFTER)).findings, [])
  })

  folderTest('is applied to an edited file of any layout', async (open, folder) => {
    await fill((await open(BEFORE)).store)
    await (await open(BEFORE)).store.close()
    const path = join(folder, 'db.json')
    const { checksum, ...document } = JSON.parse(await readFile(path, 'utf8'))
    assert.ok(checksum)
    for (const edited of [
      JSON.stringify(document, null, 1),
      (await readFile(path, 'utf8')).replace('"body":"two"', '"body" : "two"'),
    ]) {
      await writeFile(path, edited)
      const { store } = await open(AFTER)
      assert.deepEqual(await contents(store, 'note'), RENAMED)
      await store.close()
      await writeFile(path, edited.replace('"two"', '7'))
      await assert.rejects(open(AFTER), /tables\.note\.records\[0\]\.text must be a string \(id 2/)
    }
  })

  folderTest('is followed by the places of files', async (open) => {
    const withFiles = (...models: readonly ModelDefinition[]): Registry => {
      const definitions = models.map((value) => ({ value, source: flatSource(`model ${value.name}`) }))
      return buildRegistry(definitions, { public: [], internal: FILE_MODELS }).registry
    }
    const picture = (name: string, was?: string): FieldDefinition => ({ name, type: 'image', ...(was !== undefined && { was }) })
    const file = {
      token: 'token12345',
      sha256: 'a'.repeat(64),
      size: 1,
      name: 'a',
      type: 'image/png',
      at: '2026-01-01T00:00:00.000Z',
    }
    const { store } = await open(withFiles(memo('Memo', [picture('photo'), picture('other')])))
    for (const field of ['photo', 'other', 'gone'])
      await store.transact([insert('storedfile', { ...file, model: 'memo', field })])
    await store.transact([insert('storedfile', { ...file, model: 'other', field: 'photo' })])
    const renamed = await open(withFiles(memo('Note', [picture('cover', 'photo'), picture('other')], { was: 'Memo' })))
    const places = (await contents(renamed.store, 'storedfile')).map(({ model, field }) => `${model}.${field}`)
    assert.deepEqual(places, ['note.cover', 'note.other', 'note.gone', 'other.photo'])
    assert.ok(renamed.warnings.includes('places of files: 3 records renamed'), renamed.warnings.join())
  })

  test('is applied to records in memory', async () => {
    const before = new MemoryStore(BEFORE)
    await fill(before)
    const after = new MemoryStore(AFTER)
    await after.adopt(before)
    assert.deepEqual(await contents(after, 'note'), RENAMED)
    const added = await after.transact([insert('note', {})])
    assert.equal(added.ok && added.records[0]?.id, 3)
  })
})

describe('both names present', () => {
  const WITHOUT_WAS = registryOf(memo('Note', [text('text')]))

  folderTest('records of both models are an error, which names the remedy', async (open) => {
    await fill((await open(BEFORE)).store)
    await (await open(WITHOUT_WAS)).store.transact([insert('note', { text: 'new' })])
    await assert.rejects(open(AFTER), (error: { code: string; message: string }) => {
      assert.equal(error.code, 'RENAME_CONFLICT')
      assert.match(error.message, /The model 'note' was 'memo', but records of both names are stored; remove `was`/)
      return true
    })
    assert.deepEqual(await contents((await open(WITHOUT_WAS)).store, 'note'), [{ id: 1, text: 'new' }])
  })

  folderTest('a present model without records gives way, and its ids are not used again', async (open) => {
    await fill((await open(BEFORE)).store)
    const { store } = await open(WITHOUT_WAS)
    for (let count = 0; count < 5; count++) await store.transact([insert('note', { text: 'new' })])
    await store.transact([1, 2, 3, 4, 5].map((id) => ({ kind: 'remove', table: 'note', id }) as const))
    const renamed = (await open(AFTER)).store
    assert.deepEqual(await contents(renamed, 'note'), RENAMED)
    const added = await renamed.transact([insert('note', {})])
    assert.equal(added.ok && added.records[0]?.id, 6)
  })

  test('different values of both fields are an error, which names the record', async () => {
    await inFolder(async (open) => {
      const fields = (was?: string) => registryOf(memo('Memo', [text('text', was)]))
      await (await open(BEFORE)).store.transact([insert('memo', { body: 'one' }), insert('memo', { body: 'two' })])
      await (await open(fields())).store.transact([{ kind: 'update', table: 'memo', id: 1, values: { text: null } }])
      const { store } = await open(fields('body'))
      assert.deepEqual(valuesOf(await contents(store, 'memo'), 'text'), ['one', 'two'])
    })
    await inFolder(async (open) => {
      const fields = (was?: string) => registryOf(memo('Memo', [text('text', was)]))
      await (await open(BEFORE)).store.transact([insert('memo', { body: 'one' })])
      await (await open(fields())).store.transact([{ kind: 'update', table: 'memo', id: 1, values: { text: 'other' } }])
      await assert.rejects(open(fields('body')), /has a field 'text' that was 'body', but record 1 has different values of both/)
    })
  })
})
