import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/client/client.ts'
import { apiFilters } from '../../src/ui/list/filter-text.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const text = { operators: ['eq', 'ne', 'in', 'isnull', 'icontains', 'startswith', 'gt', 'lte'] }
const fields = [siteField('rating', 'number'), siteField('author_id', 'foreignkey', relationTo('author', 'user'))]
const types = ['string', 'text', 'email', 'url', 'slug', 'choice']
const post = siteModel('post', 'string', [...fields, ...types.map((type) => siteField(type, type, text))])
const user = siteModel('user', 'bio', [siteField('bio', 'text', text)])
const site = { models: [post, user] } as unknown as Site

for (const path of [...types, 'author__bio']) {
  test(`"is empty" finds null and texts without characters: ${path}`, () => {
    assert.deepEqual(apiFilters(site, post, [`${path}__isnull=true`]), {
      filters: [],
      any: [[`${path}__isnull=true`, `${path}__lte=`]],
    })
    assert.deepEqual(apiFilters(site, post, [`${path}__isnull=false`]), { filters: [`${path}__gt=`], any: [] })
  })
}

test('"is empty" of other types, and other operators, are sent as they stand in the address', () => {
  const sent = ['rating__isnull=true', 'author_id__isnull=false', 'string=x', 'text__icontains=__isnull=true', 'string__isnull=1']
  assert.deepEqual(apiFilters(site, post, [...sent, 'nosuch__isnull=true']), { filters: sent, any: [] })
})
