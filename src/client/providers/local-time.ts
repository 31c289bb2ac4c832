/** A date, or a date and time, without an offset. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?$/

/**
 * Adds the offset of the local time zone to a date-time without one, as inputs of browsers produce: `2026-07-01T10:00` becomes
 * `2026-07-01T10:00+02:00` in Berlin. A day becomes its local midnight. The API would read both as UTC. Other values stay unchanged.
 *
 * A time that clocks skip in spring has the offset from before, and so is as much later; of one that comes twice in autumn the first is
 * meant, as in ECMAScript and in Temporal ("compatible").
 */
export function withOffset(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOffset)
  if (typeof value !== 'string' || !WITHOUT_OFFSET.test(value)) return value
  const text = value.length === 10 ? `${value}T00:00` : value.replace(' ', 'T')
  // The offset that the engine has read the text with, which need not be the one at that time.
  const minutes = (Date.parse(`${text}Z`) - Date.parse(text)) / 60_000
  return Number.isNaN(minutes) ? value : text + offsetText(minutes)
}

/** An offset as ISO 8601 writes it, such as `+02:00`. @param minutes east of UTC */
export function offsetText(minutes: number): string {
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}
