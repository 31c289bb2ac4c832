import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FormView, formFor, formModel, formsFor, helpOf, writableFields } from '../../src/ui/data/views.ts'
import { startValues } from '../../src/ui/form/values.ts'
import { restorable } from '../../src/ui/form/versions.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { siteField, siteModel } from './site-fixture.ts'

const flags = { required: false, readonly: false, disabled: false, is_primary_key: false }
const field = (name: string, more: object = {}) => ({ name, ...flags, ...more })
const form = (name: string, more: Partial<FormView> = {}): FormView => ({
  name,
  view_type: 'form',
  fields: [
    field('username'),
    field('is_superuser'),
    field('password', { widget: 'password' }),
    field('note', { readonly: true }),
  ],
  ...more,
})
const model = siteModel('user', 'username', [
  siteField('username'),
  siteField('is_superuser', 'boolean'),
  siteField('note'),
  siteField('owner', 'integer'),
])

test('the form whose use names the action opens; others that fit can be chosen', () => {
  const [plain, forUpdate, empty] = [form('A'), form('B', { use: ['update'] }), form('C', { creation_fields: [] })]
  assert.equal(formFor([plain, forUpdate, empty], 'update')?.name, 'B')
  assert.equal(formFor([plain, forUpdate, empty], 'create')?.name, 'A')
  assert.deepEqual(valuesOf(formsFor([plain, forUpdate, empty], 'create'), 'name'), ['A'])
  assert.equal(formFor([empty], 'create'), undefined)
})

test('only superusers may set fields that grant permissions; passwords can be set though the site does not name them', () => {
  const whole = formModel(model, form('A'))
  assert.deepEqual(writableFields(form('A'), 'create', whole, false), ['username', 'password'])
  assert.deepEqual(writableFields(form('A'), 'create', whole, true), ['username', 'is_superuser', 'password'])
  assert.equal(whole.fields.at(-1)?.type, 'password')
})

test('a new record starts with the defaults of the form', () => {
  const fields = [field('owner', { default_value: { user: 'id' } }), field('note', { default_value: 'x' }), field('is_superuser')]
  assert.deepEqual(startValues(fields, model, 7, new Date('2024-03-01T22:30:00Z')), { owner: 7, note: 'x', is_superuser: false })
})

test('a field without a default of the form has that of the model', () => {
  const fields = [field('note'), field('day'), field('sends'), field('owner', { default_value: null })]
  const modelFields = [
    siteField('note', 'string', { default: 'of the model' }),
    siteField('day', 'date', { default: 'today' }),
    siteField('sends', 'boolean', { default: true }),
    siteField('owner', 'foreignkey', { default: { user: 'id' } }),
  ]
  const start = startValues(fields, siteModel('event', 'note', modelFields), 7, new Date('2024-03-01T22:30:00Z'))
  assert.deepEqual(start, { note: 'of the model', day: '2024-03-01', sends: true, owner: 7 })
})

test('a new record starts with the day in UTC and the time of its opening where the default is today or now', () => {
  const dated = siteModel('event', 'note', [siteField('day', 'date'), siteField('at', 'datetime'), siteField('note')])
  const fields = [
    field('day', { default_value: 'today' }),
    field('at', { default_value: 'now' }),
    field('note', { default_value: 'today' }),
  ]
  const start = startValues(fields, dated, 7, new Date('2024-03-01T23:30:00+02:00'))
  assert.deepEqual(start, { day: '2024-03-01', at: '2024-03-01T21:30:00.000Z', note: 'today' })
})

test('the help of a field is that of the view, otherwise of the model; an empty one in the view is none', () => {
  const helped = siteField('note', 'string', { help_text: 'Of the model' })
  assert.equal(helpOf(field('note'), helped), 'Of the model')
  assert.equal(helpOf(field('note', { help_text: 'Of the view' }), helped), 'Of the view')
  assert.equal(helpOf(field('note', { help_text: '' }), helped), undefined)
  assert.equal(helpOf(field('note'), siteField('note')), undefined)
})

test('an entry restores the values before a change, or those of the creation, but no secrets', () => {
  const entry = { id: 1, model: 'user', record_id: 1, at: '', user: null, via: 'api', request_id: null } as const
  const changes = {
    username: { before: 'a', after: 'b' },
    note: { before: 1, after: 2 },
    password: { before: null, after: null, secret: true as const },
  }
  assert.deepEqual(restorable({ ...entry, action: 'update', changes }, ['username', 'password']), { username: 'a' })
  assert.deepEqual(restorable({ ...entry, action: 'create', changes }, ['username']), { username: 'b' })
})
