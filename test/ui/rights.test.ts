import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedRights, rightIn } from '../../src/ui/form/use-rights.ts'

const record = (rights: object) => ({ id: 7, is_superuser: false, groups: [], permissions: [], ...rights })

test('an edit of groups is applied to those that are stored by now', () => {
  const edit = { before: [1, 2], after: [1, 3] }
  assert.deepEqual(rightIn(record({ groups: [{ id: 1, name: 'Editors' }, { id: 2 }] }), 'groups', edit), [1, 3])
  assert.deepEqual(rightIn(record({ groups: [{ id: 1 }, { id: 2 }, { id: 9 }] }), 'groups', edit), [1, 9, 3])
  assert.deepEqual(rightIn(record({ groups: [{ id: 9 }] }), 'groups', undefined), [9])
})

test('rights are changed if they differ from the stored ones, in whatever order', () => {
  const stored = record({ groups: [{ id: 1 }, { id: 2 }], permissions: [4] })
  const same = { groups: { before: [1, 2], after: [2, 1] }, is_superuser: { before: false, after: false } }
  assert.deepEqual(changedRights(stored, same), {})
  const edits = { ...same, permissions: { before: [4], after: [4, 5] }, is_superuser: { before: false, after: true } }
  assert.deepEqual(changedRights(stored, edits), { permissions: [4, 5], is_superuser: true })
  assert.deepEqual(changedRights(record({ is_superuser: true, permissions: [5, 4] }), edits), {}, 'stored elsewhere')
})

test('a switch that was turned back leaves what others have stored since', () => {
  const edit = { before: false, after: false }
  assert.equal(rightIn(record({ is_superuser: true }), 'is_superuser', edit), true)
})
