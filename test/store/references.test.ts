import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referencesOf } from '../../src/store/store.ts'

test('referencesOf returns the ids of a relation of either kind', () => {
  assert.deepEqual(referencesOf({ id: 1, author_id: 7 }, 'author_id'), [7])
  assert.deepEqual(referencesOf({ id: 1, genres: [3, 1] }, 'genres'), [3, 1])
  assert.deepEqual(referencesOf({ id: 1, author_id: null }, 'author_id'), [])
  assert.deepEqual(referencesOf({ id: 1 }, 'genres'), [])
})
