import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/client/client.ts'
import { requestedIncludes } from '../../src/ui/data/related.ts'
import type { ListView } from '../../src/ui/data/views.ts'
import {
  allColumns,
  apiSort,
  columnSort,
  linkColumn,
  requestedFields,
  shownColumns,
  shownSort,
  viewSort,
} from '../../src/ui/list/columns.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const post = siteModel('post', 'title', [
  siteField('id', 'primarykey'),
  siteField('title'),
  siteField('slug'),
  siteField('author_id', 'foreignkey', relationTo('author', 'user')),
  siteField('editor_id', 'foreignkey', relationTo('editor', 'hidden')),
  siteField('tags', 'many_to_many', relationTo('tags', 'tag')),
])
const named = (key: string) => siteModel(key, 'name', [siteField('name'), siteField('email')])
const site = { models: [post, named('user'), named('tag')] } as unknown as Site

const flags = { required: false, readonly: false, disabled: false, is_primary_key: false }
const view: ListView = {
  name: 'PostList',
  view_type: 'list',
  fields: [
    { name: 'id', ...flags },
    { name: 'author_id', title: 'By', ...flags },
    { name: 'password', ...flags },
  ],
  sort: [
    { field: 'author_id', order: 'desc' },
    { field: 'id', order: 'asc' },
  ],
}
const forms = [
  { name: 'PostForm', view_type: 'form', fields: [{ name: 'slug', title: 'Address', ...flags }] },
  { name: 'OtherForm', view_type: 'form', fields: [{ name: 'slug', title: 'Other', ...flags }] },
] as const
const all = allColumns(post, view, forms)
const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name)

test('columns are those of the view, then the other fields; fields that the user does not have are left out', () => {
  assert.deepEqual(names(all), ['id', 'author_id', 'title', 'slug', 'editor_id', 'tags'])
  const labels = all.slice(0, 4).map(({ label }) => label)
  assert.deepEqual(labels, ['ID', 'By', 'TITLE', 'Address'])
})

test('the chosen columns are shown in their order; without any, those of the view', () => {
  assert.deepEqual(names(shownColumns(all, ['tags', 'nosuch', 'id'])), ['tags', 'id'])
  assert.deepEqual(names(shownColumns(all, ['nosuch'])), ['id', 'author_id'])
  assert.deepEqual(names(shownColumns(all, undefined)), ['id', 'author_id'])
})

test('the column that names the record links to it, otherwise the first plain one', () => {
  assert.equal(linkColumn(all, post)?.name, 'title')
  assert.equal(linkColumn(shownColumns(all, ['id', 'tags', 'slug']), post)?.name, 'slug')
  assert.equal(linkColumn(shownColumns(all, ['id', 'tags']), post)?.name, 'id')
})

test('only shown fields are requested, with the names of related records that may be viewed', () => {
  const shown = shownColumns(all, ['author_id', 'editor_id', 'tags'])
  assert.deepEqual(requestedFields(shown, post), ['author_id', 'editor_id', 'tags', 'title'])
  assert.deepEqual(
    requestedIncludes(
      site,
      shown.map(({ field }) => field),
    ),
    ['author__name'],
  )
})

test('relations are sorted by name where it may be viewed; keys that the API would reject are left out', () => {
  assert.deepEqual(apiSort(site, post, ['-author_id', 'editor_id', 'tags', 'nosuch', 'id']), ['-author.name', 'editor_id', 'id'])
  assert.deepEqual(viewSort(view), ['-author_id', 'id'])
})

test('a list is sorted by the column of a relation, by another field of the related record, and by no key twice', () => {
  const sort = ['author.name', '-author', '-author.email', 'editor.name', 'tags.name', 'author.email', 'author.email.x', 'title']
  assert.deepEqual(columnSort(site, post, sort), ['author_id', '-author.email', 'title'])
  assert.deepEqual(apiSort(site, post, sort), ['author.name', '-author.email', 'title'])
})

test('heads of columns show the order by columns that are shown, if the first is one of them', () => {
  const shown = shownColumns(all, ['id', 'title'])
  assert.deepEqual(shownSort(['-title', 'slug', 'id'], shown), ['-title', 'id'])
  assert.deepEqual(shownSort(['-slug', 'id'], shown), [])
  assert.deepEqual(shownSort([], shown), [])
})
