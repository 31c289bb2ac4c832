import { withOffset } from '../../../client/providers/local-time.ts'
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

/** A typed local time with the offset that the browser's time zone has at it. */
export function fromLocal(text: string): unknown {
  if (text === '') return null
  return Number.isNaN(Date.parse(text)) ? new Unparsed(text, { kind: 'datetime' }) : withOffset(text)
}

/** The step of an input that shows a text: seconds and their parts are shown only where there are some. */
export const stepFor = (text: string): number | undefined => {
  if (/\.\d*[1-9]/.test(text)) return 0.001
  return /\d:\d\d:(?!00)\d\d/.test(text) ? 1 : undefined
}
