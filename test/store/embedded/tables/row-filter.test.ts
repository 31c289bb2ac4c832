import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRow, type Bitmap, bitmapFor } from '../../../../src/store/embedded/tables/bitmap.ts'
import { RowFilter } from '../../../../src/store/embedded/tables/row-filter.ts'
import { RowSet } from '../../../../src/store/embedded/tables/row-set.ts'

const ROWS = 1000

/** The multiples of a number as a bitmap, which ends where they do or has room for more. */
function multiples(step: number, end: number): Bitmap {
  const bitmap = bitmapFor(end % 2 === 0 ? end : 0)
  for (let row = 0; row < end; row += step) addRow(bitmap, row)
  return bitmap
}

test('the result is in all kept bitmaps and in no dropped one, however many there are', () => {
  for (let keeps = 1; keeps <= 8; keeps++) {
    for (let drops = 0; drops <= 8; drops++) {
      const rowFilter = new RowFilter()
      const ends = (index: number): number => ROWS - 31 * index
      for (let index = 0; index < keeps; index++) rowFilter.require(multiples(index + 1, ends(index)))
      for (let index = 0; index < drops; index++) rowFilter.exclude(multiples(index * 7 + 11, 100 * (index + 1)))
      rowFilter.excludeRows([7, 840, 11], 1, 2)
      rowFilter.excludeRows([RowSet.of(0, 3, 4, 420, 999_999)])
      const target = bitmapFor(ROWS)
      target.add(1)
      const count = rowFilter.computeInto(target)
      const expected = Array.from({ length: ROWS }, (_, row) => row).filter((row) => {
        if ([840, 0, 3, 4, 420].includes(row)) return false
        for (let index = 0; index < keeps; index++) if (row % (index + 1) !== 0 || row >= ends(index)) return false
        for (let index = 0; index < drops; index++) if (row % (index * 7 + 11) === 0 && row < 100 * (index + 1)) return false
        return true
      })
      assert.deepEqual(target.array(), expected, `${keeps} kept, ${drops} dropped`)
      assert.equal(count, expected.length)
    }
  }
})

test('rowFilter that require no bitmap are part of another set', () => {
  const [all, target] = [multiples(2, ROWS), bitmapFor(ROWS)]
  const rowFilter = new RowFilter()
  rowFilter.excludeRows([4])
  rowFilter.exclude(multiples(10, ROWS))
  rowFilter.computeWithin(all, target)
  assert.deepEqual(target.array().slice(0, 4), [2, 6, 8, 12])
})

test('rows beyond the target are neither included nor counted', () => {
  const rowFilter = new RowFilter()
  rowFilter.require(multiples(1, ROWS))
  const target = bitmapFor(40)
  assert.equal(rowFilter.computeInto(target), 64)
  assert.equal(target.size(), 64)
})
