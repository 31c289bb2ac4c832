import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Indexes } from '../../../../src/store/embedded/tables/indexes.ts'
import { eachRow } from '../../../../src/store/embedded/tables/row-set.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'
import type { Steps } from '../../../../src/util/slices.ts'

/** Runs steps to their end and returns their number. */
function stepsOf(steps: Steps<void>): number {
  let count = 1
  while (steps.next().done !== true) count++
  return count
}

/** A table of records with a number each, and an index of it. */
class Shelf {
  readonly #records: (StoredRecord | undefined)[] = []
  readonly indexes = new Indexes(this.#records)

  constructor(size: number) {
    for (let row = 0; row < size; row++) this.put(row, row)
    stepsOf(this.indexes.ensure({ kind: 'value', field: 'number' }))
  }

  put(row: number, number: number | undefined): void {
    const before = this.#records[row]
    const after = number === undefined ? undefined : { id: row + 1, number }
    this.#records[row] = after
    this.indexes.replace(row, before, after)
  }

  /** How many rows are put behind the others until the index has all of them without being asked; no more than `most`. */
  growUntilComplete(most: number): number {
    for (let count = 1; count < most; count++) {
      this.put(this.#records.length, 1)
      if (this.indexes.get('value', 'number') !== undefined) return count
    }
    return most
  }

  rowsOf(number: number): number[] {
    stepsOf(this.indexes.ensure({ kind: 'value', field: 'number' }))
    const rows: number[] = []
    const found = this.indexes.get('value', 'number')?.rowsOf(number)
    if (found !== undefined) eachRow(found, (row) => rows.push(row))
    return rows
  }
}

describe('an index', () => {
  test('adds new rows when queried, with their present values', () => {
    const shelf = new Shelf(3)
    shelf.put(3, 7)
    shelf.put(4, 7)
    shelf.put(5, 7)
    assert.equal(shelf.indexes.get('value', 'number'), undefined)
    shelf.put(3, 8)
    shelf.put(4, undefined)
    assert.deepEqual([shelf.rowsOf(7), shelf.rowsOf(8), shelf.rowsOf(1)], [[5], [3], [1]])
  })

  test('applies changes of its rows immediately', () => {
    const shelf = new Shelf(3)
    shelf.put(0, 1)
    shelf.put(2, undefined)
    assert.notEqual(shelf.indexes.get('value', 'number'), undefined)
    assert.deepEqual([shelf.rowsOf(0), shelf.rowsOf(1), shelf.rowsOf(2)], [[], [0, 1], []])
  })

  test('adds new rows in batches of some hundred while no query runs', () => {
    const shelf = new Shelf(3)
    for (let round = 0; round < 3; round++) {
      const count = shelf.growUntilComplete(1000)
      assert.ok(count > 100 && count < 1000, `${count} rows`)
    }
  })

  test('is the only one that adds rows on a write', () => {
    const shelf = new Shelf(3)
    stepsOf(shelf.indexes.ensure({ kind: 'item', field: 'number' }))
    const isComplete = () =>
      [shelf.indexes.get('value', 'number'), shelf.indexes.get('item', 'number')].map((index) => index !== undefined)
    const seen: boolean[][] = []
    for (let row = 3; seen.length < 2 && row < 1000; row++) {
      shelf.put(row, 1)
      if (isComplete().includes(true)) seen.push(isComplete())
    }
    assert.deepEqual(seen.toSorted(), [
      [false, true],
      [true, false],
    ])
  })

  test('adds all missing rows when completed synchronously', () => {
    const shelf = new Shelf(3)
    for (let row = 3; row < 10; row++) shelf.put(row, 50)
    assert.deepEqual(shelf.indexes.complete('value', 'number').rowsOf(2), 2)
    assert.equal(shelf.rowsOf(50).length, 7)
  })

  for (const size of [10, 5000]) {
    test(`of ${size} rows is built again after a failure`, () => {
      const records = Array.from({ length: size }, (_, row) => ({ id: row + 1, number: 7 }))
      let fails = true
      const failing = new Indexes(records, () => (record) => {
        if (fails && record.id === size) throw new RangeError('Map maximum size exceeded')
        return 7
      })
      const need = { kind: 'item', field: 'number' } as const
      assert.throws(() => stepsOf(failing.ensure(need)), RangeError)
      fails = false
      stepsOf(failing.ensure(need))
      const rows: number[] = []
      eachRow(failing.get('item', 'number')?.rowsOf(7) ?? 0, (row) => rows.push(row))
      assert.equal(rows.length, size)
    })
  }

  test('is divided in steps, only for ranges and orders, and not by a write', () => {
    const records: StoredRecord[] = Array.from({ length: 5000 }, (_, row) => ({ id: row + 1, number: row }))
    const indexes = new Indexes(records)
    const need = { kind: 'value', field: 'number' } as const
    stepsOf(indexes.ensure(need))
    assert.deepEqual([indexes.serves(need), indexes.serves({ ...need, inOrder: true })], [true, false])
    for (let row = 5000; row < 6000; row++) {
      records.push({ id: row + 1, number: row })
      indexes.replace(row, undefined, records[row])
    }
    assert.deepEqual([indexes.serves(need), indexes.serves({ ...need, inOrder: true })], [true, false])
    assert.ok(stepsOf(indexes.ensure({ ...need, inOrder: true })) > 4)
    assert.equal(indexes.serves({ ...need, inOrder: true }), true)
  })

  test('of texts is built in steps by the amount of text', () => {
    const stepsAmong = (count: number, length: number) =>
      stepsOf(
        new Indexes(Array.from({ length: count }, (_, row) => ({ id: row, text: 'x'.repeat(length) }))).ensure({
          kind: 'text',
          field: 'text',
        }),
      )
    assert.equal(stepsAmong(50, 8), 1)
    assert.ok(stepsAmong(50, 8000) >= 50)
  })

  test('is built by the steps of all that wait for it', () => {
    const indexes = new Indexes(Array.from({ length: 5000 }, (_, row) => ({ id: row + 1, number: row })))
    const alone = stepsOf(
      new Indexes(Array.from({ length: 5000 }, (_, row) => ({ id: row + 1 }))).ensure({ kind: 'item', field: 'number' }),
    )
    const both = [indexes.ensure({ kind: 'item', field: 'number' }), indexes.ensure({ kind: 'item', field: 'number' })]
    let steps = 0
    for (const each of both) each.next()
    for (; both.every((each) => each.next().done !== true); ) steps++
    assert.ok(2 * steps < alone + 4, `${steps} rounds of two beside ${alone}`)
  })
})
