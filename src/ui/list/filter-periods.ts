import type { SiteField } from '../../client/client.ts'
import { withOffset } from '../../client/local-time.ts'
import { isDay } from '../text/format.ts'

/** Periods that move with the calendar, as a filter of an address names them: `created_at__within=last_7_days`. */
export const PERIODS = [
  'today',
  'yesterday',
  'tomorrow',
  'last_7_days',
  'next_7_days',
  'last_30_days',
  'this_month',
  'last_month',
  'this_year',
] as const

/** A period that moves with the calendar. */
export type Period = (typeof PERIODS)[number]

export const isPeriod = (text: string): text is Period => PERIODS.some((period) => period === text)

/** The first and the last day of a period, which belong to it. @param now decides which day is today, in the time zone of the browser */
export function daysOf(period: Period, now: Date): readonly [string, string] {
  const [year, month, today] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const days = (first: number, last: number) => [day(year, month, today + first), day(year, month, today + last)] as const
  switch (period) {
    case 'today':
      return days(0, 0)
    case 'yesterday':
      return days(-1, -1)
    case 'tomorrow':
      return days(1, 1)
    case 'last_7_days':
      return days(-6, 0)
    case 'next_7_days':
      return days(0, 6)
    case 'last_30_days':
      return days(-29, 0)
    case 'this_month':
      return [day(year, month, 1), day(year, month + 1, 0)]
    case 'last_month':
      return [day(year, month - 1, 1), day(year, month, 0)]
    case 'this_year':
      return [day(year, 0, 1), day(year, 11, 31)]
  }
}

/** A day of the calendar as the API writes it. Days and months beyond their range count on. */
const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 'yyyy-mm-dd'.length)

/** The two ends of the value of `between`, of which one may be empty; undefined for a value that has no such ends. */
export function endsOf(value: string): readonly [string, string] | undefined {
  const [, from, to] = /^([^,]*),([^,]*)$/.exec(value) ?? []
  return from === undefined || to === undefined || value === ',' ? undefined : [from, to]
}

/**
 * The filters of the API for all values from one to another, which are found, too. Ends of a point in time are days in the time zone of
 * the browser.
 *
 * @param ends of which one may be empty
 */
export function rangeFilters({ type }: SiteField, path: string, [from, to]: readonly [string, string]): readonly string[] {
  const isTime = type === 'datetime'
  const least = from === '' ? [] : [`${path}__gte=${isTime ? withOffset(from) : from}`]
  if (to === '') return least
  const [year = 0, month = 1, date = 1] = to.split('-').map(Number)
  return [...least, isTime ? `${path}__lt=${withOffset(day(year, month - 1, date + 1))}` : `${path}__lte=${to}`]
}

/** True if the API can compare the values of a field with the ends of a range. */
export function takesRange(field: SiteField, operator: string, value: string): boolean {
  const { type, operators } = field
  const isDays = type === 'date' || type === 'datetime'
  if (!operators.includes('gte') || !operators.includes('lt')) return false
  if (operator === 'within') return isDays && isPeriod(value)
  const ends = endsOf(value)
  return ends?.every((end) => end === '' || (isDays ? isDay(end) : isValue(field, end))) === true
}

/** True for a text that can be a value of a field, as the API writes it. */
export function isValue({ type, relation }: SiteField, text: string): boolean {
  if (relation !== null) return /^-?\d+$/.test(text)
  switch (type) {
    case 'primarykey':
    case 'integer':
    case 'number':
    case 'decimal':
      return text.trim() !== '' && Number.isFinite(Number(text))
    case 'date':
    case 'datetime':
      return isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
    case 'boolean':
      return text === 'true' || text === 'false'
    case 'time':
      return /^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    default:
      return true
  }
}
