/**
 * True if a JSON or CSV number survives conversion to a double: it is the shortest numeral of the double, or has exactly its value, in any
 * spelling. Scientific notation may leave the last digits of a large integer open, as `1.2345678901234567e18` does: with at most 17 digits
 * it stands for the nearest double.
 */
export function isKeptExactly(numeral: string): boolean {
  const value = Math.abs(Number(numeral))
  if (!Number.isFinite(value)) return false
  const given = digitsOf(numeral)
  return isSame(given, digitsOf(String(value))) || isValueOf(given, value) || isApproximation(numeral, given, value)
}

/** True for a numeral with the digits that JavaScript writes for its double, in any spelling. */
export const isShortest = (numeral: string): boolean => {
  const text = String(Number(numeral))
  return text === numeral || isSame(digitsOf(numeral), digitsOf(text))
}

/**
 * A number of a JSON text that has other digits than the shortest numeral of its double. The type of the field decides whether the double
 * may stand for it.
 */
export class LongNumeral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): number {
    return Number(this.text)
  }
}

/** The digits of a numeral without sign, point and outer zeros, and the power of ten of the last one. */
interface Digits {
  readonly digits: string
  readonly exponent: number
}

const NUMERAL = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i

function digitsOf(numeral: string): Digits {
  const [, whole = '', fraction = '', power = '0'] = NUMERAL.exec(numeral) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return { digits: digits.slice(0, end), exponent: end === 0 ? 0 : Number(power) - fraction.length + digits.length - end }
}

const isSame = (one: Digits, other: Digits): boolean => one.digits === other.digits && one.exponent === other.exponent

/** Maximum number of significant digits, and of places behind the point, of the exact value of a double. */
const [MAX_EXACT_DIGITS, MAX_EXACT_PLACES] = [767, 1074]

/** True for the digits of the exact value of a positive, finite double. */
function isValueOf({ digits, exponent }: Digits, value: number): boolean {
  if (digits.length > MAX_EXACT_DIGITS || -exponent > MAX_EXACT_PLACES) return false
  if (exponent >= 0) return BigInt(digits) * 10n ** BigInt(exponent) === BigInt(value)
  // A double with n places is an odd multiple of 2^-n; scaled in two steps, since 2^1074 is no double.
  const half = Math.floor(-exponent / 2)
  const scaled = value * 2 ** half * 2 ** (-exponent - half)
  return Number.isInteger(scaled) && BigInt(digits) === BigInt(scaled) * 5n ** BigInt(-exponent)
}

/** Significant digits that a double needs at most. */
const MAX_DOUBLE_DIGITS = 17

const isApproximation = (numeral: string, { digits, exponent }: Digits, value: number): boolean =>
  value > Number.MAX_SAFE_INTEGER && exponent > 0 && digits.length <= MAX_DOUBLE_DIGITS && /e/i.test(numeral)

/** A numeral for a message, of which no more than 40 characters are shown. */
export const shownNumeral = (numeral: string): string => (numeral.length > 40 ? `${numeral.slice(0, 40)}…` : numeral)
