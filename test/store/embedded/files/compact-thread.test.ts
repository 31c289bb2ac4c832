import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FileStore } from '../../../../src/store/embedded/file-store.ts'
import { type CompactionRunner, type CompactionTask, compactInThread } from '../../../../src/store/embedded/files/compact.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { Counting, counter, countOf } from '../counting.ts'
import { inFolder, journalsIn, onDisk } from '../folder.ts'

describe('compaction in a worker thread', () => {
  test('loses nothing during writes', async () => {
    const warnings: string[] = []
    let count = 0
    const countedCompact: CompactionRunner = async (task) => {
      const result = await compactInThread(task)
      count++
      return result
    }
    await inFolder(
      async ({ shelves, store, folder, reopen }) => {
        await shelves.accept([counter])
        const counting = new Counting(store)
        while (count < 3) {
          await counting.writeUntil(counting.attempted + 100, 4)
          assert.equal(countOf(await onDisk(folder)), counting.attempted)
        }
        await store.close()
        assert.deepEqual(readdirSync(folder), ['db.json'])
        assert.equal(countOf(await (await reopen()).shelves.everything()), counting.attempted)
        assert.deepEqual(warnings, [])
      },
      { compact: countedCompact, minJournalBytes: 1000, warn: (message) => warnings.push(message) },
    )
  })

  test('that fails warns, keeps the journal and does not stop the store', async () => {
    const warnings: string[] = []
    await inFolder(
      async ({ shelves, store, folder, file, reopen }) => {
        await shelves.add('genre', { name: 'a' })
        // An edit of the file beside a running server is validated by the next start.
        writeFileSync(file, '{"format": 1, "sequence": 0, "tables": {"stranger": {"records": [{"id": 4}]}}}')
        const counting = new Counting(store)
        await shelves.accept([counter])
        await counting.writeUntil(20, 2)
        while (warnings.length === 0) await counting.writeUntil(counting.attempted + 10, 2)
        assert.match(warnings[0] ?? '', /Compaction failed, so the journal is kept: db\.json was changed by another program/)
        await store.close()
        assert.ok(journalsIn(folder).length > 1, 'the journal was removed')
        const again = await reopen()
        assert.equal(countOf(await again.shelves.everything()), counting.attempted)
        assert.deepEqual(journalsIn(folder), [])
      },
      { minJournalBytes: 1000, warn: (message) => warnings.push(message) },
    )
  })

  test('compacts large files when the store is closed, too', async () => {
    const tasks: CompactionTask[] = []
    const compact: CompactionRunner = (task) => {
      tasks.push(task)
      return compactInThread(task)
    }
    await inFolder(
      async ({ shelves, store, folder, reopen }) => {
        await shelves.add('genre', { name: 'a' })
        await store.close()
        assert.deepEqual(tasks, [], 'small files are compacted by the thread of the store')
        const again = await reopen()
        const names = Array.from({ length: 5 }, (_, index) => `${index}${'x'.repeat(1 << 20)}`)
        for (const name of names) await again.shelves.add('genre', { name })
        await again.store.close()
        assert.deepEqual(tasks, [{ folder }])
        assert.deepEqual(readdirSync(folder), ['db.json'])
        const { genre = [] } = await (await reopen()).shelves.everything()
        assert.deepEqual(valuesOf(genre, 'name'), ['a', ...names])
      },
      { compact },
    )
  })

  test('is the default, and closing waits for it', async () => {
    const temporary = await temporaryFolder()
    const folder = join(temporary.path, 'data')
    const store = await FileStore.open(folder, libraryRegistry(), 'write', { minJournalBytes: 100 })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const outcome = await store.transact([{ kind: 'insert', table: 'genre', values: { name } }])
      assert.ok(outcome.ok, 'a record was refused')
    }
    await store.close()
    assert.deepEqual(readdirSync(folder), ['db.json'])
    assert.equal((await onDisk(folder)).genre?.length, 6)
    await temporary.remove()
  })

  test('is used by a close whose journal is long, since the records are in the heap of this thread', async () => {
    for (const [length, expected] of [
      [100, 0],
      [5 << 20, 1],
    ] as const) {
      const temporary = await temporaryFolder()
      const folder = join(temporary.path, 'data')
      let [count, isClosing] = [0, false]
      const compact: CompactionRunner = (task) => {
        if (isClosing) count++
        return compactInThread(task)
      }
      const store = await FileStore.open(folder, libraryRegistry(), 'write', { compact })
      await store.transact([{ kind: 'insert', table: 'genre', values: { name: 'x'.repeat(length) } }])
      isClosing = true
      await store.close()
      assert.equal(count, expected)
      assert.deepEqual(readdirSync(folder), ['db.json'])
      assert.equal((await onDisk(folder)).genre?.length, 1)
      await temporary.remove()
    }
  })

  test('rejects if it fails in the thread', async () => {
    const temporary = await temporaryFolder()
    const path = join(temporary.path, 'journal.7.log')
    writeFileSync(path, 'x')
    await assert.rejects(compactInThread({ folder: temporary.path }), /starts with transaction 7/)
    await temporary.remove()
  })
})
