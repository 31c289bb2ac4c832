import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedState, listSearch, readListState, toggledSort } from '../../src/ui/list/list-state.ts'
import { parseSearch, stringifySearch } from '../../src/ui/search-params.ts'

const written = (query: string) => stringifySearch(listSearch(readListState(parseSearch(query))))

test('an address is read and written without a change', () => {
  for (const query of [
    '',
    '?q=ferry',
    '?view=12&list=A&filter=a%3D1&filter=b__in%3Dx%2Cy&sort=-a%2Cb&columns=a%2Cb&page_size=50&page=3',
  ]) {
    assert.deepEqual(parseSearch(written(query)), parseSearch(query), query)
  }
})

test('numbers that the API would reject are ignored or limited', () => {
  assert.equal(readListState(parseSearch('?page=0')).page, 1)
  assert.equal(readListState(parseSearch('?page=-3')).page, 1)
  assert.equal(readListState(parseSearch('?page=1.5')).page, 1)
  assert.equal(readListState(parseSearch('?page_size=ten')).pageSize, undefined)
  assert.equal(readListState(parseSearch('?page_size=5000')).pageSize, 100)
  assert.equal(readListState(parseSearch('?columns=,')).columns, undefined)
})

test('another selection starts at the first page, another page keeps the selection', () => {
  const state = readListState(parseSearch('?q=ferry&page=4'))
  assert.equal(changedState(state, { filters: ['a=1'] }).page, 1)
  assert.deepEqual(changedState(state, { page: 5 }), { ...state, page: 5 })
})

test('a column is sorted ascending, descending, then as in the view', () => {
  assert.deepEqual(toggledSort([], 'a', false), ['a'])
  assert.deepEqual(toggledSort(['a'], 'a', false), ['-a'])
  assert.equal(toggledSort(['-a'], 'a', false), undefined)
  assert.deepEqual(toggledSort(['b', '-c'], 'a', false), ['a'])
})

test('with Shift, the other columns stay and keep their places', () => {
  assert.deepEqual(toggledSort(['b'], 'a', true), ['b', 'a'])
  assert.deepEqual(toggledSort(['a', 'b'], 'a', true), ['-a', 'b'])
  assert.deepEqual(toggledSort(['-a', 'b'], 'a', true), ['b'])
  assert.equal(toggledSort(['-a'], 'a', true), undefined)
})
