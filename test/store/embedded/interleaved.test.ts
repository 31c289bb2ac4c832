import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { KeyedRandom } from '../../../src/mock/random.ts'
import type { Operation, StoredRecord } from '../../../src/store/store.ts'
import { diskError, FaultyDisk } from '../../helpers/store/faulty-disk.ts'
import { insert, remove, update } from '../../helpers/store/library.ts'
import { inFolder } from './folder.ts'

const AUTHORS = 6
/** Number of books of an author: more than the steps of a slice, so that all transactions of them are long. */
const BOOKS = 150
const ROUNDS = 60

/**
 * The books of an author are created, changed and deleted together, so each read finds none of them, or all with the same title. Writes of
 * authors run at the same time, reads in every turn, and now and then the disk fails.
 */
for (const seed of ['a', 'b', 'c']) {
  test(`long transactions that run beside others, reads and a failing disk are seen whole or not at all (${seed})`, async () => {
    const random = new KeyedRandom()
    random.start(seed)
    const disk = new FaultyDisk()
    let now = 0
    const slices = { now: () => (now += random.integer(0, 9)), pause: () => nextTurn() }
    await inFolder(
      async ({ shelves, store, reopen }) => {
        const authors: number[] = []
        for (let index = 0; index < AUTHORS; index++) authors.push((await shelves.add('author', { name: `Author ${index}` })).id)
        const booksOf = async (author: number): Promise<readonly StoredRecord[]> => {
          const filters = [{ field: 'author_id', operator: 'eq', value: author }] as const
          const { records, total } = await store.find('book', { filters, sort: [], offset: 0, limit: 1000 })
          assert.equal(records.length, total)
          return records
        }
        const check = async () => {
          const books = await booksOf(random.pick(authors))
          assert.ok([0, BOOKS].includes(books.length), `${books.length} books`)
          assert.ok(new Set(books.map(({ title }) => title)).size <= 1, 'All books have the same title')
        }
        const change = async (round: number) => {
          const author = random.pick(authors)
          const books = await booksOf(author)
          const operations: Operation[] =
            books.length === 0
              ? Array.from({ length: BOOKS }, (_, index) =>
                  insert('book', { title: `New ${round}`, isbn: `${author}-${index}`, author_id: author }),
                )
              : books.map(({ id }) => (round % 3 === 0 ? remove('book', id) : update('book', id, { title: `Round ${round}` })))
          // A refusal (a book was removed meanwhile, or exists already) and a failure change nothing.
          await store.transact(operations).catch(() => {})
        }
        const small = async (round: number) => {
          const author = random.pick(authors)
          await store.transact([update('author', author, { rank: 1 + (round % 10) })]).catch(() => {})
        }
        const writes: Promise<void>[] = []
        let isOver = false
        const reading = (async () => {
          while (!isOver) {
            await check()
            await nextTurn()
          }
        })()
        for (let round = 0; round < ROUNDS; round++) {
          if (random.integer(0, 9) === 0) disk.before = ({ kind }) => void (kind === 'write' && failing())
          else disk.mend()
          writes.push(random.integer(0, 1) === 0 ? change(round) : small(round))
          for (let turn = random.integer(0, 30); turn > 0; turn--) await nextTurn()
        }
        disk.mend()
        await Promise.all(writes)
        isOver = true
        await reading
        const before = await shelves.everything()
        assert.deepEqual(await (await reopen()).shelves.everything(), before)
      },
      { slices, disk },
    )
  })
}

function failing(): never {
  throw diskError('ENOSPC')
}
