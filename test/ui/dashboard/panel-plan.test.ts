import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Site, SiteField, SiteModel, SitePanel } from '../../../src/client/client.ts'
import { groupFilters, listBehind, panelFilters, shownGroups } from '../../../src/ui/dashboard/panel-plan.ts'

const OPERATORS = ['eq', 'in', 'gte', 'lt', 'isnull']

const field = (name: string, type: string, more: Partial<SiteField> = {}): SiteField => ({
  ...{ name, type, label: name, help_text: null, required: false, unique: false, readonly: false, sortable: true },
  ...{ operators: OPERATORS, choices: null, bounds: {}, relation: null, ...more },
})

const model = {
  ...{ key: 'visit', name: 'Visit', label: 'Visits', display_field: 'id', group: null, icon: null, can: ['view'] },
  ...{ searchable: false, history: false, actions: [], referenced_by: [] },
  fields: [
    field('at', 'datetime'),
    field('day', 'date'),
    field('kind', 'choice', { choices: [{ value: 'b' }, { value: 'a' }] }),
    field('place', 'string'),
    field('tags', 'many_to_many'),
  ],
} as unknown as SiteModel

const site = { models: [model] } as unknown as Site

const parts = (panel: Partial<SitePanel>) => ({
  model,
  panel: {
    ...{ title: 'Visits', kind: 'bars', model: 'visit', filters: [], group_by: null, measure: { name: 'count', field: null } },
    ...{ sort: null, limit: null, link: null, size: null, ...panel },
  } as SitePanel,
})

const groups = (by: string, counts: readonly (readonly [string | null, number])[]) =>
  counts.map(([key, count]) => ({ group: { [by]: key }, count }))

const shown = (panel: Partial<SitePanel>, counts: readonly (readonly [string | null, number])[]) => {
  const { shown: list, further } = shownGroups(parts(panel), groups(panel.group_by ?? '', counts))
  return [list.map(({ key, value }) => [key, value]), further]
}

describe('the groups of a panel', () => {
  test('of choices are in their order, of others the greatest first, and the limit says how many are left out', () => {
    const kinds = [
      ['a', 3],
      ['b', 1],
    ] as const
    assert.deepEqual(shown({ group_by: 'kind' }, kinds), [
      [
        ['b', 1],
        ['a', 3],
      ],
      0,
    ])
    assert.deepEqual(shown({ group_by: 'kind', sort: 'value' }, kinds), [
      [
        ['a', 3],
        ['b', 1],
      ],
      0,
    ])
    const places = [
      ['x', 1],
      ['y', 9],
      [null, 4],
    ] as const
    assert.deepEqual(shown({ group_by: 'place', limit: 2 }, places), [
      [
        ['y', 9],
        [null, 4],
      ],
      1,
    ])
    assert.deepEqual(shown({ group_by: 'place', sort: 'group', limit: 2 }, places), [
      [
        ['x', 1],
        ['y', 9],
      ],
      1,
    ])
  })

  test('of a line have the periods without records, which count nothing and have no average', () => {
    const line = { kind: 'line', group_by: 'at:month' } as const
    const months = [
      ['2026-01', 2],
      ['2026-03', 5],
      [null, 7],
    ] as const
    assert.deepEqual(shown(line, months), [
      [
        ['2026-01', 2],
        ['2026-02', 0],
        ['2026-03', 5],
      ],
      0,
    ])
    const averages = months.map(([at, avg]) => ({ group: { 'at:month': at }, avg: { cost: avg } }))
    const { shown: list } = shownGroups(parts({ ...line, measure: { name: 'avg', field: 'cost' } }), averages)
    assert.deepEqual(
      list.map(({ value }) => value),
      [2, null, 5],
    )
  })

  test('lead to the list of their records, in UTC for periods of a point in time', () => {
    const filters = (groupBy: string, key: string | null) => groupFilters(parts({ group_by: groupBy }), key)
    assert.deepEqual(filters('kind', 'a'), ['kind=a'])
    assert.deepEqual(filters('kind', null), ['kind__isnull=true'])
    assert.deepEqual(filters('tags', '3'), ['tags__in=3'])
    assert.deepEqual(filters('day:month', '2026-02'), ['day__gte=2026-02-01', 'day__lt=2026-03-01'])
    assert.deepEqual(filters('at:week', '2020-W53'), ['at__gte=2020-12-28T00:00:00.000Z', 'at__lt=2021-01-04T00:00:00.000Z'])
    const panel = parts({ filters: ['kind=a'], link: 'VisitList', sort: ['-at'] })
    assert.deepEqual(listBehind(panel, ['day=2026-01-01']), {
      list: 'VisitList',
      filter: ['kind=a', 'day=2026-01-01'],
      sort: '-at',
    })
  })
})

test('a panel with a filter that the page does not know asks for nothing', () => {
  const now = new Date('2026-11-29T12:00:00Z')
  assert.equal(panelFilters(site, parts({ filters: ['kind=a', 'nosuch=1'] }), now), undefined)
  assert.deepEqual(panelFilters(site, parts({ filters: ['day__within=this_year'] }), now), {
    filters: ['day__gte=2026-01-01', 'day__lte=2026-12-31'],
    any: [],
  })
})
