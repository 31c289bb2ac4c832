import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import type { Change, Outcome } from '../../../src/store/store.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { diskError, FaultyDisk, type StepKind } from '../../helpers/store/faulty-disk.ts'
import { insert, Library, libraryRegistry, remove, update } from '../../helpers/store/library.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { Child } from './child.ts'
import { folderTest, genresOnDisk, inFolder, onDisk, type Place } from './folder.ts'

const unavailable = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, 'STORE_UNAVAILABLE')
  return true
}

/** A store on a `FaultyDisk`. */
function onFaultyDisk(body: (place: Place, disk: FaultyDisk) => Promise<void>): Promise<void> {
  const disk = new FaultyDisk()
  return inFolder((place) => body(place, disk).finally(() => disk.mend()), { disk })
}

const faultyDiskTest = testsOf(onFaultyDisk)

/** Two failures of the file system: before the journal exists, and when it is written. */
const OBSTACLES: readonly (readonly [name: string, kind: StepKind])[] = [
  ['the journal cannot be opened', 'open'],
  ['the journal cannot be written', 'write'],
]

describe('a failed write', () => {
  for (const [name, kind] of OBSTACLES) {
    faultyDiskTest(`${name}: nothing is applied, and writes succeed once the disk works again`, async (place, disk) => {
      const { shelves, store, folder } = place
      disk.fail('ENOSPC', kind)
      await assert.rejects(store.transact([insert('genre', { name: 'a' })]), unavailable)
      assert.deepEqual(await shelves.find('genre'), [[], 0])
      assert.deepEqual(await store.get('genre', [1]), [undefined])
      assert.deepEqual(await genresOnDisk(folder), [])
      disk.mend()
      // The unique value is free again.
      const { id } = await shelves.add('genre', { name: 'a' })
      assert.deepEqual(await (await place.reopen()).shelves.ids('genre'), [id])
    })
  }

  faultyDiskTest('does not disclose paths; its cause is the system error', async ({ store, folder }, disk) => {
    disk.fail('ENOSPC', 'write')
    await assert.rejects(store.transact([insert('genre', { name: 'a' })]), (error: unknown) => {
      assert.ok(error instanceof AppError, String(error))
      assert.ok(error.cause instanceof Error, 'there is no cause')
      assert.ok(!error.message.includes(folder), error.message)
      return true
    })
  })

  faultyDiskTest('leaves a new store new', async ({ store }, disk) => {
    disk.fail('ENOSPC', 'write')
    await assert.rejects(store.transact([insert('genre', { name: 'a' })]), unavailable)
    assert.equal(store.isNew, true)
  })

  faultyDiskTest('reverts updates, removals and cascades', async ({ shelves, store, folder, reopen }, disk) => {
    await shelves.add('series', { name: 's' })
    await shelves.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await shelves.addBook({ series_id: 1, genres: [1, 2], isbn: 'held' })
    await shelves.accept([insert('review', { book_id: 1 }), insert('cover', { book_id: 1 })])
    const before = await shelves.everything()
    disk.fail('ENOSPC', 'write')
    const batches = [
      [remove('series', 1)],
      [remove('genre', 2), update('genre', 1, { name: 'b' })],
      [update('author', 1, { name: 'other' }), remove('book', 1)],
    ]
    for (const batch of batches) {
      await assert.rejects(store.transact(batch), unavailable)
      assert.deepEqual(await shelves.everything(), before)
      assert.deepEqual(await onDisk(folder), before)
    }
    disk.mend()
    // Unique values and references are restored, too.
    await shelves.refuse([insert('genre', { name: 'b' })], [{ kind: 'unique', index: 0, field: 'name' }])
    await shelves.accept([insert('genre', { name: 'other' }), remove('series', 1)])
    const again = (await reopen()).shelves
    assert.deepEqual([await again.ids('book'), await again.ids('review'), await again.ids('cover')], [[], [], []])
  })

  faultyDiskTest('is reported to listeners as its opposite, in the step that reverts it', async ({ shelves, store }, disk) => {
    await shelves.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    const told: (readonly Change[])[] = []
    store.onChange((changes) => told.push(changes))
    disk.fail('ENOSPC', 'open', 'write')
    const doomed = [
      store.transact([update('genre', 1, { name: 'c' }), remove('genre', 2)]),
      store.transact([insert('genre', { name: 'b' }), update('genre', 1, { name: 'd' })]),
    ]
    const ends = Promise.allSettled(doomed)
    const was = (await shelves.find('genre'))[0].map(({ name }) => name)
    assert.deepEqual(was, ['d', 'b'], 'what is not on disk yet is seen, and told of')
    assert.equal(told.length, 2)
    assert.deepEqual(valuesOf(await ends, 'status'), ['rejected', 'rejected'])
    const flat = told.map((changes) => changes.map(({ id, before, after }) => `${id}: ${before?.name} → ${after?.name}`))
    assert.deepEqual(flat.slice(2), [
      ['1: d → c', '3: b → undefined'],
      ['2: undefined → b', '1: c → a'],
    ])
  })

  faultyDiskTest(
    'fails all transactions that wait for it, since later ones build on earlier ones',
    async ({ shelves, store, reopen }, disk) => {
      await shelves.add('genre', { name: 'before' })
      disk.fail('ENOSPC', 'write')
      const outcomes = await Promise.allSettled([
        store.transact([insert('genre', { name: 'a' }, 10)]),
        store.transact([update('genre', 10, { name: 'b' })]),
        store.transact([insert('category', { name: 'c', parent_id: null }, 20)]),
        store.transact([insert('category', { name: 'd', parent_id: 20 })]),
        store.transact([remove('genre', 1)]),
      ])
      for (const outcome of outcomes) {
        assert.equal(outcome.status, 'rejected')
        if (outcome.status === 'rejected') unavailable(outcome.reason)
      }
      assert.deepEqual([await shelves.ids('genre'), await shelves.ids('category')], [[1], []])
      disk.mend()
      await shelves.add('genre', { name: 'after' })
      const again = (await reopen()).shelves
      const [records] = await again.find('genre')
      assert.deepEqual(valuesOf(records, 'name'), ['before', 'after'])
    },
  )

  faultyDiskTest('never gives an id to two records, even one that was never returned', async ({ shelves, store }, disk) => {
    await shelves.add('genre', { name: 'a' })
    disk.fail('ENOSPC', 'write')
    await assert.rejects(store.transact([insert('genre', { name: 'b' })]), unavailable)
    disk.mend()
    const ids = (await Promise.all(['c', 'd', 'e'].map((name) => shelves.add('genre', { name })))).map(({ id }) => id)
    assert.equal(new Set([1, ...ids]).size, 4)
  })

  faultyDiskTest('does not prevent the store from closing', async ({ store, folder }, disk) => {
    disk.fail('ENOSPC', 'write')
    const pending = assert.rejects(store.transact([insert('genre', { name: 'a' })]), unavailable)
    await store.close()
    await pending
    assert.deepEqual((await onDisk(folder)).genre, [])
    assert.ok(!(await readdir(folder)).includes('lock'), 'the folder was not given back')
  })
})

