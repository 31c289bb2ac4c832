import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { FaultyDisk } from '../../helpers/store/faulty-disk.ts'
import { insert, libraryRegistry } from '../../helpers/store/library.ts'
import { inFolder, journalsIn } from './folder.ts'

describe('the status of a file store', () => {
  test('states the length of the journal', () =>
    inFolder(async ({ folder, store, shelves }) => {
      assert.equal((await store.status()).journalBytes, 0, 'nothing was written yet')
      await shelves.add('genre', { name: 'a' })
      await shelves.add('genre', { name: 'b' })
      const [journal = ''] = journalsIn(folder)
      const { size } = statSync(join(folder, journal))
      assert.ok(size > 0, 'the journal is empty')
      assert.equal((await store.status()).journalBytes, size)
    }))

  test('accepts no writes after a failed sync', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ store, shelves }) => {
        await shelves.add('genre', { name: 'a' })
        disk.fail('EIO', 'sync')
        await assert.rejects(store.transact([insert('genre', { name: 'b' })]))
        disk.mend()
        const { takesWrites, records } = await store.status()
        assert.equal(takesWrites, false)
        assert.equal(records.get('genre'), 1)
      },
      { disk },
    )
  })

  test('accepts writes after one that failed and was reverted', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ store }) => {
        disk.fail('ENOSPC', 'write')
        await assert.rejects(store.transact([insert('genre', { name: 'a' })]))
        disk.mend()
        assert.equal((await store.status()).takesWrites, true)
      },
      { disk },
    )
  })

  test('accepts none when open for reading, or closed', () =>
    inFolder(async ({ folder, store, shelves }) => {
      await shelves.add('genre', { name: 'a' })
      const reader = await FileStore.open(folder, libraryRegistry(), 'read')
      assert.equal((await reader.status()).takesWrites, false)
      await reader.close()
      await store.close()
      assert.equal((await store.status()).takesWrites, false)
    }))
})
