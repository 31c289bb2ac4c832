import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CalendarEntry,
  calendarPlace,
  type EntryFields,
  entryBars,
  entryOf,
  hourBlocks,
  isAllDay,
  movedValues,
  resizedValues,
  shownBars,
  timeAt,
  turned,
  weeksAt,
} from '../../src/ui/list/calendar-layout.ts'

const TIMES: EntryFields = { start: 'from', end: 'to', isDays: false }
const DAYS: EntryFields = { start: 'from', end: 'to', isDays: true }

const days = (id: number, from: string, to: string | null = null): CalendarEntry => {
  const entry = entryOf({ id, from, to }, DAYS)
  assert.ok(entry)
  return entry
}
/** An entry of 2 July 2026 by hours. */
const hours = (id: number, from: string, to: string): CalendarEntry => {
  const entry = entryOf(
    { id, from: new Date(`2026-07-02T${from}`).toISOString(), to: new Date(`2026-07-02T${to}`).toISOString() },
    TIMES,
  )
  assert.ok(entry)
  return entry
}

test('a place is read from the address, and turned by what it shows', () => {
  assert.deepEqual(calendarPlace('week.2026-07-02', '2026-01-01'), { scale: 'week', day: '2026-07-02' })
  assert.deepEqual(calendarPlace('year.2026-02-30', '2026-01-01'), { scale: 'month', day: '2026-01-01' })
  assert.deepEqual(turned({ scale: 'month', day: '2026-01-31' }, 1), { scale: 'month', day: '2026-02-28' })
  assert.deepEqual(turned({ scale: 'week', day: '2026-01-01' }, -1), { scale: 'week', day: '2025-12-25' })
  assert.deepEqual(turned({ scale: 'day', day: '2026-01-01' }, -1), { scale: 'day', day: '2025-12-31' })
})

test('a month has the weeks that it is a part of, from the first day of weeks on', () => {
  const german = weeksAt({ scale: 'month', day: '2026-02-14' }, 1)
  assert.deepEqual([german.length, german[0]?.[0], german.at(-1)?.[6]], [5, '2026-01-26', '2026-03-01'])
  const american = weeksAt({ scale: 'month', day: '2026-02-14' }, 7)
  assert.deepEqual([american.length, american[0]?.[0], american.at(-1)?.[6]], [4, '2026-02-01', '2026-02-28'])
  assert.equal(weeksAt({ scale: 'month', day: '2026-08-01' }, 1).length, 6)
  assert.deepEqual(weeksAt({ scale: 'day', day: '2026-02-14' }, 1), [['2026-02-14']])
})

test('bars take the first row with room; what goes on is open at the edge of the week', () => {
  const week = weeksAt({ scale: 'week', day: '2026-07-01' }, 1)[0] ?? []
  const entries = [
    days(1, '2026-06-20', '2026-06-30'),
    days(2, '2026-06-30', '2026-07-02'),
    days(3, '2026-07-01'),
    days(4, '2026-07-05', '2026-08-01'),
  ]
  assert.deepEqual(
    entryBars([...entries, days(5, '2026-07-06')], week).map(({ entry, column, span, row, startsBefore, endsAfter }) => [
      ...[entry.record.id, column, span, row, startsBefore, endsAfter],
    ]),
    [
      [1, 0, 2, 0, true, false],
      [2, 1, 3, 1, false, false],
      [3, 2, 1, 0, false, false],
      [4, 6, 1, 0, false, true],
    ],
  )
})

test('a day with more than fits says how many; a day with as many as fit shows them all', () => {
  const week = weeksAt({ scale: 'week', day: '2026-07-01' }, 1)[0] ?? []
  const many = (day: string, count: number, from: number) => Array.from({ length: count }, (_, index) => days(from + index, day))
  const bars = entryBars([...many('2026-06-29', 4, 1), ...many('2026-07-01', 6, 11)], week)
  const { shown, hidden } = shownBars(bars, 4, 7)
  assert.deepEqual(hidden, [0, 0, 3, 0, 0, 0, 0])
  assert.deepEqual(
    shown.map(({ entry }) => entry.record.id),
    [1, 2, 3, 4, 11, 12, 13],
  )
})

