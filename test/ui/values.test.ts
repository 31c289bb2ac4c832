import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields, createdValues, isSameContent, valueIn } from '../../src/ui/form/values.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const tags = siteField('tags', 'many_to_many', relationTo('tags', 'tag'))
const model = siteModel('post', 'title', [siteField('title'), siteField('rating', 'number'), tags, siteField('meta', 'json')])

test('related records become their ids', () => {
  assert.deepEqual(valueIn({ id: 1, tags: [{ id: 4, name: 'a' }, { id: 2 }] }, tags), [4, 2])
  assert.equal(valueIn(undefined, tags), null)
})

test('values with the same content are the same', () => {
  const same: readonly (readonly [string, unknown, unknown])[] = [
    ['string', null, ''],
    ['string', undefined, null],
    ['decimal', '12.50', '12.5'],
    ['decimal', '-0.0', '0'],
    ['decimal', '007', '7'],
    ['datetime', '2026-07-01T08:30:00.000Z', '2026-07-01T10:30+02:00'],
    ['number', 100000, '1e5'],
    ['json', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['multichoice', [], null],
  ]
  for (const [type, one, other] of same) assert.ok(isSameContent(siteField('x', type), one, other), `${type} ${one} ${other}`)
})

test('values with different content are not the same', () => {
  const different: readonly (readonly [string, unknown, unknown])[] = [
    ['string', 'a', 'A'],
    ['boolean', false, null],
    ['integer', 0, null],
    ['decimal', '12.50', '12.51'],
    ['decimal', '10', '100'],
    ['json', [1, 2], [2, 1]],
    ['json', '1', 1],
    ['many_to_many', [1], [1, 2]],
    ['many_to_many', [1, 2], [2, 1]],
    ['multichoice', ['de', 'fr'], ['fr', 'de']],
  ]
  for (const [type, one, other] of different)
    assert.ok(!isSameContent(siteField('x', type), one, other), `${type} ${one} ${other}`)
})

test('only edited fields that differ and may be set are changes', () => {
  const record = { id: 1, title: 'A', rating: 4, tags: [{ id: 1 }], meta: null }
  const edits = { title: 'B', rating: 4, tags: [1], meta: { a: 1 } }
  assert.deepEqual(changedFields(model, ['title', 'rating', 'tags'], record, edits), { title: 'B' })
})

test('a new record is sent without empty values, but with those that were cleared', () => {
  const names = ['title', 'rating', 'meta']
  assert.deepEqual(createdValues(names, { title: 'A', rating: null, other: 1 }, { title: 'A' }), { title: 'A' })
  assert.deepEqual(createdValues(names, { title: 'A', rating: null }, { rating: null }), { title: 'A', rating: null })
})
