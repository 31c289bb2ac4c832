import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FaultyDisk, type Step } from '../../../helpers/store/faulty-disk.ts'
import { insert } from '../../../helpers/store/library.ts'
import { inFolder } from '../folder.ts'

/** The part of a journal that would survive a power cut at this moment. */
function safeIn(disk: FaultyDisk, path: string): string {
  return readFileSync(path)
    .subarray(0, disk.synced.get(path) ?? 0)
    .toString()
}

/** The steps with files of the journal. */
const kinds = (disk: FaultyDisk): string[] => disk.done.flatMap(({ kind, name }) => (name.startsWith('journal.') ? [kind] : []))

/** What is done to let `db.json` name the first journal. */
const NAMING: readonly Step[] = [
  { kind: 'look', name: 'db.json' },
  { kind: 'list', name: 'data' },
  { kind: 'create', name: 'db.json.new' },
  { kind: 'write', name: 'db.json.new' },
  { kind: 'write', name: 'db.json.new' },
  { kind: 'sync', name: 'db.json.new' },
  { kind: 'close', name: 'db.json.new' },
  { kind: 'rename', name: 'db.json.new' },
  { kind: 'syncFolder', name: 'data' },
]

describe('a transaction', () => {
  test('is written, then synced, then resolved; the folder of a new file is synced first', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, folder }) => {
        disk.done.length = 0
        await shelves.add('genre', { name: 'a' })
        assert.deepEqual(disk.done, [
          { kind: 'open', name: 'journal.1.log' },
          { kind: 'syncFolder', name: 'data' },
          // db.json names the journal before the transaction is written.
          ...NAMING,
          { kind: 'write', name: 'journal.1.log' },
          { kind: 'sync', name: 'journal.1.log' },
        ])
        assert.match(safeIn(disk, join(folder, 'journal.1.log')), /"name":"a"/)
        disk.done.length = 0
        await shelves.add('genre', { name: 'b' })
        assert.deepEqual(kinds(disk), ['write', 'sync'])
        assert.match(safeIn(disk, join(folder, 'journal.1.log')), /"name":"b"/)
      },
      { disk },
    )
  })

  for (const held of ['syncFolder', 'write', 'sync'] as const) {
    test(`does not resolve before the ${held} has ended`, async () => {
      const disk = new FaultyDisk()
      await inFolder(
        async ({ shelves }) => {
          const { reached, release } = disk.hold(held)
          let settled = false
          const writing = shelves.add('genre', { name: 'a' }).finally(() => {
            settled = true
          })
          await reached
          // Every promise that does not wait for the disk is settled by the next turn of the event loop.
          await new Promise((done) => setImmediate(done))
          assert.equal(settled, false)
          release()
          await writing
        },
        { disk },
      )
    })
  }

  test('that is rejected, rehearsed or empty does not use the disk', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store }) => {
        await shelves.add('genre', { name: 'a' })
        disk.done.length = 0
        await store.transact([insert('genre', { name: 'a' })])
        await store.transact([insert('genre', { name: 'b' })], 'rehearse')
        await store.transact([])
        assert.deepEqual(disk.done, [])
      },
      { disk },
    )
  })

  test('of 1,000 operations is one sync', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves }) => {
        await shelves.accept(Array.from({ length: 1000 }, (_, index) => insert('genre', { name: `genre ${index}` })))
        assert.deepEqual([disk.countInJournal('write'), disk.countInJournal('sync')], [1, 1])
      },
      { disk },
    )
  })
})

describe('fifty concurrent transactions', () => {
  test('are each synced before they resolve, and share few syncs', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, folder }) => {
        const path = join(folder, 'journal.1.log')
        const unsafe: string[] = []
        const add = async (index: number) => {
          await shelves.add('genre', { name: `genre ${index}.` })
          if (!safeIn(disk, path).includes(`"genre ${index}."`)) unsafe.push(`genre ${index}`)
        }
        await Promise.all(Array.from({ length: 50 }, (_, index) => add(index)))
        assert.deepEqual(unsafe, [], 'resolved before they were safe')
        assert.ok(disk.countInJournal('sync') <= 3, `50 transactions took ${disk.countInJournal('sync')} syncs`)
        const order = kinds(disk).filter((kind) => kind === 'write' || kind === 'sync')
        assert.deepEqual(order, Array.from({ length: order.length / 2 }, () => ['write', 'sync']).flat())
      },
      { disk },
    )
  })

  test('that arrive during a sync wait for the next one', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, folder }) => {
        await shelves.add('genre', { name: 'before' })
        const { reached, release } = disk.hold('sync')
        const first = shelves.add('genre', { name: 'first' })
        await reached
        const others = Array.from({ length: 49 }, (_, index) => shelves.add('genre', { name: `genre ${index}` }))
        release()
        await first
        assert.doesNotMatch(safeIn(disk, join(folder, 'journal.1.log')), /genre 0/)
        await Promise.all(others)
        assert.equal(disk.countInJournal('sync'), 3)
      },
      { disk },
    )
  })

  test('are written in the order in which they arrived', async () => {
    await inFolder(async ({ shelves, folder }) => {
      await Promise.all(Array.from({ length: 50 }, (_, index) => shelves.add('genre', { name: `${index}` })))
      const lines = readFileSync(join(folder, 'journal.1.log'), 'utf8').trimEnd().split('\n')
      assert.deepEqual(
        lines.map((line) => [line.split(' ')[2], /"name":"(\d+)"/.exec(line)?.[1]]),
        Array.from({ length: 50 }, (_, index) => [`${index + 1}`, `${index}`]),
      )
    })
  })
})
