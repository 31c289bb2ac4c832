/** A date, or a date and time, without an offset. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?$/

/** Hours after which the clocks have changed, if they change at a time. */
const AFTER_CHANGE = 3

/**
 * Adds the offset of the local time zone to a date-time without one, as inputs of browsers produce: `2026-07-01T10:00` becomes
 * `2026-07-01T10:00+02:00` in Berlin. A day becomes its local midnight. The API would read both as UTC. Other values stay unchanged.
 *
 * A time that clocks skip in spring has the offset from before, and so is as much later. Of one that comes twice in autumn the one nearer
 * to the stored time is meant; without one the first, as in ECMAScript and in Temporal ("compatible").
 *
 * @param stored the value before
 */
export function withOffset(value: unknown, stored?: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => withOffset(each))
  if (typeof value !== 'string' || !WITHOUT_OFFSET.test(value)) return value
  const text = value.length === 10 ? `${value}T00:00` : value.replace(' ', 'T')
  const [first = Number.NaN, second] = momentsOf(text)
  const before = typeof stored === 'string' || stored instanceof Date ? Number(new Date(stored)) : Number.NaN
  const isSecond = second !== undefined && Math.abs(second - before) < Math.abs(first - before)
  const time = isSecond ? second : first
  // The offset that the engine has read the text with, which need not be the one at that time.
  const minutes = (Date.parse(`${text}Z`) - time) / 60_000
  return Number.isNaN(minutes) ? value : text + offsetText(minutes)
}

/**
 * The points in time that clocks of the local time zone show as a text: two where it comes twice in autumn. A time that clocks skip has
 * one, which they show otherwise.
 *
 * @param text a date and time without an offset
 */
export function momentsOf(text: string): readonly number[] {
  const first = Date.parse(text)
  const offset = (time: number) => -new Date(time).getTimezoneOffset()
  const later = offset(first + AFTER_CHANGE * 3_600_000)
  const second = Date.parse(`${text}Z`) - later * 60_000
  return second > first && offset(second) === later ? [first, second] : [first]
}

/** An offset as ISO 8601 writes it, such as `+02:00`. @param minutes east of UTC */
export function offsetText(minutes: number): string {
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}
