import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/errors.ts'
import type { FileStoreOptions } from '../../../src/store/embedded/file-store.ts'
import { diskError, FaultyDisk } from '../../helpers/store/faulty-disk.ts'
import { insert, remove, update } from '../../helpers/store/library.ts'
import { inFolder, onDisk } from './folder.ts'

const COUNT = 1000

/**
 * Every slice is over as soon as it has begun, so that a transaction of many operations has many turns.
 *
 * @param paused is called before each turn
 */
function inTurns(paused: () => void = () => {}): FileStoreOptions {
  let now = 0
  const pause = () => {
    paused()
    return nextTurn()
  }
  return { slices: { now: () => (now += 1000), pause } }
}

const genres = (from = 0) => Array.from({ length: COUNT }, (_, index) => insert('genre', { name: `genre ${from + index}` }))

/** Counts the turns of the event loop until a promise is settled. */
async function turnsUntil(promise: Promise<unknown>, each: () => Promise<void> = async () => {}): Promise<number> {
  let turns = 0
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  while (!isSettled) {
    await each()
    await nextTurn()
    turns++
  }
  return turns
}

describe('a transaction of many operations', () => {
  test('lets other work run while it is staged and applied, and reads see all of it or nothing', () =>
    inFolder(async ({ shelves, store }) => {
      const totals = new Set<number>()
      const found = new Set<number>()
      const writing = shelves.accept(genres())
      const turns = await turnsUntil(writing, async () => {
        totals.add((await shelves.find('genre'))[1])
        found.add((await store.get('genre', [1, COUNT])).filter((record) => record !== undefined).length)
      })
      assert.ok(turns > 20, `${turns} turns`)
      assert.deepEqual([...totals].sort(), [0, COUNT])
      assert.deepEqual([...found].sort(), [0, 2])
      await writing
    }, inTurns()))

  test('lets other work run while removed records are compared with those to be protected', () =>
    inFolder(async ({ shelves, store }) => {
      await shelves.accept(genres())
      const protectedRecords = { table: 'genre', filter: { field: 'name', operator: 'eq', value: 'none' } } as const
      const removals = Array.from({ length: COUNT }, (_, index) => remove('genre', index + 1))
      const turns = await turnsUntil(store.transact(removals, 'rehearse'))
      const protecting = removals.map((removal) => ({ ...removal, protectedRecords }))
      const more = (await turnsUntil(store.transact(protecting, 'rehearse'))) - turns
      assert.ok(more > 10, `${more} turns`)
    }, inTurns()))

  test('lets other work run while one deletion empties the references of many records', () =>
    inFolder(async ({ shelves, store }) => {
      await shelves.accept([insert('author', { name: 'editor' }), insert('author', { name: 'author' })])
      const book = (index: number) => insert('book', { title: 'a book', isbn: `isbn ${index}`, author_id: 2, editor_id: 1 })
      await shelves.accept(Array.from({ length: COUNT }, (_, index) => book(index)))
      const deletion = store.transact([remove('author', 1)], 'rehearse')
      // Each pass over the referrers has 15 steps: their references are emptied, checked and compared.
      const turns = await turnsUntil(deletion)
      assert.ok(turns > 40, `${turns} turns`)
      const outcome = await deletion
      assert.deepEqual(outcome.ok && [outcome.changes.length, outcome.changes[1]?.after?.editor_id], [COUNT + 1, null])
    }, inTurns()))

  test('makes other transactions wait, which are judged by its result', () =>
    inFolder(async ({ shelves, store, folder }) => {
      const long = shelves.accept(genres())
      const same = store.transact([insert('genre', { name: 'genre 7' })])
      const other = shelves.accept([insert('genre', { name: 'other' })])
      const rehearsed = store.transact([insert('genre', { name: 'genre 8' })], 'rehearse')
      const { records } = await long
      assert.deepEqual([(await same).ok, (await rehearsed).ok], [false, false])
      assert.equal((await other).records[0]?.id, COUNT + 1)
      const after = await shelves.accept([update('genre', 5, { name: 'five' }), remove('genre', 6)])
      assert.equal(after.records.length, 2)
      assert.equal(records.length, COUNT)
      assert.equal((await onDisk(folder)).genre?.length, COUNT)
    }, inTurns()))

  test('changes nothing if it is refused, and others go on', () =>
    inFolder(async ({ shelves }) => {
      await shelves.refuse([...genres(), insert('genre', { name: 'genre 3' })], [{ kind: 'unique', index: COUNT, field: 'name' }])
      await shelves.accept(genres())
    }, inTurns()))

  test('deletes with all its cascades in slices', () => {
    let pauses = 0
    const count = () => {
      pauses++
    }
    return inFolder(async ({ shelves }) => {
      const { id } = await shelves.addBook()
      await shelves.accept(Array.from({ length: COUNT }, () => insert('review', { book_id: id })))
      const before = pauses
      await shelves.accept([remove('book', id)])
      assert.ok(pauses - before > 20, `${pauses - before} pauses`)
      assert.equal((await shelves.find('review'))[1], 0)
    }, inTurns(count))
  })

  test('runs again if a record that it refers to could not be made durable', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store }) => {
        const author = await shelves.add('author', { name: 'Kept' })
        const { reached, release } = disk.hold('write')
        const held = disk.before
        disk.before = async (step) => {
          await held(step)
          if (step.kind === 'write') throw diskError('ENOSPC')
        }
        const lost = store.transact([insert('author', { name: 'Lost' })])
        await reached
        const books = (author_id: number) =>
          Array.from({ length: COUNT }, (_, index) => insert('book', { title: 'Book', isbn: `${author_id}-${index}`, author_id }))
        const dangling = store.transact(books(author.id + 1))
        // By then it has been staged, and waits for the disk.
        for (let turn = 0; turn < COUNT; turn++) await nextTurn()
        release()
        await assert.rejects(lost)
        disk.mend()
        const outcome = await dangling
        assert.ok(!outcome.ok && outcome.violations.every(({ kind }) => kind === 'foreign_key'))
        await shelves.accept(books(author.id))
      },
      { ...inTurns(), disk },
    )
  })

  test('is refused if the store is closed while it is staged', () =>
    inFolder(async ({ store, reopen }) => {
      const writing = assert.rejects(
        store.transact(genres()),
        (error) => error instanceof AppError && error.code === 'STORE_UNAVAILABLE',
      )
      await nextTurn()
      const { shelves } = await reopen()
      await writing
      assert.equal((await shelves.find('genre'))[1], 0)
      await shelves.accept(genres())
      assert.equal((await (await reopen()).shelves.find('genre'))[1], COUNT)
    }, inTurns()))
})
