import { addDays, addMonths, startOfWeek } from '../text/days.ts'

/** Periods of dates as the aggregate API names them: `2026-11-27`, `2026-W48`, `2026-11`, `2026`. */

const WEEK = /^(\d{4})-W(\d\d)$/

/** The year and the number of a week by ISO 8601. */
export function weekIn(name: string): readonly [string, number] | undefined {
  const [, year, week] = WEEK.exec(name) ?? []
  return year === undefined ? undefined : [year, Number(week)]
}

/** The first day of a period, and the first one after it. */
export function spanOf(name: string): readonly [string, string] {
  const week = weekIn(name)
  if (week !== undefined) {
    // The first week of a year has its fourth of January.
    const monday = addDays(startOfWeek(`${week[0]}-01-04`, 1), (week[1] - 1) * 7)
    return [monday, addDays(monday, 7)]
  }
  if (name.length === 4) return [`${name}-01-01`, addMonths(`${name}-01-01`, 12)]
  return name.length === 7 ? [`${name}-01`, addMonths(`${name}-01`, 1)] : [name, addDays(name, 1)]
}

/** The period before another one of its kind. */
export function earlier(name: string): string {
  const before = addDays(spanOf(name)[0], -1)
  if (WEEK.test(name)) return weekOf(before)
  return before.slice(0, name.length)
}

/** The week of a day, which belongs to the year of its Thursday. */
function weekOf(day: string): string {
  const monday = startOfWeek(day, 1)
  const year = addDays(monday, 3).slice(0, 4)
  const days = (Date.parse(monday) - Date.parse(spanOf(`${year}-W01`)[0])) / 86_400_000
  return `${year}-W${String(days / 7 + 1).padStart(2, '0')}`
}

/** The last periods up to the last one that has records, the earliest first: those without records are there, too. */
export function lastPeriods(names: readonly string[], limit: number): readonly string[] {
  const [first, last] = [names[0], names.at(-1)]
  if (first === undefined || last === undefined) return []
  const periods = [last]
  while (periods.length < limit && (periods[0] ?? first) > first) periods.unshift(earlier(periods[0] ?? first))
  return periods
}
