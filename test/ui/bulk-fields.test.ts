import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldView, FormView } from '../../src/ui/data/views.ts'
import { bulkFields } from '../../src/ui/list/selection.ts'
import { siteField, siteModel } from './site-fixture.ts'

const fieldView = (name: string): FieldView => ({
  name,
  required: false,
  readonly: false,
  disabled: false,
  is_primary_key: name === 'id',
})

const form = (name: string, fields: readonly string[], more: Partial<FormView> = {}): FormView => ({
  name,
  view_type: 'form',
  fields: fields.map(fieldView),
  ...more,
})

const user = siteModel('user', 'username', [
  siteField('id', 'primarykey', { readonly: true }),
  siteField('username', 'string', { unique: true }),
  siteField('is_active', 'boolean'),
  siteField('is_superuser', 'boolean'),
  siteField('last_login', 'datetime', { readonly: true }),
])

const found = (forms: readonly FormView[], isSuperuser = true) =>
  bulkFields(user, forms, isSuperuser).map((each) => `${each.form.name}.${each.view.name}`)

test('fields are edited together that a form accepts in an update; unique and read-only ones are left out', () => {
  const all = form('UserForm', ['id', 'username', 'is_active', 'last_login', 'is_superuser'])
  assert.deepEqual(found([all]), ['UserForm.is_active', 'UserForm.is_superuser'])
  assert.deepEqual(found([{ ...all, use: ['create'] }]), [])
  assert.deepEqual(found([{ ...all, allowed_update_fields: ['is_active'] }, form('Other', ['is_superuser'])]), [
    'UserForm.is_active',
    'Other.is_superuser',
  ])
})

test('fields that grant permissions are offered to superusers only', () =>
  assert.deepEqual(found([form('UserForm', ['is_active', 'is_superuser'])], false), ['UserForm.is_active']))
