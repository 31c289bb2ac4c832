import type { SiteField } from '../../client/client.ts'
import { withOffset } from '../../client/local-time.ts'
import { addDays, addMonths, endOfMonth, isDay, localDay } from '../text/days.ts'

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
  const today = localDay(now)
  const month = `${today.slice(0, 7)}-01`
  const year = today.slice(0, 4)
  switch (period) {
    case 'today':
      return [today, today]
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)]
    case 'tomorrow':
      return [addDays(today, 1), addDays(today, 1)]
    case 'last_7_days':
      return [addDays(today, -6), today]
    case 'next_7_days':
      return [today, addDays(today, 6)]
    case 'last_30_days':
      return [addDays(today, -29), today]
    case 'this_month':
      return [month, endOfMonth(month)]
    case 'last_month':
      return [addMonths(month, -1), addDays(month, -1)]
    case 'this_year':
      return [`${year}-01-01`, `${year}-12-31`]
  }
}

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
  return [...least, isTime ? `${path}__lt=${withOffset(addDays(to, 1))}` : `${path}__lte=${to}`]
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
