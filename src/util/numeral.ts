/**
 * True when a number, as JSON and CSV write it, is still the same one after it was read into a double and written again: a whole
 * number is kept to the last digit, and none becomes infinite or nothing. A fraction is rounded to the nearest double, as
 * everywhere (RFC 8259, section 6).
 */
export function isKeptExactly(numeral: string): boolean {
  const value = Number(numeral)
  if (!Number.isFinite(value)) return false
  if (value === 0) return !/[1-9]/.test(numeral.split(/e/i)[0] ?? '')
  if (Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(numeral)) return true
  // Finite, so of 309 digits at most, but for zeros in front.
  return BigInt(numeral.replace('+', '')) === BigInt(value)
}
