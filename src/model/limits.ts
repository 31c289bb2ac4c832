import type { RE2JS } from 're2js'
import type { LimitsDefinition } from './definition.ts'
import { compilePattern } from './pattern.ts'

/** Bounds on a value, ready to be held against it. */
export interface Limits extends Omit<LimitsDefinition, 'pattern'> {
  readonly pattern?: RE2JS
}

/** @throws {Error} saying what is wrong with the pattern */
export function compileLimits({ pattern, choices, min_length, max_length, gt, lt, gte, lte }: LimitsDefinition): Limits {
  const limits: Record<string, unknown> = { choices, min_length, max_length, gt, lt, gte, lte }
  if (pattern !== undefined) limits.pattern = compilePattern(pattern)
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

/**
 * Holds a stored value against bounds; a list is held against `choices` item by item.
 *
 * @returns what is wrong, each to be put behind the field's name
 */
export function checkLimits(value: unknown, limits: Limits): readonly string[] {
  if (isUnlimited(limits)) return NO_PROBLEMS
  if (typeof value === 'string') return [...checkText(value, limits), ...checkChoice([value], limits)]
  if (typeof value === 'number') return [...checkNumber(value, limits), ...checkChoice([value], limits)]
  return Array.isArray(value) ? checkChoice(value, limits) : NO_PROBLEMS
}

const NO_PROBLEMS: readonly string[] = []

/** So are most fields, and there may be a million values to check. */
function isUnlimited(limits: Limits): boolean {
  for (const _ in limits) return false
  return true
}

/** In characters. */
const LONG = 10_000

function checkText(text: string, { min_length, max_length, pattern }: Limits): string[] {
  const problems: string[] = []
  const length = min_length === undefined && max_length === undefined ? 0 : characters(text)
  if (min_length !== undefined && length < min_length) problems.push(`must be at least ${min_length} characters long`)
  const isTooLong = max_length !== undefined && length > max_length
  if (isTooLong) problems.push(`must be at most ${max_length} characters long`)
  // A pattern takes its time with megabytes, and there is something wrong with them already.
  const isMatched = pattern !== undefined && !(isTooLong && text.length > LONG)
  if (isMatched && !pattern.test(text)) problems.push('format is invalid')
  return problems
}

function checkNumber(number: number, { gt, lt, gte, lte }: Limits): string[] {
  const problems: string[] = []
  if (gt !== undefined && !(number > gt)) problems.push(`must be greater than ${gt}`)
  if (gte !== undefined && !(number >= gte)) problems.push(`must be greater than or equal to ${gte}`)
  if (lt !== undefined && !(number < lt)) problems.push(`must be less than ${lt}`)
  if (lte !== undefined && !(number <= lte)) problems.push(`must be less than or equal to ${lte}`)
  return problems
}

function checkChoice(values: readonly unknown[], { choices }: Limits): string[] {
  if (choices === undefined) return []
  const all: readonly unknown[] = choices
  return values.every((value) => all.includes(value)) ? [] : [`must be one of: ${choices.join(', ')}`]
}

/** Characters as a person counts code points: an emoji outside the BMP is one. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
