import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS, pageJson, sliceOf } from '../../src/query/plan.ts'

test('the documented sizes', () => assert.deepEqual([DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS], [20, 100]))

describe('the envelope', () => {
  // total, page, page_size → total_pages, has_next, has_prev
  const rows: readonly (readonly [number, number, number, number, boolean, boolean])[] = [
    [0, 1, 20, 0, false, false],
    [0, 3, 20, 0, false, false],
    [1, 1, 20, 1, false, false],
    [19, 1, 20, 1, false, false],
    [20, 1, 20, 1, false, false],
    [21, 1, 20, 2, true, false],
    [21, 2, 20, 2, false, true],
    [21, 3, 20, 2, false, true],
    [100, 1, 1, 100, true, false],
    [100, 50, 1, 100, true, true],
    [100, 100, 1, 100, false, true],
    [200, 1, 100, 2, true, false],
    [201, 2, 100, 3, true, true],
  ]
  for (const [total, page, pageSize, totalPages, hasNext, hasPrev] of rows) {
    test(`page ${page} of ${total} records by ${pageSize}`, () => {
      const members = {
        data: ['x'],
        total,
        page,
        page_size: pageSize,
        total_pages: totalPages,
        has_next: hasNext,
        has_prev: hasPrev,
      }
      assert.equal(pageJson('["x"]', total, { page, pageSize }), JSON.stringify(members))
    })
  }
})

test('further members follow the others', () => {
  const text = pageJson('[]', 0, { page: 1, pageSize: 20 }, '"hits":[],"notices":["x"]')
  assert.deepEqual(Object.entries(JSON.parse(text)).slice(-3), [
    ['has_prev', false],
    ['hits', []],
    ['notices', ['x']],
  ])
})

describe('the slice', () => {
  const rows: readonly (readonly [number, number, number])[] = [
    [1, 20, 0],
    [2, 20, 20],
    [3, 7, 14],
    [100, 100, 9900],
  ]
  for (const [page, pageSize, offset] of rows) {
    test(`page ${page} by ${pageSize}`, () => assert.deepEqual(sliceOf({ page, pageSize }), { offset, limit: pageSize }))
  }
})
