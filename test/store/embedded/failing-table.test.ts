import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/errors.ts'
import type { FileStore, FileStoreOptions } from '../../../src/store/embedded/file-store.ts'
import { Table } from '../../../src/store/embedded/tables/table.ts'
import { FaultyDisk } from '../../helpers/store/faulty-disk.ts'
import { insert } from '../../helpers/store/library.ts'
import { inFolder } from './folder.ts'

const COUNT = 300
const COUNTED = { filters: [], groupBy: [], sums: [], ranges: [], limit: 10 }

const genres = (count: number) => Array.from({ length: count }, (_, index) => insert('genre', { name: `genre ${index}` }))

/** Lets tables replace so many records; then they fail once, as they do when memory cannot be allocated. */
function failAfter(t: TestContext, count: number): void {
  const replace = Table.prototype.replace
  let calls = 0
  t.mock.method(Table.prototype, 'replace', function (this: Table, ...change: Parameters<Table['replace']>) {
    if (calls++ === count) throw new RangeError('Array buffer allocation failed')
    replace.apply(this, change)
  })
}

const isRefused = (error: unknown) =>
  error instanceof AppError && error.code === 'STORE_UNAVAILABLE' && /failed in memory/.test(String(error.details))

/** With the cause, for the log. */
const isDamage = (error: unknown) => isRefused(error) && error instanceof AppError && error.cause instanceof RangeError

/** Every kind of read and write is refused. */
async function refusesAll(store: FileStore): Promise<void> {
  const plan = { filters: [], sort: [], offset: 0, limit: 10 }
  const calls: Record<string, () => Promise<unknown>> = {
    get: () => store.get('genre', [1]),
    find: () => store.find('genre', plan),
    findEach: () => store.findEach('genre', [plan]),
    matching: () => store.matching('genre', [], [1]),
    aggregate: () => store.aggregate('genre', COUNTED),
    stream: () => store.stream('genre', plan).next(),
    commit: () => store.transact([insert('author', { name: 'other' })]),
    rehearse: () => store.transact([insert('author', { name: 'other' })], 'rehearse'),
  }
  for (const [name, call] of Object.entries(calls)) await assert.rejects(call(), isRefused, name)
  assert.equal((await store.status()).takesWrites, false)
}

describe('a store whose table fails while changes are applied', () => {
  const now = () => {
    let time = 0
    return () => (time += 1000)
  }
  const kinds: Record<string, FileStoreOptions> = {
    'a short transaction': {},
    'a transaction in slices': { slices: { now: now(), pause: () => nextTurn() } },
  }
  for (const [name, options] of Object.entries(kinds)) {
    test(`refuses all reads and writes after ${name}, and has no part of it after a restart`, (t) =>
      inFolder(async ({ store, shelves, reopen }) => {
        await shelves.add('author', { name: 'kept' })
        failAfter(t, COUNT / 2)
        const writing = assert.rejects(store.transact(genres(COUNT)), isDamage)
        const waiting = assert.rejects(store.transact([insert('author', { name: 'waits' })]), isRefused)
        await writing
        await waiting
        await refusesAll(store)
        t.mock.restoreAll()
        const { shelves: anew } = await reopen()
        assert.deepEqual([(await anew.find('genre'))[1], (await anew.find('author'))[1]], [0, 1])
        await anew.accept(genres(COUNT))
      }, options))
  }

  test('refuses them too if a change that is not on disk cannot be reverted', async (t) => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ store, shelves, reopen }) => {
        await shelves.add('author', { name: 'kept' })
        disk.fail('ENOSPC', 'write')
        failAfter(t, 3)
        await assert.rejects(store.transact(genres(2)), { code: 'STORE_UNAVAILABLE' })
        disk.mend()
        await refusesAll(store)
        t.mock.restoreAll()
        const { shelves: anew } = await reopen()
        assert.deepEqual([(await anew.find('genre'))[1], (await anew.find('author'))[1]], [0, 1])
      },
      { disk },
    )
  })
})
