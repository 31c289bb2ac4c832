import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyFilters } from '../../src/ui/data/administration.ts'

test('a plan becomes filters of the API', () => {
  assert.deepEqual(historyFilters({ model: 'post', action: 'delete', via: 'cli', user: 'kel' }), [
    'model=post',
    'action=delete',
    'via=cli',
    'username__icontains=kel',
  ])
  assert.deepEqual(historyFilters({ model: undefined }), [])
})
