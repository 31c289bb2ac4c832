import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../../src/errors.ts'
import { readEntries } from '../../../../src/store/embedded/journal/format.ts'
import { diskError, FaultyDisk, type StepKind } from '../../../helpers/faulty-disk.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { insert, type Library } from '../../../helpers/store-contract/library.ts'
import { copyAsCrashed, genresOnDisk, inFolder, journalsIn, type Place, whenOpened } from '../folder.ts'

const unavailable = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, 'STORE_UNAVAILABLE')
  return true
}

/** A store with the genres `a` and `b`, on a disk that can be made to fail. */
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

const names = async (shelves: Library): Promise<unknown[]> => (await shelves.find('genre'))[0].map(({ name }) => name)

/** The names that the next start finds when the process dies now; the start must have nothing to say but `warnings` things. */
async function namesAfterCrash(folder: string, warnings = 0): Promise<unknown[]> {
  const copy = await temporaryFolder()
  try {
    copyAsCrashed(folder, copy.path)
    return await whenOpened(copy.path, async (shelves, said) => {
      assert.equal(said.length, warnings, said.join('\n'))
      return names(shelves)
    })
  } finally {
    await copy.remove()
  }
}

const journal = ({ folder }: Place): Buffer => readFileSync(join(folder, 'journal.1.log'))

/** Makes a disk take some bytes of a write and fail then. */
function failHalfWay(disk: FaultyDisk, code: string, ...more: readonly StepKind[]): void {
  let writes = 0
  disk.bytesPerWrite = 30
  disk.before = ({ kind }) => {
    if ((kind === 'write' && ++writes > 1) || more.includes(kind)) throw diskError(code)
  }
}

/** Ways for a write to fail after which the disk can be trusted. */
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
    test(`${name} leaves nothing behind, and the next ones go on`, async () => {
      await onFaultyDisk(async (place, disk) => {
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
    })

    test(`${name} fails everything that waits with it, and only that`, async () => {
      await onFaultyDisk(async (place, disk) => {
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
    })
  }

  test('of which the disk takes few bytes at a time is whole', async () => {
    await onFaultyDisk(async (place, disk) => {
      disk.bytesPerWrite = 7
      const many = Array.from({ length: 40 }, (_, index) => `ü ${index}`)
      await Promise.all(many.map((name) => place.shelves.add('genre', { name })))
      assert.equal(readEntries(journal(place), 1).entries.length, 42)
      assert.ok(disk.count('write') > 40, 'the disk took more than it should have')
      assert.deepEqual(await namesAfterCrash(place.folder), ['a', 'b', ...many])
    })
  })

  for (const kind of ['open', 'syncFolder'] as const) {
    test(`whose journal cannot be begun (${kind}) is refused, and the next one begins it`, async () => {
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

/** Ways for a write to fail after which nobody knows what is on the disk. `half`: a part of it is. */
const LASTING_FAULTS: readonly (readonly [name: string, break_: (disk: FaultyDisk) => void, half: boolean])[] = [
  ['cannot be confirmed', (disk) => disk.fail('EIO', 'sync'), false],
  ['fails half way and cannot be taken back', (disk) => failHalfWay(disk, 'EIO', 'truncate'), true],
]

describe('a store whose write', () => {
  for (const [name, break_, half] of LASTING_FAULTS) {
    test(`${name} takes no more writes until it is opened again, and is read from`, async () => {
      await onFaultyDisk(async (place, disk) => {
        const { shelves, store, folder } = place
        break_(disk)
        const lost = ['c', 'd'].map((name) => assert.rejects(store.transact([insert('genre', { name })]), unavailable))
        await Promise.all(lost)
        // Even though the disk says that it is well again.
        disk.mend()
        const done = disk.done.length
        await assert.rejects(store.transact([insert('genre', { name: 'e' })]), unavailable)
        await assert.rejects(store.transact([insert('genre', { name: 'e' })], 'rehearse'), unavailable)
        assert.equal(disk.done.length, done, 'the disk was asked for something')
        assert.deepEqual(await names(shelves), ['a', 'b'])
        assert.deepEqual(await store.get('genre', [1, 3]), [{ id: 1, name: 'a' }, undefined])
        const crashed = await namesAfterCrash(folder, half ? 1 : 0)
        await store.close()
        assert.deepEqual(
          journalsIn(folder),
          ['journal.1.log'],
          'the journal must not be folded by who does not know what it holds',
        )
        const again = await place.reopen()
        const found = await names(again.shelves)
        assert.deepEqual(found, crashed)
        // What nobody knows of may be there or not, in order; what was acknowledged is there.
        assert.deepEqual(found, ['a', 'b', 'c', 'd'].slice(0, Math.max(2, found.length)))
        if (half) assert.deepEqual(found, ['a', 'b'])
        await again.shelves.add('genre', { name: 'e' })
        assert.deepEqual(await genresOnDisk(folder), [...found, 'e'])
      })
    })
  }

  test('is never confirmed keeps the reason for the log', async () => {
    await onFaultyDisk(async ({ store }, disk) => {
      disk.fail('EIO', 'sync')
      await assert.rejects(store.transact([insert('genre', { name: 'c' })]), (error: unknown) => {
        assert.ok(error instanceof AppError, String(error))
        assert.ok(error.cause instanceof Error && error.cause.cause instanceof Error, 'there is no cause')
        assert.match(error.cause.cause.message, /EIO/)
        return true
      })
    })
  })
})

describe('a journal that cannot be sealed', () => {
  for (const kind of ['open', 'syncFolder'] as const) {
    test(`goes on growing (${kind}), and may end torn`, async () => {
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
          assert.match(warnings[0] ?? '', /sealed.*EMFILE/)
          assert.equal(attempts, 2, 'it is to be tried again when the journal is twice as long')
          assert.deepEqual(await namesAfterCrash(folder), ['a', ...more])
          // The process dies while it writes one more line.
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

test('a journal is for its owner alone', async () => {
  await onFaultyDisk(async ({ folder }) => {
    assert.equal(statSync(join(folder, 'journal.1.log')).mode & 0o777, 0o600)
  })
})
