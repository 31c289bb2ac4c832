import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../../src/errors.ts'
import { readEntries } from '../../../../src/store/embedded/files/journal-format.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { diskError, FaultyDisk, type StepKind } from '../../../helpers/store/faulty-disk.ts'
import { insert, type Library } from '../../../helpers/store/library.ts'
import { testsOf } from '../../../helpers/tests-of.ts'
import { copyAsCrashed, genresOnDisk, inFolder, journalsIn, type Place, whenOpened } from '../folder.ts'

const unavailable = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, 'STORE_UNAVAILABLE')
  return true
}

/** A store with the genres `a` and `b` on a `FaultyDisk`. */
function onFaultyDisk(body: (place: Place, disk: FaultyDisk) => Promise<void>): Promise<void> {
  const disk = new FaultyDisk()
  return inFolder(
    async (place) => {
      for (const name of ['a', 'b']) await place.shelves.add('genre', { name })
      try {
        await body(place, disk)
      } finally {
        disk.mend()
      }
    },
    { disk },
  )
}

const faultyDiskTest = testsOf(onFaultyDisk)

const names = async (shelves: Library): Promise<unknown[]> => (await shelves.find('genre'))[0].map(({ name }) => name)

/** The names that the next start would find after a crash now. Asserts the number of its warnings. */
async function namesAfterCrash(folder: string, warnings = 0): Promise<unknown[]> {
  await using copy = await temporaryFolder()
  copyAsCrashed(folder, copy.path)
  return await whenOpened(copy.path, async (shelves, said) => {
    assert.equal(said.length, warnings, said.join('\n'))
    return names(shelves)
  })
}

const journal = ({ folder }: Place): Buffer => readFileSync(join(folder, 'journal.1.log'))

/** Makes a disk fail after some bytes of a write. */
function failHalfWay(disk: FaultyDisk, code: string, ...more: readonly StepKind[]): void {
  let writes = 0
  disk.bytesPerWrite = 30
  disk.before = ({ kind }) => {
    if ((kind === 'write' && ++writes > 1) || more.includes(kind)) throw diskError(code)
  }
}

/** Failures of a write after which the content of the file is known. */
const WRITE_FAULTS: readonly (readonly [name: string, break_: (disk: FaultyDisk) => void])[] = [
  ['that the disk has no room for', (disk) => disk.fail('ENOSPC', 'write')],
  ['of which only a part was written', (disk) => failHalfWay(disk, 'ENOSPC')],
  [
    'of which the disk takes nothing',
    (disk) => {
      disk.bytesPerWrite = 0
    },
  ],
]

describe('a write', () => {
  for (const [name, break_] of WRITE_FAULTS) {
    faultyDiskTest(`${name} leaves nothing in the journal, and later writes succeed`, async (place, disk) => {
      const { shelves, store, folder } = place
      const before = journal(place)
      for (let attempt = 0; attempt < 2; attempt++) {
        break_(disk)
        await assert.rejects(store.transact([insert('genre', { name: 'c' })]), unavailable)
        assert.deepEqual(journal(place), before)
        assert.deepEqual(await names(shelves), ['a', 'b'])
        assert.deepEqual(await namesAfterCrash(folder), ['a', 'b'])
      }
      disk.mend()
      // The unique value is free again.
      await shelves.add('genre', { name: 'c' })
      assert.deepEqual(await namesAfterCrash(folder), ['a', 'b', 'c'])
      assert.deepEqual(await names((await place.reopen()).shelves), ['a', 'b', 'c'])
    })

    faultyDiskTest(`${name} fails all transactions of its batch, and no others`, async (place, disk) => {
      const { store, folder } = place
      break_(disk)
      const add = (name: string) => store.transact([insert('genre', { name })])
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => add(`lost ${index}`)))
      for (const outcome of outcomes) {
        assert.equal(outcome.status, 'rejected')
        if (outcome.status === 'rejected') unavailable(outcome.reason)
      }
      disk.mend()
      await Promise.all(['c', 'd', 'e'].map(add))
      assert.deepEqual(readEntries(journal(place), 1).rest, 'none')
      assert.deepEqual(await namesAfterCrash(folder), ['a', 'b', 'c', 'd', 'e'])
    })
  }

  faultyDiskTest('is complete when the disk accepts few bytes at a time', async (place, disk) => {
    disk.bytesPerWrite = 7
    const many = Array.from({ length: 40 }, (_, index) => `ü ${index}`)
    await Promise.all(many.map((name) => place.shelves.add('genre', { name })))
    assert.equal(readEntries(journal(place), 1).entries.length, 42)
    assert.ok(disk.count('write') > 40, 'the disk took more than it should have')
    assert.deepEqual(await namesAfterCrash(place.folder), ['a', 'b', ...many])
  })

  for (const kind of ['open', 'syncFolder'] as const) {
    test(`whose journal file cannot be created (${kind}) is rejected, and the next one creates it`, async () => {
      const disk = new FaultyDisk()
      await inFolder(
        async ({ shelves, store, folder, reopen }) => {
          disk.fail('EACCES', kind)
          await assert.rejects(store.transact([insert('genre', { name: 'a' })]), unavailable)
          assert.equal(store.isNew, true)
          assert.deepEqual(await namesAfterCrash(folder), [])
          disk.mend()
          await shelves.add('genre', { name: 'a' })
          assert.deepEqual(await namesAfterCrash(folder), ['a'])
          assert.deepEqual(await names((await reopen()).shelves), ['a'])
        },
        { disk },
      )
    })
  }
})

