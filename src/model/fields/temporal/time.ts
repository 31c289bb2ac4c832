import { temporal } from './temporal.ts'

/** A time of day, `18:30` or `18:30:15` or `18:30:15.250` (ISO 8601); stored with seconds. Digits beyond milliseconds are cut, as in a datetime. */
export const time = temporal('time', (text) => {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?$/.exec(text)
  if (parts === null) return undefined
  const [, hours, minutes, seconds = '00', fraction = ''] = parts
  // A zero fraction is omitted, so that equal times have one stored form.
  const milliseconds = fraction.slice(0, 4).padEnd(4, '0')
  return `${hours}:${minutes}:${seconds}${/[1-9]/.test(milliseconds) ? milliseconds : ''}`
})
