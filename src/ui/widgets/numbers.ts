import { localeNumbers } from '../text/format.ts'
import { Unparsed } from './unparsed.ts'

/** The signs with which a language writes numbers. */
export interface NumberSigns {
  /** Before the decimals: `.` in English, `,` in German. */
  readonly decimal: string
  /** Between thousands: `,` in English, `.` in German, a space in French. */
  readonly group: string
}

/** The signs of a locale. */
export function numberSigns(locale: string): NumberSigns {
  const parts = localeNumbers(locale).formatToParts(-1234567.8)
  const sign = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value
  return { decimal: sign('decimal') ?? '.', group: sign('group') ?? ',' }
}

/**
 * Parses a typed number, written with the signs of the language, or with others if only one reading is possible: `1,234.56` and `1.234,56`
 * are the same number everywhere. A comma or point before three digits is read as the language has it, `1,234` as 1234 in English and as
 * 1.234 in German. It is refused where the language has it neither for decimals nor between thousands.
 *
 * @returns null for an empty text; the digits as text for a decimal, which may have more than a number can hold
 */
export function parseNumber(type: string, text: string, signs: NumberSigns): unknown {
  const typed = text
    .trim()
    .replaceAll('−', '-')
    .replace(/[\s’]/g, (sign) => (sign === '’' ? "'" : ' '))
  if (typed === '') return null
  const refuse = (kind: 'number' | 'notNumber' | 'inexactNumber') => new Unparsed(text, { kind })
  const parts = /^([+-]?)([\d.,' ]*)(e[+-]?\d*)?$/i.exec(typed)
  if (parts === null) return refuse('notNumber')
  const [, sign = '', body = '', exponent = ''] = parts
  if (exponent !== '' && type !== 'number') return refuse('notNumber')
  if (!/\d/.test(body) || /^e[+-]?$/i.test(exponent))
    return refuse(/^[.,]?$/.test(body) || exponent !== '' ? 'number' : 'notNumber')
  const digits = digitsOf(body, signs)
  if (digits === undefined) return refuse('notNumber')
  if (typeof digits !== 'string')
    return new Unparsed(text, { kind: 'ambiguousNumber', readings: digits.readings.map((each) => sign + each) })
  if (type === 'integer' && digits.includes('.')) return refuse('notNumber')
  const numeral = `${sign === '-' ? '-' : ''}${digits.startsWith('.') ? '0' : ''}${digits}${exponent}`
  if (type === 'decimal') return numeral
  const number = Number(numeral)
  if (type === 'integer') return Number.isSafeInteger(number) ? number : refuse('inexactNumber')
  return isExactNumeral(numeral) ? number : refuse('inexactNumber')
}

/** Two ways to read a number, as texts with a decimal point or without decimals. */
interface Ambiguity {
  readonly readings: readonly string[]
}

/** The digits of a typed number with a decimal point, if it has decimals. Undefined if the signs between the digits have no meaning. */
function digitsOf(body: string, { decimal, group }: NumberSigns): string | Ambiguity | undefined {
  const found = body.match(/\D/g) ?? []
  const last = found.at(-1)
  if (last === undefined) return body
  const canBeDecimal = last === '.' || last === ','
  const grouped = (sign: string, whole: string): string | undefined =>
    isGrouped(whole, sign) ? whole.replaceAll(sign, '') : undefined
  if (found.length === 1 && canBeDecimal) {
    const [whole = '', places = ''] = body.split(last)
    const plain = places === '' ? whole : `${whole}.${places}`
    if (last === decimal || !isGrouped(body, last)) return plain
    if (last === group) return `${whole}${places}`
    return { readings: [`${whole}${places}`, `${whole}${decimal}${places}`] }
  }
  const [first = ''] = found
  if (found.every((sign) => sign === first)) return grouped(first, body)
  // The last sign is that of the decimals, and those before it are of one other kind.
  if (!canBeDecimal || found.slice(0, -1).some((sign) => sign !== first)) return undefined
  const at = body.lastIndexOf(last)
  const whole = grouped(first, body.slice(0, at))
  const places = body.slice(at + 1)
  return whole === undefined || places === '' ? whole : `${whole}.${places}`
}

/** True for digits in groups of three, of which the first may be shorter and does not begin with zero. */
const isGrouped = (text: string, sign: string): boolean => {
  const [first = '', ...others] = text.split(sign)
  return /^[1-9]\d{0,2}$/.test(first) && others.every((group) => /^\d{3}$/.test(group))
}

/** Significant digits that a number can be written with. */
const MAX_PRECISION = 100

/** True if a number has the digits of the numeral: in its shortest text, or in all its digits. Others would be rounded. */
export function isExactNumeral(numeral: string): boolean {
  const number = Number(numeral)
  const texts = Number.isFinite(number) ? [String(number), number.toPrecision(MAX_PRECISION)] : []
  return texts.some((text) => canonicalNumeral(text) === canonicalNumeral(numeral))
}

/** A numeral as its digits without zeros at either end, and their exponent: equal for numerals of the same number. */
export function canonicalNumeral(numeral: string): string {
  const [, sign, whole = '', places = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(numeral) ?? []
  if (sign === undefined) return numeral
  const digits = (whole + places).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - places.length + digits.length - kept.length}`
}

/**
 * The text of a number in an input, with the decimal sign of the language and without groups.
 *
 * @param decimals digits behind the decimal sign at least
 */
export function numberText(value: unknown, { decimal }: NumberSigns, decimals = 0): string {
  if (value === null || value === undefined) return ''
  const [whole = '', places = ''] = String(value).split('.')
  const isPlain = /^[+-]?\d+$/.test(whole) && /^\d*$/.test(places)
  const shown = isPlain ? places.padEnd(decimals, '0') : places
  return shown === '' ? whole : `${whole}${decimal}${shown}`
}
