import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistoryEntry } from '../../src/client/client.ts'
import { historyFilters, requestsIn } from '../../src/ui/data/administration.ts'

test('a plan becomes filters of the API', () => {
  assert.deepEqual(historyFilters({ model: 'post', action: 'delete', via: 'cli', user: 'kel' }), [
    'model=post',
    'action=delete',
    'via=cli',
    'username__icontains=kel',
  ])
  assert.deepEqual(historyFilters({ model: undefined }), [])
})

const entry = (id: number, request: string | null, via: HistoryEntry['via'] = 'api'): HistoryEntry => ({
  ...{ id, model: 'post', record_id: id, action: 'delete', at: '2026-01-15T12:00:00.000Z', user: null, via },
  ...{ request_id: request, changes: {} },
})

test('entries of one request stand together, what caused others first', () => {
  const entries = [
    entry(6, null),
    entry(5, null),
    entry(4, 'b', 'cascade'),
    entry(3, 'b'),
    entry(2, 'a', 'cascade'),
    entry(1, 'a'),
  ]
  const ids = requestsIn(entries).map((request) => request.map(({ id }) => id))
  assert.deepEqual(ids, [[6], [5], [3, 4], [1, 2]])
})
