import { foldCase, isPlainText } from '../../../util/text.ts'
import type { FieldColumn } from '../layout/column.ts'
import { isOrdered } from '../layout/indexes.ts'
import { PREFIX_LENGTH, TextOrder } from '../layout/text-order.ts'
import { joined, type Sql, sql } from '../sql.ts'

export type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** The operator of SQL for each operator of an order. */
export const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const satisfies Record<OrderOperator, Sql>

/** Longest part for which a regular expression is executed whatever the length of the texts; PostgreSQL compiles it in squared time. */
const MAX_PATTERN = 500

/** Conditions on the texts of a column that its indexes support. */
export class TextConditions {
  readonly #column: Sql
  readonly #order: TextOrder
  /** True if the index in order is the one to find a text by: that of a unique field holds the column itself. */
  readonly #isFoundByKey: boolean

  /** @param column the column with the alias of its table */
  constructor({ field }: FieldColumn, column: Sql) {
    this.#column = column
    this.#order = new TextOrder(field)
    this.#isFoundByKey = isOrdered(field) && !field.unique
  }

  /** @param value plain text */
  equals(value: string): Sql {
    if (!this.#isFoundByKey) return sql`${this.#column} = ${value}`
    const mapped = this.#order.map(value)
    if (this.#decides(mapped)) return sql`${this.#key} = ${mapped}`
    return sql`(${this.#key} = ${beginningOf(mapped)} and ${this.#column} = ${value})`
  }

  /** @param values plain texts */
  isAmong(values: readonly string[]): Sql {
    const mapped = values.map((value) => this.#order.map(value))
    if (!this.#isFoundByKey || !mapped.every((each) => this.#decides(each))) return sql`${this.#column} = any(${values}::text[])`
    return sql`${this.#key} = any(${mapped}::text[])`
  }

  compare(operator: OrderOperator, bound: string): Sql {
    const { text, isBetween } = this.#order.place(bound)
    const isGreater = operator === 'gt' || operator === 'gte'
    const comparison = COMPARISONS[isBetween ? (isGreater ? 'gte' : 'lt') : operator]
    if (this.#decides(text)) return sql`${this.#key} ${comparison} ${text}`
    const beginning = sql`${this.#key} ${COMPARISONS[isGreater ? 'gte' : 'lte']} ${beginningOf(text)}`
    return sql`(${beginning} and ${this.#order.mapped(this.#column)} ${comparison} ${text})`
  }

  startsWith(beginning: string): Sql {
    if (!isPlainText(beginning)) return sql`false`
    const mapped = this.#order.map(beginning)
    const end = this.#decides(mapped) ? endOfPrefix(mapped) : undefined
    if (mapped === '') return sql`${this.#column} is not null`
    if (end === undefined) return sql`starts_with(${this.#column}, ${beginning})`
    return sql`(${this.#key} >= ${mapped} and ${this.#key} < ${end})`
  }

  /** True if the key of a text tells how the text compares with a mapped one. */
  #decides(mapped: string): boolean {
    return this.#order.isWhole || [...mapped].length < PREFIX_LENGTH
  }

  get #key(): Sql {
    return this.#order.key(this.#column)
  }
}

/** The condition that a text contains a part, whatever the case of letters. */
export function containsPart(text: Sql, part: string): Sql {
  if (part === '') return sql`${text} is not null`
  if (!isPlainText(part)) return sql`false`
  const matches = sql`${text} ~ ${containsPattern(part)}`
  // The lower case of a character has at most two.
  return part.length <= MAX_PATTERN ? matches : sql`case when 2 * length(${text}) >= ${[...part].length} then ${matches} end`
}

/** The condition that a text ends in a part. */
export function endsWith(text: Sql, part: string): Sql {
  return isPlainText(part) ? sql`${text} like ${`%${part.replace(/[\\%_]/g, '\\$&')}`}` : sql`false`
}

const beginningOf = (mapped: string): string => [...mapped].slice(0, PREFIX_LENGTH).join('')

/** The least text that is greater than all texts with a beginning, by code points; undefined if there is none. */
function endOfPrefix(beginning: string): string | undefined {
  const characters = [...beginning]
  const last = characters.pop()?.codePointAt(0) ?? 0x10ffff
  if (last === 0x10ffff) return undefined
  // There are no characters from U+D800 to U+DFFF.
  return joinedText(characters) + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
}

const joinedText = (characters: readonly string[]): string => characters.join('')

/** Conditions of which one must hold. Without conditions, none does. */
export const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`false` : conditions.length === 1 ? (conditions[0] as Sql) : sql`(${joined(conditions, ' or ')})`

/** Conditions that must all hold. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : conditions.length === 1 ? (conditions[0] as Sql) : sql`(${joined(conditions, ' and ')})`

/**
 * The regular expression (PostgreSQL, advanced) of the texts that contain a part when both are in lower case, as
 * `foldCase(text).includes(foldCase(part))` says. It depends on no collation, and a trigram index of the texts supports it.
 */
export function containsPattern(part: string): string {
  const characters = [...foldCase(part)]
  let pattern = ''
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === 'i' && characters[at + 1] === DOT_ABOVE) {
      pattern += `(?:[iI]${DOT_ABOVE}|${DOTTED_I})`
      at++
    } else if (character === 'i' && at === characters.length - 1) pattern += `[iI${DOTTED_I}]`
    else if (character === DOT_ABOVE && at === 0) pattern += `[${DOT_ABOVE}${DOTTED_I}]`
    else pattern += patternOf(character)
  }
  return pattern
}

/** İ, the only character whose lower case is two: `i` and a combining dot. A part may contain either or both. */
const DOTTED_I = '\u0130'
const DOT_ABOVE = '\u0307'

function patternOf(character: string): string {
  const upper = upperCases().get(character)
  if (upper !== undefined) return `[${character}${upper}]`
  return /[ -/:-@[-`{-~]/.test(character) && character !== ' ' && character !== '_' ? `\\${character}` : character
}

let knownUpperCases: ReadonlyMap<string, string> | undefined

/** No character above has an upper case (Unicode 17). */
const LAST_WITH_CASE = 0x1efff

/** The other characters that are folded to each: to `k`, K and the Kelvin sign. */
function upperCases(): ReadonlyMap<string, string> {
  if (knownUpperCases !== undefined) return knownUpperCases
  const found = new Map<string, string>()
  for (let code = 0; code <= LAST_WITH_CASE; code++) {
    const character = String.fromCodePoint(code)
    const lower = foldCase(character)
    if (lower !== character && character !== DOTTED_I) found.set(lower, (found.get(lower) ?? '') + character)
  }
  knownUpperCases = found
  return found
}
