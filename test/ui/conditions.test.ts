import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormView } from '../../src/ui/data/views.ts'
import { hasConditions, loadConditions, selfOf } from '../../src/ui/form/conditions.ts'
import { Unparsed } from '../../src/ui/widgets/unparsed.ts'
import { siteField, siteModel } from './site-fixture.ts'

const flags = { required: false, readonly: false, disabled: false, is_primary_key: false }
const form: FormView = {
  name: 'F',
  view_type: 'form',
  fields: [
    { name: 'status', ...flags },
    { name: 'date', visible_when: 'self.status != "draft"', ...flags },
    { name: 'rating', visible_when: 'self.count > 3', ...flags },
  ],
}
const model = siteModel('post', 'status', [siteField('status'), siteField('date', 'date'), siteField('count', 'integer')])

test('fields whose condition is not met, or fails, are hidden', async () => {
  assert.equal(hasConditions(form), true)
  const hidden = await loadConditions(form)
  assert.deepEqual([...hidden(selfOf(model, undefined, { status: 'draft' }))], ['date', 'rating'])
  assert.deepEqual([...hidden(selfOf(model, { id: 1, count: 4 }, { status: 'published' }))], [])
  assert.deepEqual([...hidden(selfOf(model, { id: 1, status: 'published', count: 3 }, {}))], ['rating'])
  // A number that is typed half is no value yet.
  assert.deepEqual([...hidden(selfOf(model, { id: 1, count: 4 }, { count: new Unparsed('-', { kind: 'number' }) }))], ['rating'])
})