test('blocks that overlap stand beside each other, others have the whole width', () => {
  const entries = [hours(1, '09:00', '10:00'), hours(2, '09:30', '11:00'), hours(3, '10:00', '10:30'), hours(4, '11:00', '12:00')]
  assert.deepEqual(
    hourBlocks(entries, '2026-07-02').map(({ entry, from, to, column, columns }) => [entry.record.id, from, to, column, columns]),
    [
      [1, 540, 600, 0, 2],
      [2, 570, 660, 1, 2],
      [3, 600, 630, 0, 2],
      [4, 660, 720, 0, 1],
    ],
  )
  const three = [hours(1, '09:00', '12:00'), hours(2, '09:00', '10:00'), hours(3, '09:30', '10:00')]
  assert.deepEqual(
    hourBlocks(three, '2026-07-02').map(({ column, columns }) => [column, columns]),
    [
      [0, 3],
      [1, 3],
      [2, 3],
    ],
  )
})

test('what goes on past midnight has a part in each day, what lasts a day is a whole one, and midnight belongs to the day before', () => {
  const entry = (from: string, to: string) =>
    entryOf({ id: 1, from: new Date(from).toISOString(), to: new Date(to).toISOString() }, TIMES)
  const night = entry('2026-07-02T22:00', '2026-07-03T02:00')
  assert.ok(night && !isAllDay(night))
  assert.deepEqual(
    ['2026-07-02', '2026-07-03', '2026-07-04'].map((day) => hourBlocks([night], day).map(({ from, to }) => [from, to])),
    [[[1320, 1440]], [[0, 120]], []],
  )
  const long = entry('2026-07-02T10:00', '2026-07-03T10:00')
  assert.ok(long && isAllDay(long))
  const evening = entry('2026-07-02T22:00', '2026-07-03T00:00')
  assert.deepEqual([evening?.last, evening?.to], ['2026-07-02', 1440])
  assert.equal(entryOf({ id: 1, from: null, to: null }, TIMES), undefined)
  const reversed = entry('2026-07-02T10:00', '2026-07-01T10:00')
  assert.deepEqual([reversed?.last, reversed?.to], ['2026-07-02', 630])
})

/** Runs a check where clocks change on 29 March and 25 October 2026. */
function inBerlin(check: () => void): void {
  const former = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    check()
  } finally {
    if (former === undefined) delete process.env.TZ
    else process.env.TZ = former
  }
}

test('a move across a change of clocks keeps the hour', () => {
  inBerlin(() => {
    const record = { id: 1, from: '2026-03-28T09:00:00.000Z', to: '2026-03-28T10:00:00.000Z' }
    const moved = { from: '2026-03-29T08:00:00.000Z', to: '2026-03-29T09:00:00.000Z' }
    assert.deepEqual(movedValues(record, TIMES, { days: 1, minutes: 0 }), moved)
    assert.equal(timeAt('2026-03-29', 600), '2026-03-29T08:00:00.000Z')
    assert.equal(timeAt('2026-10-25', 600), '2026-10-25T09:00:00.000Z')
    const entry = entryOf({ id: 1, ...moved }, TIMES)
    assert.deepEqual([entry?.first, entry?.from, entry?.to], ['2026-03-29', 600, 660])
  })
})

test('a move to an hour at which clocks change keeps the length', () => {
  inBerlin(() => {
    const moved = (from: string, to: string, count: number) =>
      movedValues({ id: 1, from, to }, TIMES, { days: count, minutes: 0 })
    // 02:30 is left out on 29 March, and 03:30 instead.
    const spring = moved('2026-03-28T01:30:00.000Z', '2026-03-28T02:00:00.000Z', 1)
    assert.deepEqual(spring, { from: '2026-03-29T01:30:00.000Z', to: '2026-03-29T02:00:00.000Z' })
    // 02:30 comes twice on 25 October.
    const autumn = moved('2026-10-18T00:30:00.000Z', '2026-10-18T01:30:00.000Z', 7)
    assert.deepEqual(autumn, { from: '2026-10-25T00:30:00.000Z', to: '2026-10-25T01:30:00.000Z' })
  })
})

test('an end is moved on its own, and stays after the start', () => {
  const record = { id: 1, from: '2026-07-02T08:00:00.000Z', to: '2026-07-02T09:00:00.000Z' }
  assert.deepEqual(resizedValues(record, TIMES, { days: 0, minutes: -30 }), { to: '2026-07-02T08:30:00.000Z' })
  assert.equal(resizedValues(record, TIMES, { days: 0, minutes: -60 }), undefined)
  assert.deepEqual(resizedValues({ id: 1, from: '2026-07-02', to: null }, DAYS, { days: 2, minutes: 0 }), { to: '2026-07-04' })
  assert.equal(resizedValues({ id: 1, from: '2026-07-02', to: '2026-07-03' }, DAYS, { days: -2, minutes: 0 }), undefined)
  assert.deepEqual(movedValues({ id: 1, from: '2026-07-02', to: null }, DAYS, { days: -2, minutes: 0 }), { from: '2026-06-30' })
})
