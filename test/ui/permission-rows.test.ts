import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergedIds, permissionRows } from '../../src/ui/panels/permission-rows.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { siteModel } from './site-fixture.ts'

const models = [siteModel('post', 'title', []), siteModel('tag', 'name', [])]

test('permissions are rows by model and columns by action', () => {
  const names = ['view_post', 'add_post', 'change_post', 'delete_post', 'view_tag']
  const { rows, others } = permissionRows(
    models,
    names.map((codename, index) => ({ id: index + 1, codename })),
  )
  assert.deepEqual(rows, [
    { label: 'post', ids: { view: 1, add: 2, change: 3, delete: 4 } },
    { label: 'tag', ids: { view: 5, add: undefined, change: undefined, delete: undefined } },
  ])
  assert.deepEqual(others, [])
})

test('permissions of no model, or of a model that is gone, are others', () => {
  const permissions = ['publish', 'view_boat', 'view_tag', 'view_post_archive'].map((codename, index) => ({
    id: index + 1,
    codename,
  }))
  const { others } = permissionRows(models, permissions)
  assert.deepEqual(valuesOf(others, 'codename'), ['publish', 'view_boat', 'view_post_archive'])
})

test('changes of others are kept', () => {
  const before = new Set([1, 2, 3])
  const after = new Set([1, 4, 5])
  assert.deepEqual(mergedIds([1, 2, 3], before, after), [1, 4, 5])
  assert.deepEqual(mergedIds([1, 2, 3, 9], before, after), [1, 9, 4, 5], 'added elsewhere')
  assert.deepEqual(mergedIds([2, 3], before, after), [4, 5], 'removed elsewhere')
  assert.deepEqual(mergedIds([1, 2, 3, 4], before, after), [1, 4, 5], 'added by both')
})
