import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allSelected,
  bulkSelection,
  isSelected,
  NO_SELECTION,
  selectedCount,
  toggled,
  toggledPage,
} from '../../src/ui/list/selection.ts'

const PAGE = [11, 12, 13, 14, 15]
const ids = ({ ids: set }: { ids: ReadonlySet<number> }) => [...set]

test('records are selected one by one and as ranges in both directions', () => {
  const one = toggled(NO_SELECTION, PAGE, 12, false)
  assert.deepEqual(ids(one), [12])
  assert.deepEqual(ids(toggled(one, PAGE, 14, true)), [12, 13, 14])
  assert.deepEqual(ids(toggled(toggled(NO_SELECTION, PAGE, 14, false), PAGE, 12, true)).toSorted(), [12, 13, 14])
  assert.deepEqual(ids(toggled(toggled(one, PAGE, 14, true), PAGE, 13, true)), [12])
})

test('a range without a beginning on the page is the record itself', () => {
  assert.deepEqual(ids(toggled(NO_SELECTION, PAGE, 13, true)), [13])
  const elsewhere = toggled(NO_SELECTION, [1, 2], 1, false)
  assert.deepEqual(ids(toggled(elsewhere, PAGE, 13, true)), [1, 13])
})

test('a page is selected beside other pages, and cleared when all of it is selected', () => {
  const other = toggled(NO_SELECTION, [1, 2], 1, false)
  const both = toggledPage(other, PAGE)
  assert.deepEqual(ids(both), [1, ...PAGE])
  assert.deepEqual(ids(toggledPage(both, PAGE)), [1])
})

test('all matches are selected by filters and their number; one record less is a selection by id', () => {
  const all = allSelected(46)
  assert.equal(selectedCount(all), 46)
  assert.ok(isSelected(all, 99))
  const matches = { q: '', filters: ['status=draft'], any: [] }
  assert.deepEqual(bulkSelection(all, matches), { filters: ['status=draft'], expectedTotal: 46 })
  assert.deepEqual(bulkSelection(all, { ...matches, q: 'ferry' }), {
    filters: ['status=draft'],
    expectedTotal: 46,
    search: 'ferry',
  })
  const any = [['summary__isnull=true', 'summary__lte=']]
  assert.deepEqual(bulkSelection(all, { ...matches, any }), { filters: ['status=draft'], any, expectedTotal: 46 })
  const less = toggled(all, PAGE, 12, false)
  assert.deepEqual(bulkSelection(less, matches), { filters: ['id__in=11,13,14,15'], expectedTotal: 4 })
})
