import { offsetText, withOffset } from '../../../client/providers/local-time.ts'
import { Unparsed } from '../unparsed.ts'

/** The text of a stored time for an input of the browser: in local time, with seconds only where it has some. */
export function toLocal(value: unknown): string {
  if (typeof value !== 'string') return ''
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return ''
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const milliseconds = date.getMilliseconds() === 0 ? '' : `.${String(date.getMilliseconds()).padStart(3, '0')}`
  const seconds = date.getSeconds() === 0 && milliseconds === '' ? '' : `:${two(date.getSeconds())}${milliseconds}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`
}

/**
 * A typed local time with the offset that the browser's time zone has at it. A time that clocks skip in spring is refused. Of one that
 * comes twice in autumn, the one that is nearer to the stored time is meant, without one the first.
 *
 * @param stored the value before
 */
export function fromLocal(text: string, stored?: unknown): unknown {
  if (text === '') return null
  const time = Date.parse(text)
  if (Number.isNaN(time)) return new Unparsed(text, { kind: 'datetime' })
  const again = secondOf(text, time)
  if (again !== undefined && Math.abs(again - Date.parse(String(stored))) < Math.abs(time - Date.parse(String(stored))))
    return text + offsetText(-new Date(again).getTimezoneOffset())
  return isShownAs(time, text) ? withOffset(text) : new Unparsed(text, { kind: 'skippedTime' })
}

/** Hours after which the clocks have changed, if they change at a time. */
const AFTER_CHANGE = 3

/** The second of two points in time that clocks show alike; undefined if there is one only. */
function secondOf(text: string, time: number): number | undefined {
  const offset = -new Date(time + AFTER_CHANGE * 3_600_000).getTimezoneOffset()
  const second = Date.parse(`${text}Z`) - offset * 60_000
  return second > time && isShownAs(second, text) ? second : undefined
}

/** True if the clocks of the browser show a point in time as a text. */
const isShownAs = (time: number, text: string): boolean =>
  Date.parse(`${toLocal(new Date(time).toISOString())}Z`) === Date.parse(`${text}Z`)

/** The step of an input that shows a text: seconds and their parts are shown only where there are some. */
export const stepFor = (text: string): number | undefined => {
  if (/\.\d*[1-9]/.test(text)) return 0.001
  return /\d:\d\d:(?!00)\d\d/.test(text) ? 1 : undefined
}
