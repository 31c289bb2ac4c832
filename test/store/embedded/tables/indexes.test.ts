import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Indexes } from '../../../../src/store/embedded/tables/indexes.ts'
import { eachRow } from '../../../../src/store/embedded/tables/row-set.ts'
import type { StoredRecord } from '../../../../src/store/store.ts'

/** A table of records with a number each, and an index of it. */
class Shelf {
  readonly #records: (StoredRecord | undefined)[] = []
  readonly indexes = new Indexes(this.#records)

  constructor(size: number) {
    for (let row = 0; row < size; row++) this.put(row, row)
    assert.equal(this.indexes.ensure({ kind: 'value', field: 'number' }), undefined)
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
    assert.equal(this.indexes.ensure({ kind: 'value', field: 'number' }), undefined)
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
    shelf.indexes.ensure({ kind: 'item', field: 'number' })
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
    test(`of ${size} rows is built again after a failure`, async () => {
      const records = Array.from({ length: size }, (_, row) => ({ id: row + 1, number: 7 }))
      let fails = true
      const failing = new Indexes(records, () => (record) => {
        if (fails && record.id === size) throw new RangeError('Map maximum size exceeded')
        return 7
      })
      const need = { kind: 'item', field: 'number' } as const
      await assert.rejects(async () => failing.ensure(need), RangeError)
      fails = false
      await failing.ensure(need)
      const rows: number[] = []
      eachRow(failing.get('item', 'number')?.rowsOf(7) ?? 0, (row) => rows.push(row))
      assert.equal(rows.length, size)
    })
  }
})
