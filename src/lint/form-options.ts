import type { LimitsDefinition } from '../model/definition.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'

type NumberBound = 'min_length' | 'max_length' | 'gt' | 'gte' | 'lt' | 'lte'

/** A bound that is a number, and how it is written: `ge` and `le` are other spellings. */
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

/** The numbers among the bounds that a form's field has. */
export function boundsOf(options: JsonObject | undefined): WrittenBound[] {
  return Object.entries(options ?? {}).flatMap(([key, value]) => {
    const bound = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    return bound !== undefined && typeof value === 'number' ? [{ key, bound, value }] : []
  })
}

/** The values that a form offers for a field, with or without labels. */
export function choicesOf(options: JsonObject | undefined): readonly Json[] | undefined {
  const choices = options?.choices
  if (!Array.isArray(choices)) return undefined
  return choices.map((choice: Json) => (isObject(choice) ? (choice.value as Json) : choice))
}

/** What the options of a form's field bound, as far as it is well-formed. */
export function limitsIn(options: JsonObject | undefined): LimitsDefinition {
  const numbers = Object.fromEntries(boundsOf(options).map(({ bound, value }) => [bound, value]))
  const choices = choicesOf(options)?.filter((each) => typeof each === 'string' || typeof each === 'number')
  const pattern = options?.pattern
  return { ...numbers, ...(choices && { choices }), ...(typeof pattern === 'string' && { pattern }) }
}

/** One end of what bounds leave: `open` when the end itself is out. */
interface End {
  readonly at: number
  readonly open: boolean
}

type Numbers = Pick<LimitsDefinition, NumberBound>

/** The lowest that numbers may be. */
export function lowest({ gt = -Infinity, gte = -Infinity }: Numbers): End {
  return gt >= gte ? { at: gt, open: gt !== -Infinity } : { at: gte, open: false }
}

/** The highest that numbers may be. */
export function highest({ lt = Infinity, lte = Infinity }: Numbers): End {
  return lt <= lte ? { at: lt, open: lt !== Infinity } : { at: lte, open: false }
}

/** True when a lower end lets through what another does not. */
export const isBelow = (a: End, b: End): boolean => a.at < b.at || (a.at === b.at && !a.open && b.open)

/** True when an upper end lets through what another does not. */
export const isAbove = (a: End, b: End): boolean => a.at > b.at || (a.at === b.at && !a.open && b.open)
