import { Unparsed } from '../unparsed.ts'

/** Texts that are a number of the type, or become one by typing on. */
const TYPABLE: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d*$/,
  decimal: /^-?\d*(\.\d*)?$/,
  number: /^-?\d*(\.\d*)?(e[+-]?\d*)?$/i,
}

/** True if a text may be typed into an input for the type. */
export const isTypable = (type: string, text: string): boolean => (TYPABLE[type] ?? TYPABLE.number)?.test(text) ?? true

/** The text of a comma for decimals, as typed in many languages, as a point. Spaces around it are dropped. */
export const pointed = (text: string): string => text.trim().replace(',', '.')

/** Parses a typed number: null for an empty text, text for a decimal, which keeps its digits. */
export function parseNumber(type: string, text: string): unknown {
  if (text === '') return null
  const number = Number(text)
  const isExact = type !== 'integer' || Number.isSafeInteger(number)
  if (!/\d/.test(text) || !Number.isFinite(number) || !isExact) return new Unparsed(text, { kind: 'number' })
  if (type === 'decimal') return text.endsWith('.') ? text.slice(0, -1) : text
  return number
}

/** The text of a number. */
export const formatNumber = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