/** Failures of a write after which the content of the file is unknown. `half`: a part was written. */
const LASTING_FAULTS: readonly (readonly [name: string, break_: (disk: FaultyDisk) => void, half: boolean])[] = [
  ['cannot be confirmed', (disk) => disk.fail('EIO', 'sync'), false],
  ['fails half way and cannot be taken back', (disk) => failHalfWay(disk, 'EIO', 'truncate'), true],
]

describe('a store whose write', () => {
  for (const [name, break_, half] of LASTING_FAULTS) {
    faultyDiskTest(`${name} rejects writes until it is reopened, and still answers reads`, async (place, disk) => {
      const { shelves, store, folder } = place
      break_(disk)
      const lost = ['c', 'd'].map((name) => assert.rejects(store.transact([insert('genre', { name })]), unavailable))
      await Promise.all(lost)
      // Although the disk works again.
      disk.mend()
      const done = disk.done.length
      await assert.rejects(store.transact([insert('genre', { name: 'e' })]), unavailable)
      await assert.rejects(store.transact([insert('genre', { name: 'e' })], 'rehearse'), unavailable)
      assert.equal(disk.done.length, done, 'the disk was asked for something')
      assert.deepEqual(await names(shelves), ['a', 'b'])
      assert.deepEqual(await store.get('genre', [1, 3]), [{ id: 1, name: 'a' }, undefined])
      const crashed = await namesAfterCrash(folder, half ? 1 : 0)
      await store.close()
      assert.deepEqual(journalsIn(folder), ['journal.1.log'], 'a journal with unknown content must not be compacted')
      const again = await place.reopen()
      const found = await names(again.shelves)
      assert.deepEqual(found, crashed)
      // Acknowledged records are there. The others may be there or not, in order.
      assert.deepEqual(found, ['a', 'b', 'c', 'd'].slice(0, Math.max(2, found.length)))
      if (half) assert.deepEqual(found, ['a', 'b'])
      await again.shelves.add('genre', { name: 'e' })
      assert.deepEqual(await genresOnDisk(folder), [...found, 'e'])
    })
  }

  faultyDiskTest('is never confirmed has the system error as its cause, for the log', async ({ store }, disk) => {
    disk.fail('EIO', 'sync')
    await assert.rejects(store.transact([insert('genre', { name: 'c' })]), (error: unknown) => {
      assert.ok(error instanceof AppError, String(error))
      assert.ok(error.cause instanceof Error && error.cause.cause instanceof Error, 'there is no cause')
      assert.match(error.cause.cause.message, /EIO/)
      return true
    })
  })
})

describe('a journal that cannot be rotated', () => {
  for (const kind of ['open', 'syncFolder'] as const) {
    test(`keeps growing (${kind}), and may end with a torn write`, async () => {
      const disk = new FaultyDisk()
      const warnings: string[] = []
      await inFolder(
        async ({ shelves, folder, reopen }) => {
          await shelves.add('genre', { name: 'a' })
          let attempts = 0
          disk.before = (step) => {
            if (step.kind !== kind) return
            attempts++
            throw diskError('EMFILE')
          }
          const more = ['b', 'c', 'd', 'e', 'f'].map((name) => `${name} ${'x'.repeat(50)}`)
          for (const name of more) await shelves.add('genre', { name })
          assert.equal(warnings.length, 1, warnings.join('\n'))
          assert.match(warnings[0] ?? '', /could not be rotated.*EMFILE/)
          assert.equal(attempts, 2, 'it is to be tried again when the journal is twice as long')
          assert.deepEqual(await namesAfterCrash(folder), ['a', ...more])
          // The process is killed while it writes another line.
          const copy = await temporaryFolder()
          copyAsCrashed(folder, copy.path)
          const path = join(copy.path, 'journal.1.log')
          writeFileSync(path, '0000', { flag: 'a' })
          assert.deepEqual(await namesAfterCrash(copy.path, 1), ['a', ...more])
          await copy.remove()
          disk.mend()
          await shelves.add('genre', { name: 'g' })
          assert.deepEqual(await names((await reopen()).shelves), ['a', ...more, 'g'])
        },
        { disk, minJournalBytes: 200, warn: (message) => warnings.push(message) },
      )
    })
  }
})

faultyDiskTest('a journal is readable by its owner only', async ({ folder }) => {
  assert.equal(statSync(join(folder, 'journal.1.log')).mode & 0o777, 0o600)
})
