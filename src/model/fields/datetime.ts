import { isCalendarDay, temporal } from './temporal.ts'

const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

const AS_STORED = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/**
 * A moment, in ISO 8601; stored in UTC with milliseconds, `2024-05-01T10:30:00.000Z`.
 * Without an offset it is read as UTC, and a day alone as its first moment.
 */
export const datetime = temporal('datetime', (text) => {
  // Whatever is read again after it was stored takes this way.
  const stored = AS_STORED.exec(text)
  if (stored !== null) return isCalendarDay(Number(stored[1]), Number(stored[2]), Number(stored[3])) ? text : undefined
  const parts = DATETIME.exec(text)
  if (parts === null || !isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return undefined
  const [, , , , hours, offset] = parts
  // The stored form already, and there may be a million of them to check.
  if (text.length === 24 && text[10] === 'T' && offset === 'Z') return text
  const moment = new Date(
    `${text.replace(/[t ]/, 'T')}${hours !== undefined && offset === undefined ? 'Z' : ''}`.replace('z', 'Z'),
  )
  const iso = Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
  return /^(?!0000)\d{4}-/.test(iso) ? iso : undefined
})
