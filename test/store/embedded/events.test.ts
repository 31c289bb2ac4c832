import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { readEntries } from '../../../src/store/embedded/files/journal-format.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'

const AT = '2026-01-15T12:00:00.000Z'

test('an event is in the same journal line as its record', async () => {
  await using folder = await temporaryFolder()
  const store = await FileStore.open(folder.path, libraryRegistry(), 'write')
  const audience = new Map([['genre', { create: [] as number[], delete: [1] }]])
  const order = { table: 'event', audience, key: 'key', at: AT }
  await store.transact([{ kind: 'insert', table: 'listener', values: {} }])
  await store.transact([{ kind: 'insert', table: 'genre', values: { name: 'a' } }], 'commit', { events: order })
  await store.transact([{ kind: 'remove', table: 'genre', id: 1 }], 'commit', { events: order })
  const [name = ''] = (await readdir(folder.path)).filter((each) => each.startsWith('journal.'))
  const { entries } = readEntries(await readFile(join(folder.path, name)), 1)
  assert.deepEqual(
    entries.map(({ changes }) => changes.map(([table, id]) => `${table} ${id}`)),
    [['listener 1'], ['genre 1'], ['genre 1', 'event 1']],
  )
  assert.equal(entries[2]?.nextIds.event, 2)
  await store.close()
})
