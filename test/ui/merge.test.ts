import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesOf, hasChanged, mergedEdits } from '../../src/ui/form/versions.ts'
import { siteField, siteModel } from './site-fixture.ts'

const model = siteModel('post', 'title', [siteField('title'), siteField('summary'), siteField('body'), siteField('status')])
const names = ['title', 'summary', 'body', 'status']
const base = { id: 1, title: 'T', summary: 'S', body: 'B', status: 'draft' }
const theirs = { id: 1, title: 'T2', summary: 'S', body: 'B2', status: 'published' }
const edits = { title: 'T1', summary: 'S1', status: 'published' }

test('only fields that differ are shown, and each side keeps what it alone has changed', () =>
  assert.deepEqual(differencesOf(model, names, base, edits, theirs), [
    { name: 'title', mine: 'T1', theirs: 'T2', proposed: 'mine', isContested: true },
    { name: 'summary', mine: 'S1', theirs: 'S', proposed: 'mine', isContested: false },
    { name: 'body', mine: 'B', theirs: 'B2', proposed: 'theirs', isContested: false },
  ]))

test('the chosen sides become edits of the stored version', () => {
  const differences = differencesOf(model, names, base, edits, theirs)
  assert.deepEqual(mergedEdits(edits, differences, {}), { title: 'T1', summary: 'S1', status: 'published' })
  assert.deepEqual(mergedEdits(edits, differences, { title: 'theirs', body: 'mine' }), {
    summary: 'S1',
    status: 'published',
    body: 'B',
  })
})

test('a version changes by its own fields, not by those of related records', () => {
  assert.equal(hasChanged(model, base, { ...base, author: { id: 1, name: 'new' } }), false)
  assert.equal(hasChanged(model, base, theirs), true)
})
