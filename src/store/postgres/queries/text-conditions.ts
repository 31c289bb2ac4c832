import { endOfPrefix, foldCase, isPlainText } from '../../../util/text.ts'
import type { FieldColumn } from '../layout/column.ts'
import { beginningOf, isLong, isOrdered, MAX_INDEXED_LENGTH } from '../layout/definitions.ts'
import { joined, type Sql, sql } from '../sql.ts'

export type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** The operator of SQL for each operator of an order. */
export const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const satisfies Record<OrderOperator, Sql>

/** Longest part for which a regular expression is executed whatever the length of the texts; PostgreSQL compiles it in squared time. */
const MAX_PATTERN = 500

/** Conditions on the texts of a column that its indexes support. */
export class TextConditions {
  readonly #column: Sql
  readonly #isLong: boolean
  /** What the index in order contains: the text, or the beginning of one that may be long. */
  readonly #key: Sql
  /** True if the index in order is the one to find a text by: that of a unique field holds the column itself. */
  readonly #isFoundByKey: boolean

  /** @param column the column with the alias of its table */
  constructor({ field }: FieldColumn, column: Sql) {
    this.#column = column
    this.#isLong = isLong(field)
    this.#key = this.#isLong ? beginningOf(column) : column
    this.#isFoundByKey = isOrdered(field) && !field.unique
  }

  /** @param value plain text */
  equals(value: string): Sql {
    if (!this.#isFoundByKey) return sql`${this.#column} = ${value}`
    if (this.#decides(value)) return sql`${this.#key} = ${value}`
    return sql`(${this.#key} = ${firstOf(value)} and ${this.#column} = ${value})`
  }

  /** @param values plain texts */
  isAmong(values: readonly string[]): Sql {
    const isByKey = this.#isFoundByKey && values.every((value) => this.#decides(value))
    return sql`${isByKey ? this.#key : this.#column} = any(${values}::text[])`
  }

  /** A text with NUL or half of a surrogate pair is less and greater than none. */
  compare(operator: OrderOperator, bound: string): Sql {
    if (!isPlainText(bound)) return sql`false`
    if (this.#decides(bound)) return sql`${this.#key} ${COMPARISONS[operator]} ${bound}`
    const orEqual = operator === 'gt' || operator === 'gte' ? COMPARISONS.gte : COMPARISONS.lte
    return sql`(${this.#key} ${orEqual} ${firstOf(bound)} and ${this.#column} ${COMPARISONS[operator]} ${bound})`
  }

  startsWith(beginning: string): Sql {
    if (!isPlainText(beginning)) return sql`false`
    if (beginning === '') return sql`${this.#column} is not null`
    const end = this.#decides(beginning) ? endOfPrefix(beginning) : undefined
    if (end === undefined) return sql`starts_with(${this.#column}, ${beginning})`
    return sql`(${this.#key} >= ${beginning} and ${this.#key} < ${end})`
  }

  /** True if the key of a text tells how the text compares with another. */
  #decides(text: string): boolean {
    return !this.#isLong || text.length < MAX_INDEXED_LENGTH
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

const firstOf = (text: string): string => [...text].slice(0, MAX_INDEXED_LENGTH).join('')

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
  const upper = upperCasesOf(character)
  if (upper !== '') return `[${character}${upper}]`
  return /[ -/:-@[-`{-~]/.test(character) && character !== ' ' && character !== '_' ? `\\${character}` : character
}

/** The characters, İ apart, whose lower case has another upper case: title case, Greek with iota, and signs that look like letters. */
const FURTHER_UPPER_CASES = 'ǅǈǋǲςϴẞᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ\u2126\u212a\u212b'

const FURTHER: ReadonlyMap<string, string> = new Map([...FURTHER_UPPER_CASES].map((upper) => [foldCase(upper), upper]))

/** The other characters that are folded to each: to `k`, K and the Kelvin sign. */
function upperCasesOf(character: string): string {
  const upper = character.toUpperCase()
  return (foldCase(upper) === character && upper !== character ? upper : '') + (FURTHER.get(character) ?? '')
}

/**
 * The values of a column as the texts of the stored form, in the order of code points; undefined for a column whose stored values are
 * numbers, booleans or JSON.
 */
export function storedText({ type }: FieldColumn, at: Sql): Sql | undefined {
  switch (type) {
    case 'text':
      return at
    case 'numeric':
      return sql`(trim_scale(${at})::text collate "C")`
    case 'date':
      return sql`(to_char(${at}, 'YYYY-MM-DD') collate "C")`
    case 'time(3)':
      return sql`(regexp_replace(to_char(${at}, 'HH24:MI:SS.MS'), '\\.000$', '') collate "C")`
    case 'timestamptz(3)':
      return sql`(to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`
    default:
      return undefined
  }
}
