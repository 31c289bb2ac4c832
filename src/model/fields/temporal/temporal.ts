import type { FieldTypeName } from '../../definition.ts'
import { accept, EQUALITY, type FieldType, ORDER, reject } from '../../field-type.ts'

/**
 * A type of dates or times, stored as text that sorts chronologically.
 *
 * @param normalise returns the stored form, or undefined for an invalid value
 */
export function temporal(name: FieldTypeName, normalise: (text: string) => string | undefined): FieldType {
  const problem = `must be a valid ${name}`
  const readText = (text: string) => {
    const stored = normalise(text)
    return stored === undefined ? reject(problem) : accept(stored)
  }
  return {
    name,
    options: ['unique', 'default'],
    operators: [...EQUALITY, ...ORDER],
    sortable: true,
    searchable: false,
    secret: false,
    list: false,
    read: (value) => (typeof value === 'string' ? readText(value) : reject(problem)),
    parse: readText,
  }
}

/** True for a day of the Gregorian calendar, years 0001 to 9999. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= (days[month - 1] ?? 0)
}
