import { RE2JS } from 're2js'
import { canonicalDecimal, decimalKey, decimalPlaces } from '../util/decimal.ts'
import type { LimitsDefinition } from './definition.ts'

/** Compiled limits of a value. */
export interface Limits extends Omit<LimitsDefinition, 'pattern'> {
  readonly pattern?: RE2JS
}

/** Members may be undefined. */
type Loose<T> = { readonly [K in keyof T]: T[K] | undefined }

/**
 * Compiles the limits of a definition.
 *
 * @throws {Error} describing the error in the pattern
 */
export function compileLimits({
  pattern,
  choices,
  min_length,
  max_length,
  gt,
  lt,
  gte,
  lte,
  decimal_places,
}: Partial<Loose<LimitsDefinition>>): Limits {
  const limits: Record<string, unknown> = { choices, min_length, max_length, gt, lt, gte, lte, decimal_places }
  if (pattern !== undefined) limits.pattern = compilePattern(pattern)
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

/**
 * Checks a stored value against limits; `choices` apply to each item of a list.
 *
 * @returns messages that follow the field's name
 */
export function checkLimits(value: unknown, limits: Limits): readonly string[] {
  if (isUnlimited(limits)) return NO_PROBLEMS
  const problems: string[] = []
  if (typeof value === 'string' && isDecimal(limits)) checkDecimal(value, limits, problems)
  else if (typeof value === 'string') checkText(value, limits, problems)
  else if (typeof value === 'number') checkNumber(value, limits, problems)
  else if (!Array.isArray(value)) return NO_PROBLEMS
  if (limits.choices !== undefined) checkChoice(value, limits.choices, problems)
  return problems
}

const NO_PROBLEMS: readonly string[] = []

/** Most fields have no limits, and a check may cover a million values. */
function isUnlimited(limits: Limits): boolean {
  for (const _ in limits) return false
  return true
}

/** In characters. */
const LONG_TEXT = 10_000

function checkText(text: string, { min_length, max_length, pattern }: Limits, problems: string[]): void {
  // A character takes one or two code units, so most texts need no counting.
  const isClear = text.length <= (max_length ?? text.length) && text.length >= 2 * (min_length ?? 0)
  const length = isClear ? text.length : characters(text)
  if (min_length !== undefined && length < min_length) problems.push(`must be at least ${min_length} characters long`)
  const isTooLong = max_length !== undefined && length > max_length
  if (isTooLong) problems.push(`must be at most ${max_length} characters long`)
  // A pattern takes long on megabytes, and the text is invalid anyway.
  const isMatched = pattern !== undefined && !(isTooLong && text.length > LONG_TEXT)
  if (isMatched && !pattern.test(text)) problems.push('format is invalid')
}

/** True for limits that only a decimal has among texts. */
const isDecimal = ({ gt, lt, gte, lte, decimal_places }: Limits): boolean =>
  (gt ?? lt ?? gte ?? lte ?? decimal_places) !== undefined

function checkDecimal(numeral: string, limits: Limits, problems: string[]): void {
  checkRange(decimalKey(numeral), limits, problems, (bound) => decimalKey(canonicalDecimal(String(bound)) ?? '0'))
  const { decimal_places: places } = limits
  if (places !== undefined && decimalPlaces(numeral) > places) {
    problems.push(
      places === 0 ? 'must be a whole number' : `must have at most ${places} decimal ${places === 1 ? 'place' : 'places'}`,
    )
  }
}

const checkNumber = (number: number, limits: Limits, problems: string[]): void =>
  checkRange(number, limits, problems, (bound) => bound)

/** @param keyOf what a bound is compared by */
function checkRange<T extends number | string>(
  value: T,
  { gt, lt, gte, lte }: Limits,
  problems: string[],
  keyOf: (bound: number) => T,
): void {
  if (gt !== undefined && !(value > keyOf(gt))) problems.push(`must be greater than ${gt}`)
  if (gte !== undefined && !(value >= keyOf(gte))) problems.push(`must be greater than or equal to ${gte}`)
  if (lt !== undefined && !(value < keyOf(lt))) problems.push(`must be less than ${lt}`)
  if (lte !== undefined && !(value <= keyOf(lte))) problems.push(`must be less than or equal to ${lte}`)
}

function checkChoice(value: unknown, choices: readonly unknown[], problems: string[]): void {
  const isChoice = Array.isArray(value) ? value.every((item) => choices.includes(item)) : choices.includes(value)
  if (!isChoice) problems.push(`must be one of: ${choices.join(', ')}`)
}

/** Counts code points, so that an emoji outside the BMP is one character. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Compiles a pattern for RE2, which runs in linear time for every pattern and text. RE2 has no backreferences and no
 * lookaround, so they are rejected.
 *
 * @throws {Error} describing the error in the pattern
 */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace('error parsing regexp: ', '')
    const unsafe = /\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)
    throw new Error(
      unsafe
        ? `${reason}; lookaround and backreferences are not supported, because they can take exponential time`
        : `${reason}; it must be a regular expression in RE2 syntax`,
    )
  }
}
