import type { Field } from '../model/field.ts'
import { DAY_MS } from '../util/clock.ts'
import type { Json } from '../util/json.ts'

/** The periods that records can be grouped by, in UTC. */
export const DATE_PERIODS = ['day', 'week', 'month', 'year'] as const

export type DatePeriod = (typeof DATE_PERIODS)[number]

export const isDatePeriod = (text: string): text is DatePeriod => DATE_PERIODS.some((period) => period === text)

/** True if the values of a field lie in periods. */
export const hasPeriods = ({ type }: Field): boolean => type.name === 'date' || type.name === 'datetime'

/** Characters of the name of a period at the beginning of a stored date. */
const NAMED = { day: 10, month: 7, year: 4 }

const STORED_DAY = /^\d{4}-\d\d-\d\d(?:T|$)/

/**
 * A function that names the period of a stored date or datetime: `2026-11-27`, `2026-W48` (ISO 8601), `2026-11`, `2026`. Null for null, and
 * for values that remain after the type of a field was changed.
 */
export function periodNamer(period: DatePeriod): (value: Json) => string | null {
  if (period === 'week') {
    const weeks = new Map<string, string>()
    return named((value) => {
      const day = value.slice(0, NAMED.day)
      const week = weeks.get(day) ?? weekOf(day)
      weeks.set(day, week)
      return week
    })
  }
  const length = NAMED[period]
  return named((value) => value.slice(0, length))
}

const named =
  (nameOf: (value: string) => string) =>
  (value: Json): string | null =>
    typeof value === 'string' && STORED_DAY.test(value) ? nameOf(value) : null

/** The week of a day by ISO 8601: it belongs to the year of its Thursday, and the first week of a year is the one with its first Thursday. */
function weekOf(day: string): string {
  const midnight = Date.parse(`${day}T00:00:00.000Z`)
  const weekday = (new Date(midnight).getUTCDay() + 6) % 7
  const thursday = new Date(midnight + (3 - weekday) * DAY_MS)
  const first = new Date(thursday)
  first.setUTCMonth(0, 1)
  const week = 1 + Math.floor((thursday.getTime() - first.getTime()) / DAY_MS / 7)
  return `${String(thursday.getUTCFullYear()).padStart(4, '0')}-W${String(week).padStart(2, '0')}`
}
