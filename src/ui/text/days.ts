/** Days of the Gregorian calendar as texts such as `2026-07-02`, without a time zone. */

const MS_PER_DAY = 86_400_000

const two = (number: number) => String(number).padStart(2, '0')

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** True for a day of the calendar such as `2024-05-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(timeOf(text)) && new Date(timeOf(text)).toISOString().startsWith(text)

/** The day of a point in time in the time zone of the browser. */
export function localDay(time: Date): string {
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** A day some days later, or earlier; the day itself beyond the years 0 to 9999. */
export function addDays(day: string, count: number): string {
  const text = new Date(timeOf(day) + count * MS_PER_DAY).toISOString()
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : day
}

/** The same day some months later, or earlier; the last day of a shorter month. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const months = year * 12 + month - 1 + count
  if (months < 0 || months >= 120_000) return day
  const start = `${String(Math.floor(months / 12)).padStart(4, '0')}-${two((months % 12) + 1)}`
  const last = Number(endOfMonth(`${start}-01`).slice(8))
  return `${start}-${two(Math.min(date, last))}`
}

/** The last day of the month of a day. */
export const endOfMonth = (day: string): string => addDays(`${nextMonth(day.slice(0, 7))}-01`, -1)

/** The month after a month such as `2026-07`. */
const nextMonth = (month: string): string => addDays(`${month}-28`, 4).slice(0, 7)

/** The day of the week: 1 for Monday to 7 for Sunday. */
const weekdayOf = (day: string): number => ((Math.floor(timeOf(day) / MS_PER_DAY) + 3 + 7 * 1_000_000) % 7) + 1

/** The first day of the week of a day. @param first the day that weeks begin with: 1 for Monday to 7 for Sunday */
export const startOfWeek = (day: string, first: number): string => addDays(day, -((weekdayOf(day) - first + 7) % 7))

/** Six weeks of seven days that contain the month of a day. */
export function weeksOf(day: string, first: number): readonly (readonly string[])[] {
  const start = startOfWeek(`${day.slice(0, 7)}-01`, first)
  return Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_, date) => addDays(start, week * 7 + date)))
}

/** What some browsers know of the weeks of a locale. */
interface WeekInfo {
  readonly weekInfo?: { readonly firstDay: number }
  readonly getWeekInfo?: () => { readonly firstDay: number }
}

/** The day that weeks begin with in a locale: 1 for Monday to 7 for Sunday; Monday where the browser does not say. */
export function firstWeekday(locale: string): number {
  const info = new Intl.Locale(locale) as Intl.Locale & WeekInfo
  return info.getWeekInfo?.().firstDay ?? info.weekInfo?.firstDay ?? 1
}

/** Where a key leads from a day in a calendar, by the pattern of date grids; undefined for another key. */
export function movedDay(day: string, key: string, isShifted: boolean, first: number): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1)
    case 'ArrowRight':
      return addDays(day, 1)
    case 'ArrowUp':
      return addDays(day, -7)
    case 'ArrowDown':
      return addDays(day, 7)
    case 'Home':
      return startOfWeek(day, first)
    case 'End':
      return addDays(startOfWeek(day, first), 6)
    case 'PageUp':
      return addMonths(day, isShifted ? -12 : -1)
    case 'PageDown':
      return addMonths(day, isShifted ? 12 : 1)
    default:
      return undefined
  }
}
