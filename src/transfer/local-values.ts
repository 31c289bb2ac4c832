/** Ways to write a day with a year of four digits. A year of two digits is not read, since its century is a guess. */
export const DATE_FORMATS = [
  'yyyy-mm-dd',
  'yyyy/mm/dd',
  'dd.mm.yyyy',
  'dd/mm/yyyy',
  'dd-mm-yyyy',
  'mm/dd/yyyy',
  'mm-dd-yyyy',
] as const

export type DateFormat = (typeof DATE_FORMATS)[number]

/** Ways to write a number, by an example. A space stands for spaces of every width. */
export const NUMBER_FORMATS = ['1234.56', '1,234.56', '1.234,56', "1'234.56", '1 234,56'] as const

export type NumberFormat = (typeof NUMBER_FORMATS)[number]

/** The day `2026-11-28` that a text names in a format; undefined if it is written in another way. */
export function dayIn(text: string, format: DateFormat): string | undefined {
  const found = DATE_PATTERNS.get(format)?.exec(text)?.groups
  if (found === undefined) return undefined
  const { year = '', month = '', day = '' } = found
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : undefined
}

/** The number `1234.5` that a text is in a format; undefined if it is written in another way. Its digits are kept. */
export function numberIn(text: string, format: NumberFormat): string | undefined {
  const pattern = NUMBER_PATTERNS.get(format)
  if (pattern === undefined || !pattern.test(text)) return undefined
  const decimal = format.at(-3) ?? '.'
  return [...text]
    .filter((character) => character === decimal || /[\d+eE-]/.test(character))
    .join('')
    .replace(decimal, '.')
}

/** A time of day behind a day: `10:30`, `10:30:00`, `T10:30`, `, 10:30 PM`. */
const TIME = /^(?<day>.*\d),?[T ]\s*(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?:\s*(?<half>[AP]M))?$/i

/**
 * Reads a day with or without a time.
 *
 * @returns `2026-11-28T10:30:00`, at midnight without a time; undefined if the text is written in another way
 */
export function localTimeIn(text: string, format: DateFormat): string | undefined {
  const { day, hour, minute = '', second = '00', half } = TIME.exec(text)?.groups ?? {}
  if (day === undefined || hour === undefined) {
    const date = dayIn(text, format)
    return date === undefined ? undefined : `${date}T00:00:00`
  }
  const date = dayIn(day, format)
  const hours = hourOf(Number(hour), half)
  if (date === undefined || hours === undefined || Number(minute) > 59 || Number(second) > 59) return undefined
  return `${date}T${String(hours).padStart(2, '0')}:${minute}:${second}`
}

/** The hour from 0 to 23; undefined for one that no clock shows. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
}

/**
 * The moments at which clocks of a time zone show a time: one, two in the hour that comes twice in autumn, none in the hour that they skip.
 *
 * @param local `2026-11-28T10:30:00`
 */
export function momentsIn(local: string, timeZone: string): readonly string[] {
  const asUtc = Date.parse(`${local}Z`)
  if (timeZone === 'UTC') return [new Date(asUtc).toISOString()]
  const offsets = new Set([-DAY, DAY].map((shift) => offsetAt(asUtc + shift, timeZone)))
  return [...offsets]
    .map((offset) => asUtc - offset)
    .filter((time) => time + offsetAt(time, timeZone) === asUtc)
    .sort((one, other) => one - other)
    .map((time) => new Date(time).toISOString())
}

const DAY = 86_400_000

/** Milliseconds by which clocks of a time zone are ahead of UTC. */
function offsetAt(time: number, timeZone: string): number {
  const parts = clockOf(timeZone).formatToParts(time)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - Math.floor(time / 1000) * 1000
}

const clocks = new Map<string, Intl.DateTimeFormat>()
const MAX_CLOCKS = 20

/** The clock of a time zone; making one takes long. */
export function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  if (clocks.size >= MAX_CLOCKS) clocks.clear()
  clocks.set(timeZone, made)
  return made
}

/** How a language and region writes days and numbers; undefined where the formats above have none of it. */
export interface LocalFormats {
  readonly dates: DateFormat | undefined
  readonly numbers: NumberFormat | undefined
}

/** The formats of a locale such as `de` or `en-GB`; undefined for an unknown one. `en` alone has no dates: they differ between its regions. */
export function formatsOf(locale: string): LocalFormats | undefined {
  if (!isLocale(locale)) return undefined
  const options = { calendar: 'gregory', numberingSystem: 'latn' } as const
  const days = new Intl.DateTimeFormat(locale, { ...options, year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' })
  const written = days
    .format(Date.UTC(2026, 10, 28))
    .replace('2026', 'yyyy')
    .replace('11', 'mm')
    .replace('28', 'dd')
  const number = new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    minimumFractionDigits: 2,
    useGrouping: 'always',
  } as object)
  const example = number.format(1234.56).replaceAll(/\s/g, ' ').replaceAll('’', "'")
  return {
    dates: locale === 'en' ? undefined : DATE_FORMATS.find((format) => format === written),
    numbers: NUMBER_FORMATS.find((format) => format === example),
  }
}

function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}

const DATE_PATTERNS: ReadonlyMap<DateFormat, RegExp> = new Map(
  DATE_FORMATS.map((format) => {
    const pattern = format
      .replaceAll('.', '\\.')
      .replace('yyyy', '(?<year>\\d{4})')
      .replace('mm', '(?<month>\\d{1,2})')
      .replace('dd', '(?<day>\\d{1,2})')
    return [format, new RegExp(`^${pattern}$`)] as const
  }),
)

/** Separators of thousands, as patterns, by the second character of the example. */
const GROUP_PATTERNS: Readonly<Record<string, string>> = { ',': ',', '.': '\\.', "'": "['’]", ' ': '[ \u00a0\u2009\u202f]' }

/** Groups have three digits, and the first does not begin with a zero: `0.125` has no thousands. */
const NUMBER_PATTERNS: ReadonlyMap<NumberFormat, RegExp> = new Map(
  NUMBER_FORMATS.map((format) => {
    const decimal = format.at(-3) === ',' ? ',' : '\\.'
    const separator = GROUP_PATTERNS[format[1] ?? '']
    const grouped = separator === undefined ? '' : `|[1-9]\\d{0,2}(?:${separator}\\d{3})+`
    return [format, new RegExp(`^[+-]?(?:\\d+${grouped})(?:${decimal}\\d+)?(?:[eE][+-]?\\d+)?$`)] as const
  }),
)
