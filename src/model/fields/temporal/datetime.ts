import { isCalendarDay, temporal } from './temporal.ts'

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
