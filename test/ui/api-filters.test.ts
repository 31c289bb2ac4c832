import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/client/client.ts'
import { apiFilters } from '../../src/ui/list/filter-text.ts'
import { relationTo, siteField, siteModel } from './site-fixture.ts'

const text = { operators: ['eq', 'ne', 'in', 'isnull', 'icontains', 'startswith', 'gt', 'lte'] }
const ordered = { operators: ['eq', 'isnull', 'gt', 'gte', 'lt', 'lte'] }
const fields = [
  siteField('rating', 'number', ordered),
  siteField('day', 'date', ordered),
  siteField('at', 'datetime', ordered),
  siteField('author_id', 'foreignkey', relationTo('author', 'user')),
]
const types = ['string', 'text', 'email', 'url', 'slug', 'choice']
const post = siteModel('post', 'string', [...fields, ...types.map((type) => siteField(type, type, text))])
const user = siteModel('user', 'bio', [siteField('bio', 'text', text)])
const NOW = new Date(2024, 2, 31, 23, 30)
const site = { models: [post, user] } as unknown as Site

for (const path of [...types, 'author__bio']) {
  test(`"is empty" finds null and texts without characters: ${path}`, () => {
    assert.deepEqual(apiFilters(site, post, [`${path}__isnull=true`], NOW), {
      filters: [],
      any: [[`${path}__isnull=true`, `${path}__lte=`]],
    })
    assert.deepEqual(apiFilters(site, post, [`${path}__isnull=false`], NOW), { filters: [`${path}__gt=`], any: [] })
  })
}

test('"is empty" of other types, and other operators, are sent as they stand in the address', () => {
  const sent = ['rating__isnull=true', 'author_id__isnull=false', 'string=x', 'text__icontains=__isnull=true', 'string__isnull=1']
  assert.deepEqual(apiFilters(site, post, [...sent, 'nosuch__isnull=true'], NOW), { filters: sent, any: [] })
})

/** Runs assertions in a time zone with summer time from 31 March to 27 October 2024. */
function inBerlin(assertions: (sent: (...filters: readonly string[]) => readonly string[]) => void): void {
  const former = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    assertions((...filters) => apiFilters(site, post, filters, new Date(2024, 2, 31, 23, 30)).filters)
  } finally {
    if (former === undefined) delete process.env.TZ
    else process.env.TZ = former
  }
}

test('a period has the days of the calendar in the time zone of the browser', () => {
  inBerlin((sent) => {
    assert.deepEqual(sent('day__within=today'), ['day__gte=2024-03-31', 'day__lte=2024-03-31'])
    assert.deepEqual(sent('at__within=today'), ['at__gte=2024-03-31T00:00+01:00', 'at__lt=2024-04-01T00:00+02:00'])
    for (const [period, from, to] of [
      ['yesterday', '2024-03-30', '2024-03-30'],
      ['tomorrow', '2024-04-01', '2024-04-01'],
      ['last_7_days', '2024-03-25', '2024-03-31'],
      ['next_7_days', '2024-03-31', '2024-04-06'],
      ['last_30_days', '2024-03-02', '2024-03-31'],
      ['this_month', '2024-03-01', '2024-03-31'],
      ['last_month', '2024-02-01', '2024-02-29'],
      ['this_year', '2024-01-01', '2024-12-31'],
    ])
      assert.deepEqual(sent(`day__within=${period}`), [`day__gte=${from}`, `day__lte=${to}`], period)
  })
})

test('a range has both ends, or one; its last day is over at midnight', () => {
  inBerlin((sent) => {
    assert.deepEqual(sent('rating__between=1.5,3'), ['rating__gte=1.5', 'rating__lte=3'])
    assert.deepEqual(sent('rating__between=,3'), ['rating__lte=3'])
    assert.deepEqual(sent('day__between=2024-02-01,'), ['day__gte=2024-02-01'])
    assert.deepEqual(sent('at__between=2024-10-26,2024-10-27'), [
      'at__gte=2024-10-26T00:00+02:00',
      'at__lt=2024-10-28T00:00+01:00',
    ])
  })
})

test('a period or a range that cannot be read is not used', () => {
  const filters = [
    'day__within=someday',
    'rating__within=today',
    'day__between=,',
    'day__between=2024-02-30,',
    'string__between=a',
    'at__between=x,y',
  ]
  assert.deepEqual(apiFilters(site, post, filters, NOW), { filters: [], any: [] })
})
