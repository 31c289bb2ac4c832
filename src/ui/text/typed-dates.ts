import { isDay } from './days.ts'
import { localeDates } from './format.ts'

type DatePart = 'day' | 'month' | 'year'

/** How a language writes days and times in digits. */
export interface DateSigns {
  /** The order of the parts: day first in German, month first in American English. */
  readonly order: readonly DatePart[]
  /** Between the parts: `/` in English, `.` in German. */
  readonly sign: string
  /** True if hours count to 12. */
  readonly hasHalves: boolean
}

const PARTS: ReadonlySet<string> = new Set<DatePart>(['day', 'month', 'year'])

const isPart = (type: string): type is DatePart => PARTS.has(type)

/** The signs of a locale. */
export function dateSigns(locale: string): DateSigns {
  const format = localeDates(locale, 'typed', {
    ...{ calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC' },
    ...{ day: '2-digit', month: '2-digit', year: 'numeric' },
  })
  const parts = format.formatToParts(0)
  const { hour12 = false } = localeDates(locale, 'hour', { hour: 'numeric' }).resolvedOptions()
  return {
    order: parts.flatMap(({ type }) => (isPart(type) ? [type] : [])),
    sign: parts.find(({ type }) => type === 'literal')?.value ?? '/',
    hasHalves: hour12,
  }
}

/** The pattern of a day, of words that stand for the parts: `dd/mm/yyyy`. */
export const dayPattern = ({ order, sign }: DateSigns, words: Readonly<Record<DatePart, string>>): string =>
  order.map((part) => words[part]).join(sign)

/** The pattern of a time of day: `hh:mm`, with the half of the day where hours count to 12. */
export const clockPattern = ({ hasHalves }: DateSigns, word: string): string => (hasHalves ? `${word} AM` : word)

/** A day such as `2026-07-02` in the digits of the language; another text is returned as it is. */
export function dayText(day: string, { order, sign }: DateSigns): string {
  const [, year = '', month = '', date = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === '') return day
  const parts: Readonly<Record<DatePart, string>> = { day: date, month, year }
  return order.map((part) => parts[part]).join(sign)
}

/**
 * The days that a typed text can mean, as `2026-07-02`: written as the language does, or in the order of ISO 8601. With signs of another
 * language, day and month may stand in either order. None for a text that is no day; the year has four digits.
 */
export function readDays(text: string, { order, sign }: DateSigns): readonly string[] {
  const typed = text.trim()
  const iso = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/.exec(typed)
  if (iso !== null) return daysOf(iso[1], iso[2], iso[3])
  const [, one, between = '', two, , year] = /^(\d{1,2})(\s*[-./]\s*|\s+)(\d{1,2})(\s*[-./]\s*|\s+)(\d{4})$/.exec(typed) ?? []
  const dayFirst = daysOf(year, two, one)
  const monthFirst = daysOf(year, one, two)
  const isOwn = between.trim() === '' || between.trim() === sign.trim()
  if (isOwn && order[0] !== 'year') return order[0] === 'day' ? dayFirst : monthFirst
  return [...new Set([...dayFirst, ...monthFirst])]
}

/** The day of a calendar, if there is such a day. */
function daysOf(year = '', month = '', date = ''): readonly string[] {
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return isDay(day) ? [day] : []
}

/** A time of day such as `08:05:00` as the language writes it; seconds are left out if they are zero. */
export function timeText(time: string, { hasHalves }: DateSigns): string {
  const [, hours, minutes, seconds = ''] = /^(\d\d):(\d\d)(:\d\d(?:\.\d+)?)?$/.exec(time) ?? []
  if (hours === undefined) return time
  const rest = `${minutes}${/[1-9]/.test(seconds) ? seconds.replace(/\.0+$/, '') : ''}`
  const hour = Number(hours)
  return hasHalves ? `${hour % 12 === 0 ? 12 : hour % 12}:${rest} ${hour < 12 ? 'AM' : 'PM'}` : `${hours}:${rest}`
}

const TIME = /^(\d{1,2})(?::([0-5]\d)(:[0-5]\d(?:[.,]\d{1,9})?)?)?\s*(?:([ap])\.?m\.?)?$/i

/** The time of day that a typed text means, as `08:05`, with seconds where it has some; undefined for another text. */
export function readTime(text: string): string | undefined {
  const [, hours, minutes, seconds = '', half] = TIME.exec(text.trim()) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined
  const typed = Number(hours)
  if (half === undefined ? typed > 23 : typed < 1 || typed > 12) return undefined
  const hour = half === undefined ? typed : (typed % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${String(hour).padStart(2, '0')}:${minutes ?? '00'}${seconds.replace(',', '.')}`
}

/** A local time such as `2026-07-02T10:30` as the language writes it. */
export function momentText(local: string, signs: DateSigns): string {
  const [day = '', time] = local.split('T')
  return time === undefined ? local : `${dayText(day, signs)}, ${timeText(time, signs)}`
}

/** The parts of a typed text that stand for a day and for a time, as they are typed; each may be empty. */
export function momentParts(text: string): { readonly day: string; readonly clock: string } {
  const typed = text.trim()
  const [, day, clock] = /^([^,]*),\s*(.*)$/.exec(text) ?? MOMENT.exec(typed) ?? []
  if (day !== undefined && clock !== undefined) return { day: day.trim(), clock }
  return readTime(typed) === undefined ? { day: typed, clock: '' } : { day: '', clock: typed }
}

const MOMENT = /^(.+?)(?:\s*,\s*|\s+|T)(\d{1,2}:\S.*|\d{1,2}\s*[ap]\.?m\.?)$/i

/** The local times that a typed text can mean, as `2026-07-02T10:30`; none for a text without a day or a time. */
export function readMoments(text: string, signs: DateSigns): readonly string[] {
  const [, day = '', clock = ''] = MOMENT.exec(text.trim()) ?? []
  const time = readTime(clock)
  return time === undefined ? [] : readDays(day, signs).map((each) => `${each}T${time}`)
}
