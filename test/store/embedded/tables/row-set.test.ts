import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Bitmap, bitmapFor, pageOfRows, restrictToRange } from '../../../../src/store/embedded/tables/bitmap.ts'
import { RowSet } from '../../../../src/store/embedded/tables/row-set.ts'

const bitmapOf = (rows: Iterable<number>): Bitmap => {
  const bitmap = bitmapFor(5000)
  for (const row of rows) bitmap.add(row)
  return bitmap
}

const rowsOf = (set: RowSet): number[] => {
  const rows: number[] = []
  set.each((row) => rows.push(row))
  return rows
}

const multiplesOf = (step: number, end: number): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, index) => index * step)

const CASES: readonly (readonly [name: string, rows: readonly number[]])[] = [
  ['none', []],
  ['one', [77]],
  ['a few far apart', [0, 31, 32, 64, 1000, 4999]],
  ['a list', multiplesOf(97, 5000)],
  ['a bitmap', multiplesOf(3, 5000)],
  ['a bitmap of the first rows', multiplesOf(1, 200)],
]

describe('a row set', () => {
  for (const [name, rows] of CASES) {
    test(`contains ${name}, in any order of adding`, () => {
      for (const order of [rows, rows.toReversed(), rows.toSorted((a, b) => (a % 7) - (b % 7))]) {
        const set = RowSet.of(...order, ...order)
        assert.deepEqual(rowsOf(set), rows)
        assert.equal(set.size, rows.length)
        for (const row of [0, 31, 33, 77, 97, 1000, 4999, 5001]) assert.equal(set.has(row), rows.includes(row), `has ${row}`)
      }
    })

    test(`of ${name} removes rows`, () => {
      const set = RowSet.of(...rows)
      for (const row of [...rows.filter((_, index) => index % 2 === 0), 12_345]) set.remove(row)
      const rest = rows.filter((_, index) => index % 2 === 1)
      assert.deepEqual(rowsOf(set), rest)
      assert.equal(set.size, rest.length)
      for (const row of rows) assert.equal(set.has(row), rest.includes(row), `has ${row}`)
    })

    test(`of ${name} is added to a bitmap`, () => {
      const others = multiplesOf(2, 5000)
      const bitmap = bitmapOf(others)
      RowSet.of(...rows).addTo(bitmap)
      const union = [...new Set([...others, ...rows])].sort((a, b) => a - b)
      assert.deepEqual(bitmap.array(), union)
    })
  }
})

describe('a bitmap', () => {
  test('keeps a range', () => {
    for (const [from, to] of [
      [0, 5000],
      [1, 32],
      [31, 33],
      [32, 64],
      [100, 101],
      [4990, 9000],
      [50, 50],
      [60, 10],
    ] as const) {
      const bitmap = bitmapOf(multiplesOf(1, 5000))
      restrictToRange(bitmap, from, to)
      assert.deepEqual(
        bitmap.array(),
        multiplesOf(1, 5000).filter((row) => row >= from && row < to),
        `${from} to ${to}`,
      )
    }
  })

  test('returns a slice', () => {
    const rows = [0, 1, 31, 32, 33, 95, 96, 2000, 2001, 2047, 4999]
    for (let offset = 0; offset <= rows.length; offset++) {
      for (const limit of [0, 1, 3, 100])
        assert.deepEqual(pageOfRows(bitmapOf(rows), offset, limit), rows.slice(offset, offset + limit))
    }
  })
})
