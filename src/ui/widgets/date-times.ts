import { momentsOf, offsetText, withOffset } from '../../client/local-time.ts'
import { localDay } from '../text/days.ts'
import { Unparsed } from './unparsed.ts'

/** The text of a stored time for an input of the browser: in local time, with seconds only where it has some. */
export function toLocal(value: unknown): string {
  if (typeof value !== 'string') return ''
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return ''
  const two = (number: number) => String(number).padStart(2, '0')
  const milliseconds = date.getMilliseconds() === 0 ? '' : `.${String(date.getMilliseconds()).padStart(3, '0')}`
  const seconds = date.getSeconds() === 0 && milliseconds === '' ? '' : `:${two(date.getSeconds())}${milliseconds}`
  return `${localDay(date)}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`
}

/**
 * A typed local time with the offset that the browser's time zone has at it. A time that clocks skip in spring is refused. Of one that
 * comes twice in autumn, the one that is nearer to the stored time is meant, without one the first.
 *
 * @param stored the value before
 */
export function fromLocal(text: string, stored?: unknown): unknown {
  if (text === '') return null
  if (Number.isNaN(Date.parse(text))) return new Unparsed(text, { kind: 'datetime', pattern: 'yyyy-mm-dd hh:mm' })
  const sent = withOffset(text, stored)
  return isShownAs(Date.parse(String(sent)), text) ? sent : new Unparsed(text, { kind: 'skippedTime' })
}

/** The two values of a local time that comes twice in autumn, with their offsets; none for another time. */
export function repeatedTimes(text: string): readonly { readonly value: string; readonly offset: string }[] {
  const moments = text === '' ? [] : momentsOf(text)
  if (moments.length < 2) return []
  return moments.map((time) => {
    const offset = offsetText(-new Date(time).getTimezoneOffset())
    return { value: text + offset, offset }
  })
}

/** True if the clocks of the browser show a point in time as a text. */
const isShownAs = (time: number, text: string): boolean =>
  Date.parse(`${toLocal(new Date(time).toISOString())}Z`) === Date.parse(`${text}Z`)
