import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_COPIED_ROWS } from '../../src/ui/data/row-query.ts'
import type { FormView } from '../../src/ui/data/views.ts'
import {
  changedDraft,
  formOfRow,
  isEditedInPlace,
  newDraft,
  orderedKeys,
  rowForms,
  settableIn,
  untouched,
} from '../../src/ui/form/row-forms.ts'
import { exactSum, movedRows, nextPosition } from '../../src/ui/form/row-order.ts'
import { MAX_FORM_ROWS } from '../../src/views/definition.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const fieldView = (name: string, more = {}) => ({
  name,
  required: false,
  readonly: false,
  disabled: false,
  is_primary_key: false,
  ...more,
})

const LINE = siteModel('line', 'text', [
  siteField('order_id', 'foreignkey', relationTo('order', 'order')),
  siteField('place', 'integer', { required: true }),
  siteField('text', 'string', { required: true }),
  siteField('price', 'decimal'),
  siteField('plan', 'file'),
])

const LINE_FORM: FormView = {
  name: 'LineForm',
  view_type: 'form',
  fields: ['order_id', 'place', 'text', 'price', 'plan'].map((name) => fieldView(name)),
}

const VIEW = { field: 'line.order_id', columns: ['text'], sort: [{ field: 'place', order: 'asc' as const }], limit: 200 }

const FORMS = rowForms(VIEW, LINE, { forms: [LINE_FORM], lists: [] }, false)

const stored = (id: number, can: readonly ('change' | 'delete')[] = ['change', 'delete']) => ({
  record: { id, order_id: 1, place: id, text: `Line ${id}`, price: null, plan: null },
  etag: `"${id}"`,
  can,
})

describe('the forms of rows', () => {
  test('set neither the relation nor files, and know what rows are ordered by', () => {
    assert.deepEqual(FORMS.creatable, ['place', 'text', 'price'])
    assert.equal(FORMS.position, 'place')
    const descending = { ...VIEW, sort: [{ field: 'place', order: 'desc' as const }] }
    assert.equal(rowForms(descending, LINE, { forms: [LINE_FORM], lists: [] }, false).position, undefined)
  })

  test('create no rows if they do not accept the relation', () => {
    const form = { ...LINE_FORM, creation_fields: ['place', 'text'] }
    assert.equal(rowForms(VIEW, LINE, { forms: [form], lists: [] }, false).create, undefined)
  })

  test('leave a row alone that the user may not change', () => {
    assert.deepEqual(settableIn(FORMS, untouched(stored(1, ['delete']))), [])
    assert.equal(formOfRow(FORMS, untouched(stored(1)))?.name, 'LineForm')
  })

  test('have short inputs in cells only', () => {
    const inPlace = (name: string, widget?: string) => {
      const field = LINE.fields.find((each) => each.name === name) ?? siteField(name)
      return isEditedInPlace(FORMS, field, fieldView(name, { widget }))
    }
    assert.deepEqual(
      [inPlace('text'), inPlace('text', 'textarea'), inPlace('plan'), inPlace('other')],
      [true, false, false, false],
    )
  })
})

test('a copy has as many rows as a form may show', () => assert.equal(MAX_COPIED_ROWS, MAX_FORM_ROWS))

describe('a draft of a row', () => {
  const row = untouched(stored(1))

  test('is stored if a value differs: null and an empty text are the same', () => {
    const isChanged = (edits: object) => changedDraft(FORMS, row, { edits: { ...edits } }).isChanged
    assert.deepEqual([isChanged({ text: 'Line 1' }), isChanged({ text: 'Other' })], [false, true])
    assert.deepEqual([isChanged({ price: '' }), isChanged({ price: null }), isChanged({ price: '0' })], [false, false, true])
    assert.equal(changedDraft(FORMS, row, { isRemoved: true }).isChanged, true)
  })

  test('of a new row counts once something is typed, or if nothing has to be', () => {
    assert.equal(newDraft(FORMS, null, { place: 3 }).isChanged, false)
    assert.equal(newDraft(FORMS, null, { place: 3 }, { text: 'Typed' }).isChanged, true)
    assert.equal(newDraft(FORMS, null, { place: 3, text: 'Given', order_id: 7 }).isChanged, true)
    assert.deepEqual(newDraft(FORMS, null, { place: 3, order_id: 7 }).start, { place: 3 })
  })

  test('has its place among the stored ones', () => {
    const rows = new Map([
      ['+1', newDraft(FORMS, null, {})],
      ['9', untouched(stored(9))],
    ])
    assert.deepEqual(orderedKeys([stored(1), stored(2)], { rows }), ['1', '2', '+1', '9'])
    assert.deepEqual(orderedKeys([stored(1), stored(2)], { rows, order: ['2', '1'] }), ['2', '1', '+1', '9'])
  })
})

describe('rows that are moved', () => {
  const rows = (...places: readonly unknown[]) => places.map((place, index) => ({ key: 'abc'.charAt(index), values: { place } }))
  const moved = (places: readonly unknown[], key: string, step: 1 | -1) => {
    const result = movedRows(rows(...places), key, step, 'place')
    return result && [result.order.join(''), Object.fromEntries(result.positions)]
  }

  test('change places with a neighbour', () => {
    assert.deepEqual(moved([2, 5, 7], 'b', -1), ['bac', { b: 2, a: 5 }])
    assert.deepEqual(moved([2, 5, 7], 'b', 1), ['acb', { c: 5, b: 7 }])
    assert.equal(moved([2, 5, 7], 'a', -1), undefined)
    assert.equal(moved([2, 5, 7], 'c', 1), undefined)
  })

  test('are numbered anew where positions are missing or equal', () => {
    assert.deepEqual(moved([1, 1, null], 'b', -1), ['bac', { a: 2, c: 3 }])
  })

  test('come last when they are new', () => {
    assert.deepEqual([nextPosition(rows(), 'place'), nextPosition(rows(3, null, 7, 2), 'place')], [1, 8])
    assert.equal(nextPosition(rows(1, 2), 'place', 9), 10)
  })
})

test('sums are exact', () => {
  assert.equal(exactSum(['0.1', '0.2']), '0.3')
  assert.equal(exactSum(['12345678901234567890.12', '0.08', null, 'x', undefined]), '12345678901234567890.20')
  assert.equal(exactSum(['-0.5', '0.25']), '-0.25')
  assert.equal(exactSum([1, 2, -4]), '-1')
  assert.equal(exactSum([]), '0')
})
