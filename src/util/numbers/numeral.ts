/**
 * True if a JSON or CSV number survives conversion to a double: an integer keeps every digit, and no number becomes infinite or
 * zero. Fractions are rounded to the nearest double (RFC 8259, section 6).
 */
export function isKeptExactly(numeral: string): boolean {
  const value = Number(numeral)
  if (!Number.isFinite(value)) return false
  if (value === 0) return !/[1-9]/.test(numeral.split(/e/i)[0] ?? '')
  if (Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(numeral)) return true
  // Finite, so it has at most 309 digits, apart from leading zeros.
  return BigInt(numeral.replace('+', '')) === BigInt(value)
}
