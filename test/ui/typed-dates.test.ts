import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMonths, endOfMonth, isDay, movedDay, startOfWeek, weeksOf } from '../../src/ui/text/days.ts'
import {
  clockPattern,
  dateSigns,
  dayPattern,
  dayText,
  momentParts,
  momentText,
  readDays,
  readMoments,
  readTime,
  timeText,
} from '../../src/ui/text/typed-dates.ts'

const GB = dateSigns('en-GB')
const US = dateSigns('en-US')
const DE = dateSigns('de-DE')

test('the pattern of a time names the half of the day where hours count to 12', () => {
  assert.deepEqual([clockPattern(US, 'hh:mm'), clockPattern(DE, 'hh:mm')], ['hh:mm AM', 'hh:mm'])
})

test('a day is written and read as the language does', () => {
  assert.equal(dayText('2026-07-02', GB), '02/07/2026')
  assert.equal(dayText('2026-07-02', US), '07/02/2026')
  assert.equal(dayText('2026-07-02', DE), '02.07.2026')
  assert.equal(dayPattern(DE, { day: 'TT', month: 'MM', year: 'JJJJ' }), 'TT.MM.JJJJ')
  assert.deepEqual(readDays('2/7/2026', GB), ['2026-07-02'])
  assert.deepEqual(readDays('2/7/2026', US), ['2026-02-07'])
  assert.deepEqual(readDays('2.7.2026', DE), ['2026-07-02'])
  assert.deepEqual(readDays('2026-07-02', US), ['2026-07-02'])
})

test('a day with the signs of another language has each reading that is possible', () => {
  assert.deepEqual(readDays('2/7/2026', DE), ['2026-07-02', '2026-02-07'])
  assert.deepEqual(readDays('13/7/2026', DE), ['2026-07-13'])
  for (const text of ['30/2/2026', '2/7/26', '2/7', 'today', '32/1/2026']) assert.deepEqual(readDays(text, GB), [], text)
})

test('a time is written and read with 12 or 24 hours', () => {
  assert.equal(timeText('08:05:00', GB), '08:05')
  assert.equal(timeText('20:05:30.500', US), '8:05:30.500 PM')
  assert.equal(timeText('00:00', US), '12:00 AM')
  for (const [text, time] of [
    ['8:05', '08:05'],
    ['8 pm', '20:00'],
    ['12:30 a.m.', '00:30'],
    ['23:59:59,5', '23:59:59.5'],
  ] as const)
    assert.equal(readTime(text), time, text)
  for (const text of ['8', '24:00', '13 pm', '8:5', '']) assert.equal(readTime(text), undefined, text)
  assert.equal(momentText('2026-07-02T10:30', DE), '02.07.2026, 10:30')
  for (const text of ['2.7.2026, 10:30', '2. 7. 2026 10:30', '2026-07-02T10:30'])
    assert.deepEqual(readMoments(text, DE), ['2026-07-02T10:30'], text)
  assert.deepEqual(readMoments('2.7.2026', DE), [])
})

test('keys of a calendar move by day, week, month and year', () => {
  const moves = {
    ArrowLeft: '2026-02-27',
    ArrowDown: '2026-03-07',
    Home: '2026-02-23',
    End: '2026-03-01',
    PageDown: '2026-03-28',
  }
  for (const [key, day] of Object.entries(moves)) assert.equal(movedDay('2026-02-28', key, false, 1), day, key)
  assert.equal(movedDay('2024-02-29', 'PageUp', true, 1), '2023-02-28')
  assert.equal(addMonths('2026-01-31', 1), '2026-02-28')
  assert.equal(startOfWeek('2026-03-01', 7), '2026-03-01')
  assert.deepEqual(
    weeksOf('2026-07-15', 1)
      .map(([first]) => first)
      .slice(0, 2),
    ['2026-06-29', '2026-07-06'],
  )
})

test('the parts of a typed moment are found as they are typed, also where one of them is no value yet', () => {
  const cases = {
    '': ['', ''],
    '2/7/2026': ['2/7/2026', ''],
    '2/7': ['2/7', ''],
    '10:30': ['', '10:30'],
    '10:30 pm': ['', '10:30 pm'],
    '2/7/2026, 1': ['2/7/2026', '1'],
    'tomorrow, 10:30': ['tomorrow', '10:30'],
    '2026-07-02T10:30': ['2026-07-02', '10:30'],
    '2/7/2026 10:30': ['2/7/2026', '10:30'],
  }
  for (const [text, [day, clock]] of Object.entries(cases)) assert.deepEqual(momentParts(text), { day, clock }, text)
})

test('months end on their last day, and only days of the calendar are days', () => {
  assert.deepEqual([endOfMonth('2024-02-10'), endOfMonth('2026-12-01')], ['2024-02-29', '2026-12-31'])
  assert.deepEqual(['2024-02-29', '2025-02-29', '2024-2-9', ''].map(isDay), [true, false, false, false])
})
