import type { LimitsDefinition } from '../../model/definition.ts'
import { isObject, type Json, type JsonObject } from '../../util/json.ts'

type NumberBound = 'min_length' | 'max_length' | 'gt' | 'gte' | 'lt' | 'lte'

/** A numeric limit with its spelling: `ge` and `le` are aliases. */
export interface WrittenBound {
  readonly key: string
  readonly bound: NumberBound
  readonly value: number
}

const SPELLINGS: Readonly<Record<string, NumberBound>> = {
  min_length: 'min_length',
  max_length: 'max_length',
  gt: 'gt',
  gte: 'gte',
  ge: 'gte',
  lt: 'lt',
  lte: 'lte',
  le: 'lte',
}

/** The numeric limits of a form's field. */
export function boundsOf(options: JsonObject | undefined): WrittenBound[] {
  return Object.entries(options ?? {}).flatMap(([key, value]) => {
    const bound = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    return bound !== undefined && typeof value === 'number' ? [{ key, bound, value }] : []
  })
}

/** The choices that a form offers for a field, with or without labels. */
export function choicesOf(options: JsonObject | undefined): readonly Json[] | undefined {
  const choices = options?.choices
  if (!Array.isArray(choices)) return undefined
  return choices.map((choice: Json) => (isObject(choice) ? (choice.value as Json) : choice))
}

/** The well-formed limits in the options of a form's field. */
export function limitsIn(options: JsonObject | undefined): LimitsDefinition {
  const numbers = Object.fromEntries(boundsOf(options).map(({ bound, value }) => [bound, value]))
  const choices = choicesOf(options)?.filter((each) => typeof each === 'string' || typeof each === 'number')
  const pattern = options?.pattern
  return { ...numbers, ...(choices && { choices }), ...(typeof pattern === 'string' && { pattern }) }
}

/** One end of a range; `open` excludes the end itself. */
interface End {
  readonly at: number
  readonly open: boolean
}

type Numbers = Pick<LimitsDefinition, NumberBound>

/** The lower end of a numeric range. */
export function lowest({ gt = -Infinity, gte = -Infinity }: Numbers): End {
  return gt >= gte ? { at: gt, open: gt !== -Infinity } : { at: gte, open: false }
}

/** The upper end of a numeric range. */
export function highest({ lt = Infinity, lte = Infinity }: Numbers): End {
  return lt <= lte ? { at: lt, open: lt !== Infinity } : { at: lte, open: false }
}

/** True if a lower end admits values that the other excludes. */
export const isBelow = (a: End, b: End): boolean => a.at < b.at || (a.at === b.at && !a.open && b.open)

/** True if an upper end admits values that the other excludes. */
export const isAbove = (a: End, b: End): boolean => a.at > b.at || (a.at === b.at && !a.open && b.open)
