import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteField } from '../../src/client/client.ts'
import type { Group } from '../../src/ui/data/boards.ts'
import { type BoardColumn, boardColumns, columnFilter, MAX_COLUMNS, shownRecords } from '../../src/ui/list/board-columns.ts'

const field = (more: Partial<SiteField>): SiteField => ({
  ...{ name: 'state', type: 'choice', label: 'State', help_text: null, required: true, unique: false, readonly: false },
  ...{ sortable: true, operators: ['eq'], choices: [{ value: 'open', label: 'Open', color: 'blue' }, { value: 'done' }] },
  ...{ bounds: {}, relation: null },
  ...more,
})
const group = (value: Group['value'], count: number): Group => ({ value, count, totals: { group: {} } })
const keys = (columns: readonly BoardColumn[]) => columns.map(({ key, group: of }) => `${key} ${of?.count ?? 0}`)

test('a board has the choices in their order, then values that are none, and records without a value where there may be some', () => {
  const groups = [group('gone', 1), group('done', 4)]
  assert.deepEqual(keys(boardColumns(field({}), undefined, groups, undefined, 'en')), ['open 0', 'done 4', 'gone 1'])
  assert.deepEqual(keys(boardColumns(field({ required: false }), undefined, [], undefined, 'en')), ['open 0', 'done 0', ' 0'])
  assert.deepEqual(keys(boardColumns(field({}), undefined, [group(null, 2)], undefined, 'en')), ['open 0', 'done 0', ' 2'])
})

test('a board by a relation has the records that occur, by name, and not more than fit', () => {
  const relation = { name: 'owner', model: 'user', on_delete: null }
  const owner = field({ name: 'owner_id', type: 'foreignkey', choices: null, relation })
  const names = [
    { id: 3, label: 'Zoe' },
    { id: 9, label: 'Åsa' },
  ]
  const columns = boardColumns(owner, undefined, [group(3, 1), group(9, 2), group(12, 1)], names, 'en')
  assert.deepEqual(
    columns.map(({ key, label }) => [key, label]),
    [
      ['12', undefined],
      ['9', 'Åsa'],
      ['3', 'Zoe'],
    ],
  )
  assert.deepEqual(
    columns.map((column) => columnFilter(owner, column)),
    ['owner_id=12', 'owner_id=9', 'owner_id=3'],
  )
  const many = Array.from({ length: MAX_COLUMNS + 5 }, (_, index) => group(index + 1, 1))
  assert.equal(boardColumns(owner, undefined, many, [], 'en').length, MAX_COLUMNS)
})

test('a record that is moved is in its new column alone, also once the server lists it there', () => {
  const record = { id: 1, state: 'open' }
  const pending = new Map([[1, { record, values: { state: 'done' } }]])
  const ids = (records: readonly { readonly id: number }[], key: string) =>
    shownRecords(records, key, 'state', pending).map(({ id }) => id)
  assert.deepEqual(ids([record, { id: 2 }], 'open'), [2])
  assert.deepEqual(ids([{ id: 3 }], 'done'), [1, 3])
  assert.deepEqual(ids([{ id: 3 }, record], 'done'), [3, 1])
})
