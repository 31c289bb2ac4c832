import assert from 'node:assert/strict'
import type { FileStore } from '../../../src/store/embedded/file-store.ts'
import type { Operation, StoredRecord } from '../../../src/store/store.ts'
import { insert, remove, update } from '../../helpers/store/library.ts'

/** One of this many added records is kept. */
const KEPT = 20

/** The record that every transaction changes. */
export const counter: Operation = insert('author', { name: 'at -1' })

/** Transaction `index`: adds a category, removes the previous one unless it is kept, and increments the counter. */
function step(index: number): Operation[] {
  const before = index > 0 && (index - 1) % KEPT !== 0 ? [remove('category', index)] : []
  return [insert('category', { name: `category ${index}` }), ...before, update('author', 1, { name: `at ${index}` })]
}

/** Transactions whose records show how many there were, and that each was applied once. */
export class Counting {
  readonly #store: FileStore
  attempted = 0
  readonly acknowledged = new Set<number>()

  constructor(store: FileStore) {
    this.#store = store
  }

  /** The next transaction. */
  async next(): Promise<void> {
    const index = this.attempted++
    const outcome = await this.#store.transact(step(index))
    assert.ok(outcome.ok, `transaction ${index} was refused`)
    assert.equal(outcome.records[0]?.id, index + 1)
    this.acknowledged.add(index)
  }

  /** Runs several concurrent writers until this many transactions were attempted. */
  async writeUntil(count: number, writers: number): Promise<void> {
    const write = async () => {
      while (this.attempted < count) await this.next()
    }
    await Promise.all(Array.from({ length: writers }, write))
  }
}

/**
 * Asserts that the records are those of the first N transactions.
 *
 * @returns N
 */
export function countOf({ author = [], category = [] }: Record<string, readonly StoredRecord[]>, at = ''): number {
  assert.ok(author.length <= 1, `${at}: the counter occurs twice`)
  const count = author[0] === undefined ? 0 : Number(/^at (-?\d+)$/.exec(String(author[0].name))?.[1]) + 1
  const all = Array.from({ length: count }, (_, index) => index)
  const expected = all.filter((index) => index % KEPT === 0 || index === count - 1)
  assert.deepEqual(
    category.map(({ id, name }) => [id, name]),
    expected.map((index) => [index + 1, `category ${index}`]),
    `${at}: not what ${count} transactions leave behind`,
  )
  return count
}
