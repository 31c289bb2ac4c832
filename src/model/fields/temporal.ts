import type { FieldTypeName } from '../definition.ts'
import { accept, EQUALITY, type FieldType, ORDER, reject, SINGLE_VALUE } from '../field-type.ts'

/**
 * A type of dates or times, stored as text that sorts chronologically.
 *
 * @param normalise returns the stored form, or undefined for an invalid value
 */
function temporal(name: FieldTypeName, normalise: (text: string) => string | undefined): FieldType {
  const problem = `must be a valid ${name}`
  const readText = (text: string) => {
    const stored = normalise(text)
    return stored === undefined ? reject(problem) : accept(stored)
  }
  return {
    ...SINGLE_VALUE,
    name,
    options: ['unique', 'default'],
    operators: [...EQUALITY, ...ORDER],
    read: (value) => (typeof value === 'string' ? readText(value) : reject(problem)),
    parse: readText,
  }
}

/** True for a day of the Gregorian calendar, years 0001 to 9999. */
function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= (days[month - 1] ?? 0)
}

/** A calendar day, `2024-02-29` (ISO 8601). */
export const date = temporal('date', (text) => {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return parts !== null && isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3])) ? text : undefined
})

const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

const AS_STORED = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/**
 * A date and time in ISO 8601; stored in UTC with milliseconds, `2024-05-01T10:30:00.000Z`. Without an offset it is read as
 * UTC; a day alone is read as its midnight.
 */
export const datetime = temporal('datetime', (text) => {
  // Values read back from storage take this fast path.
  const stored = AS_STORED.exec(text)
  if (stored !== null) return isCalendarDay(Number(stored[1]), Number(stored[2]), Number(stored[3])) ? text : undefined
  const parts = DATETIME.exec(text)
  if (parts === null || !isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return undefined
  const [, , , , hours, offset] = parts
  // Already in stored form; there may be a million of them to check.
  if (text.length === 24 && text[10] === 'T' && offset === 'Z') return text
  const moment = new Date(
    `${text.replace(/[t ]/, 'T')}${hours !== undefined && offset === undefined ? 'Z' : ''}`.replace('z', 'Z'),
  )
  const iso = Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
  return /^(?!0000)\d{4}-/.test(iso) ? iso : undefined
})

/** A time of day, `18:30` or `18:30:15` or `18:30:15.250` (ISO 8601); stored with seconds. Digits beyond milliseconds are cut, as in a datetime. */
export const time = temporal('time', (text) => {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?$/.exec(text)
  if (parts === null) return undefined
  const [, hours, minutes, seconds = '00', fraction = ''] = parts
  // A zero fraction is omitted, so that equal times have one stored form.
  const milliseconds = fraction.slice(0, 4).padEnd(4, '0')
  return `${hours}:${minutes}:${seconds}${/[1-9]/.test(milliseconds) ? milliseconds : ''}`
})
