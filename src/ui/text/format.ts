import type { Text } from './en.ts'

/**
 * The locale for numbers and dates: the browser's own variant of the page's language, such as `en-GB` for English, so that dates look as
 * the user expects.
 *
 * @param browser languages of the browser, the preferred one first
 */
export const localeOf = (language: string, browser: readonly string[]): string =>
  browser.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language

/** Formatters by locale and options; making one takes longer than formatting. */
const numbers = new Map<string, Intl.NumberFormat>()
const dates = new Map<string, Intl.DateTimeFormat>()
const ages = new Map<string, Intl.RelativeTimeFormat>()

function cached<Format>(formats: Map<string, Format>, key: string, create: () => Format): Format {
  const format = formats.get(key) ?? create()
  formats.set(key, format)
  return format
}

/** Maximum number of decimals that the formatters of all supported browsers take. */
const MAX_DECIMALS = 20

/** The formatter of numbers with up to 20 decimals. @param decimals digits behind the point at least */
export const localeNumbers = (locale: string, decimals = 0): Intl.NumberFormat =>
  cached(
    numbers,
    `${locale} ${decimals}`,
    () => new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: MAX_DECIMALS }),
  )

/** Formats a number with all its digits. @param value a number, or a decimal as text @param decimals digits behind the point at least */
export function formatNumber(value: number | string, locale: string, decimals = 0): string {
  const [, digits, mantissaPlaces = '', exponent] = /^(-?\d+(?:\.(\d+))?)(e-\d+)$/i.exec(String(value)) ?? []
  // Formatters would round a number with more decimals.
  if (digits !== undefined && exponent !== undefined && mantissaPlaces.length - Number(exponent.slice(1)) > MAX_DECIMALS)
    return `${formatNumber(digits, locale)}${exponent}`
  const [, whole, places = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(String(value)) ?? []
  // A decimal stays text, since it may have more digits than a number can hold.
  if (whole === undefined || Math.max(places.length, decimals) <= MAX_DECIMALS)
    return localeNumbers(locale, decimals).format(value as number)
  const format = localeNumbers(locale)
  const point = format.formatToParts(0.1).find(({ type }) => type === 'decimal')?.value
  return `${format.format(whole as unknown as number)}${point}${places.padEnd(decimals, '0')}`
}

/** Texts of which one holds, as a sentence names them: `Draft or Published`. */
export const formatList = (items: readonly string[], locale: string): string =>
  new Intl.ListFormat(locale, { type: 'disjunction' }).format(items)

/** Formats a number rounded to some decimals. @param least decimals that are shown even if they are zero @param most all decimals */
export const roundedNumber = (value: number | string, locale: string, least: number, most: number): string =>
  cached(
    numbers,
    `${locale} ${least} ${most}`,
    () => new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most }),
  ).format(value as number)

/** The formatter of dates in the calendar that forms write. @param options always the same for a name */
export const localeDates = (locale: string, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  cached(dates, `${locale} ${name}`, () => new Intl.DateTimeFormat(locale, options))

/** Formats a date of the calendar such as `2024-05-31`; other text is returned as it is. */
export function formatDate(value: string, locale: string): string {
  const date = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return value
  return localeDates(locale, 'date', { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
}

/** Formats a point in time in the time zone of the browser; other text is returned as it is. */
export function formatDateTime(value: string, locale: string): string {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return value
  return localeDates(locale, 'datetime', { dateStyle: 'medium', timeStyle: 'short' }).format(date)
}

const MINUTE_MS = 60_000

/** From this age on, the day says more than how long ago it was. */
const RELATIVE_MINUTES = 7 * 24 * 60

/** How long ago a moment was, `5 minutes ago`; its date and time if that is a week or longer, or if it is to come. */
export function formatAge(value: string, now: number, locale: string): string {
  const minutes = Math.round((now - Date.parse(value)) / MINUTE_MS)
  // Clocks differ by seconds.
  if (Number.isNaN(minutes) || minutes < -1 || minutes >= RELATIVE_MINUTES) return formatDateTime(value, locale)
  const format = cached(ages, locale, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  if (minutes < 1) return format.format(0, 'second')
  if (minutes < 60) return format.format(-minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 24 ? format.format(-hours, 'hour') : format.format(-Math.round(hours / 24), 'day')
}

/** The point in time in UTC, to the second: `2024-05-31 08:30:00 UTC`. */
export function utcText(value: string): string {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? value : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Leaves out the seconds of a time of day, if they are zero. */
export const formatTime = (value: string): string => value.replace(/^(\d\d:\d\d):00(\.0+)?$/, '$1')

/** A text in lower case for comparisons that ignore case, as the API makes them: ς becomes σ. */
export const foldedCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Options whose label contains a text, upper and lower case alike. */
export function matchingOptions<T extends { readonly label: string }>(options: readonly T[], text: string): readonly T[] {
  const wanted = foldedCase(text.trim())
  return options.filter(({ label }) => foldedCase(label).includes(wanted))
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'HeadlessChrome', 'Chrome', 'Safari']
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', HeadlessChrome: 'Chrome' }
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux']

/** Browser and system of a `User-Agent`, or its beginning for other programs. */
export function deviceOf(agent: string | null): string | undefined {
  if (agent === null) return undefined
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`))
  const system = SYSTEMS.find((name) => agent.includes(name))
  if (browser === undefined) return agent.split(' ')[0]
  return [NAMES[browser] ?? browser, system].filter(Boolean).join(', ')
}

/** The name of the key for commands on this system. @param names of keys in the language of the page */
export const commandKey = ({ ctrl }: Text['keys']['names']): string => (/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : ctrl)

const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const

/** A number of bytes, such as `1.2 MiB`: exact to three digits at most. */
export function formatSize(bytes: number, locale: string): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), SIZE_UNITS.length - 1)
  const value = bytes / 1024 ** power
  return `${roundedNumber(value, locale, 0, value < 10 ? 1 : 0)} ${SIZE_UNITS[power]}`
}