describe('a successful write', () => {
  folderTest('is on disk when the transaction resolves', async ({ shelves, folder }) => {
    for (const name of ['a', 'b', 'c']) {
      await shelves.add('genre', { name })
      assert.equal((await genresOnDisk(folder)).at(-1), name)
    }
  })

  test('is on disk for each of many concurrent transactions, which share few writes', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ store, folder }) => {
        const lost: string[] = []
        const waiting = Array.from({ length: 100 }, async (_, index) => {
          await store.transact([insert('genre', { name: `genre ${index}.` })])
          // No other write ends between the resolution and this read.
          const text = readFileSync(join(folder, 'journal.1.log'), 'utf8')
          if (!text.includes(`"genre ${index}."`)) lost.push(`genre ${index}`)
        })
        await Promise.all(waiting)
        assert.deepEqual(lost, [], 'not on disk when their transactions resolved')
        assert.ok(disk.countInJournal('write') <= 3, `100 transactions took ${disk.countInJournal('write')} writes`)
      },
      { disk },
    )
  })

  folderTest('follows the present one for transactions that arrive during it', async ({ shelves, folder, reopen }) => {
    const earlier = shelves.add('genre', { name: 'a' })
    await shelves.add('genre', { name: 'b' })
    assert.deepEqual(await genresOnDisk(folder), ['a', 'b'])
    await earlier
    assert.deepEqual(await (await reopen()).shelves.ids('genre'), [1, 2])
  })

  faultyDiskTest('remains when the next one fails', async ({ shelves, store, folder, reopen }, disk) => {
    let writes = 0
    disk.before = ({ kind, name }) => {
      if (kind === 'write' && name === 'journal.1.log' && ++writes > 1) throw diskError('ENOSPC')
    }
    const earlier = shelves.add('genre', { name: 'a' })
    const later = assert.rejects(store.transact([update('genre', 1, { name: 'b' })]), unavailable)
    await Promise.all([earlier, later])
    assert.deepEqual((await shelves.expect('genre', 1)).name, 'a')
    assert.deepEqual(await genresOnDisk(folder), ['a'])
    disk.mend()
    assert.deepEqual((await (await reopen()).shelves.expect('genre', 1)).name, 'a')
  })

  test('survives the death of the process', { timeout: 120_000 }, async () => {
    const folder = await temporaryFolder()
    const data = join(folder.path, 'data')
    const writer = new Child('writer-child.ts', data)
    try {
      const told: number[] = []
      while (told.length < 30) told.push(Number(await writer.line()))
      told.push(...(await writer.kill()).map(Number))
      const store = await FileStore.open(data, libraryRegistry(), 'write')
      const ids = await new Library(store).ids('genre')
      await store.close()
      assert.deepEqual(
        told.filter((id) => !ids.includes(id)),
        [],
      )
      assert.deepEqual(
        (await readdir(data)).filter((name) => name !== 'db.json.new'),
        ['db.json'],
      )
    } finally {
      await writer.kill()
      await folder.remove()
    }
  })
})

