import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf, optionsOf } from '../../src/ui/data/related.ts'

test('options of one text have a note: what they differ by, otherwise their ids', () => {
  const birth = { name: 'born', type: 'date' } as never
  const number = { name: 'number', type: 'string' } as never
  const related = [
    { id: 1, label: 'Ada' },
    {
      id: 2,
      label: 'Bea',
      marks: [
        { field: number, value: 'P-2' },
        { field: birth, value: '1980-02-01' },
      ],
    },
    { id: 3, label: 'Bea' },
    { id: 4, label: undefined },
  ]
  assert.deepEqual(optionsOf(related, 'en-GB'), [
    { value: '1', label: 'Ada' },
    { value: '2', label: 'Bea', note: 'P-2 · 1 Feb 1980' },
    { value: '3', label: 'Bea', note: '#3' },
    { value: '4', label: '#4' },
  ])
})

test('ids are read from ids and from records', () => {
  assert.deepEqual(idsOf([1, { id: 2, codename: 'view_post' }]), [1, 2])
  assert.deepEqual(idsOf(undefined), [])
  assert.deepEqual(idsOf([{ codename: 'view_post' }, 'x', null]), [])
})
