import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PANEL_PERIODS } from '../../../src/project/dashboard.ts'
import { periodNamer } from '../../../src/query/periods.ts'
import { earlier, lastPeriods, spanOf } from '../../../src/ui/dashboard/periods.ts'
import { PERIODS } from '../../../src/ui/list/filter-text.ts'
import { addDays } from '../../../src/ui/text/days.ts'

describe('periods of a panel', () => {
  test('have the days that the server counts in them', () => {
    for (const kind of ['day', 'week', 'month', 'year'] as const) {
      const nameOf = periodNamer(kind)
      for (let day = '2019-12-20'; day < '2027-01-20'; day = addDays(day, 1)) {
        const name = nameOf(day) ?? ''
        const [from, to] = spanOf(name)
        assert.ok(from <= day && day < to, `${day} in ${name}: ${from} to ${to}`)
        assert.deepEqual([nameOf(from), nameOf(addDays(to, -1))], [name, name])
        assert.equal(earlier(name), nameOf(addDays(from, -1)))
      }
    }
  })

  test('are all between the first and the last, up to the limit', () => {
    assert.deepEqual(lastPeriods(['2020-W52', '2021-W02'], 10), ['2020-W52', '2020-W53', '2021-W01', '2021-W02'])
    assert.deepEqual(lastPeriods(['2019', '2026'], 3), ['2024', '2025', '2026'])
    assert.deepEqual(lastPeriods(['2026-11'], 3), ['2026-11'])
    assert.deepEqual(lastPeriods([], 3), [])
  })

  test('that a panel is limited to are those of lists', () => assert.deepEqual([...PANEL_PERIODS], [...PERIODS]))
})