describe('close', () => {
  folderTest('waits for accepted transactions', async ({ store, folder }) => {
    const settled: Outcome[] = []
    const waiting = ['a', 'b', 'c'].map((name) =>
      store.transact([insert('genre', { name })]).then((outcome) => settled.push(outcome)),
    )
    await store.close()
    assert.deepEqual(await readdir(folder), ['db.json'])
    assert.deepEqual(await genresOnDisk(folder), ['a', 'b', 'c'])
    await Promise.all(waiting)
    assert.deepEqual(valuesOf(settled, 'ok'), [true, true, true])
  })

  folderTest('rejects later transactions, also while it waits', async ({ store, reopen }) => {
    const accepted = store.transact([insert('genre', { name: 'a' })])
    const closed = store.close()
    await assert.rejects(store.transact([insert('genre', { name: 'b' })]), unavailable)
    await Promise.all([accepted, closed])
    await assert.rejects(store.transact([insert('genre', { name: 'c' })]), unavailable)
    assert.deepEqual(await (await reopen()).shelves.ids('genre'), [1])
  })

  folderTest('called again does not affect the next holder of the folder', async ({ store, folder, registry, reopen }) => {
    await reopen()
    await store.close()
    await assert.rejects(FileStore.open(folder, registry, 'write'), { name: 'AppError', code: 'DATA_IN_USE' })
  })

  folderTest('called twice resolves both calls when the store is closed', async ({ shelves, store, folder }) => {
    await shelves.add('genre', { name: 'a' })
    const closed = store.close()
    await store.close()
    assert.deepEqual(await readdir(folder), ['db.json'])
    await closed
  })

  for (const [name, path] of [
    ['opened', ({ file }: Place) => `${file}.new`],
    ['put in place', ({ file }: Place) => file],
  ] as const) {
    test(`keeps the journal, with a warning, when the new db.json cannot be ${name}`, async () => {
      const warnings: string[] = []
      await inFolder(
        async (place) => {
          const { shelves, store, folder } = place
          await mkdir(path(place))
          for (const genre of ['a', 'b']) await shelves.add('genre', { name: genre })
          await store.close()
          // The first transaction, which lets it name the journal, and the close.
          assert.equal(warnings.length, 2)
          for (const warning of warnings) assert.match(warning, /Compaction failed/)
          assert.deepEqual(await readdir(folder), [basename(path(place)), 'journal.1.log'])
          await rmdir(path(place))
          const again = await place.reopen()
          assert.deepEqual((await again.shelves.find('genre'))[0], [
            { id: 1, name: 'a' },
            { id: 2, name: 'b' },
          ])
          assert.equal((await again.shelves.add('genre', { name: 'c' })).id, 3)
          await again.store.close()
          assert.deepEqual(await readdir(folder), ['db.json'])
          assert.deepEqual(await genresOnDisk(folder), ['a', 'b', 'c'])
          assert.equal(warnings.length, 2)
        },
        { warn: (message) => warnings.push(message) },
      )
    })
  }

  folderTest('loses nothing when compaction fails at every close and start', async ({ shelves, store, file, folder, reopen }) => {
    await shelves.add('genre', { name: '0' })
    await mkdir(`${file}.new`)
    await store.close()
    for (const name of ['1', '2', '3']) {
      const again = await reopen()
      await again.shelves.add('genre', { name })
      await again.store.close()
    }
    assert.deepEqual(await genresOnDisk(folder), ['0', '1', '2', '3'])
    await rmdir(`${file}.new`)
    await (await reopen()).store.close()
    assert.deepEqual(await readdir(folder), ['db.json'])
    assert.deepEqual(await genresOnDisk(folder), ['0', '1', '2', '3'])
  })
})
