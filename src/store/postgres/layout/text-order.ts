import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** Longest text that an index contains whole, in characters. Ordered by code units it takes up to 7 bytes a character, of 2,704. */
const MAX_WHOLE_LENGTH = 300

/** Characters of a longer text by which its index is ordered. */
export const PREFIX_LENGTH = 300

/** Maximum length of an e-mail address, which its type enforces. */
const MAX_EMAIL_LENGTH = 254

/** Types whose texts are ASCII, in which code points and code units have one order. */
const ASCII: ReadonlySet<FieldType['name']> = new Set(['slug', 'email', 'uuid'])

/** Stands before characters that are greater than a surrogate, so that they come after those beyond U+FFFF. */
const LAST = '\u{10ffff}'

/**
 * The order of the texts of a field: that of UTF-16 code units, as in JavaScript. The collation "C" orders by code points, where
 * characters beyond U+FFFF come after U+E000 to U+FFFF instead of before. So texts are compared in a form in which U+10FFFF stands
 * before each character from U+E000 to U+FFFF, and U+0001 follows each U+10FFFF. ASCII is not changed.
 */
export class TextOrder {
  /** False if texts may be longer than an index allows; they are then ordered by their beginning first. */
  readonly isWhole: boolean
  readonly #isMapped: boolean

  constructor({ type, limits }: Field) {
    const choices = limits.choices?.map(String)
    const known = type.name === 'uuid' || type.name === 'email' ? MAX_EMAIL_LENGTH : undefined
    const longest = choices === undefined ? (limits.max_length ?? known) : Math.max(...choices.map(({ length }) => length))
    this.isWhole = longest !== undefined && longest <= MAX_WHOLE_LENGTH
    this.#isMapped = choices === undefined ? !ASCII.has(type.name) : !choices.every(isOrderedByCodePoints)
  }

  /** The texts of a column in a form that the collation "C" orders. */
  mapped(column: Sql): Sql {
    if (!this.#isMapped) return column
    const ascii = sql`octet_length(${column}) = length(${column})`
    const marked = sql`replace(${column}, chr(1114111), chr(1114111) || chr(1))`
    return sql`case when ${ascii} then ${column} else regexp_replace(${marked}, '([\\uE000-\\uFFFF])', chr(1114111) || '\\1', 'g') end`
  }

  /** The first key of the order, which an index can contain: the text in the form of `mapped`, or its beginning. */
  key(column: Sql): Sql {
    const whole = this.mapped(column)
    return this.isWhole ? whole : sql`left(${whole}, ${literal(PREFIX_LENGTH)})`
  }

  /** The keys of the order. The first one is `key`. */
  keys(column: Sql): readonly Sql[] {
    return this.isWhole ? [this.key(column)] : [this.key(column), this.mapped(column)]
  }

  /** A text in the form of `mapped`. */
  map(text: string): string {
    return this.#isMapped ? text.replaceAll(LAST, `${LAST}\u0001`).replace(/[\ue000-\uffff]/g, `${LAST}$&`) : text
  }

  /** The text of a value in the form of `mapped`. */
  unmap(mapped: string): string {
    return this.#isMapped ? mapped.replace(/\u{10ffff}([\ue000-\uffff])/gu, '$1').replaceAll(`${LAST}\u0001`, LAST) : mapped
  }

  /**
   * Where a text stands in the order, in the form of `mapped`. Texts that PostgreSQL cannot store, with NUL or half of a surrogate pair,
   * stand before `text` and after every lesser text (`isBetween`).
   */
  place(text: string): { readonly text: string; readonly isBetween: boolean } {
    const at = text.search(/\0|\p{Surrogate}/u)
    if (at === -1) return { text: this.map(text), isBetween: false }
    return { text: this.map(text.slice(0, at)) + successorOf(text.charCodeAt(at), text.charCodeAt(at + 1)), isBetween: true }
  }
}

/** The least character, in the form of `mapped`, that is greater than a code unit which is no character. */
function successorOf(unit: number, next: number): string {
  if (unit === 0) return '\u0001'
  const afterSurrogates = `${LAST}\u0002`
  if (unit >= 0xdc00) return afterSurrogates
  // Pairs with this high surrogate are lesser only if their low surrogate is compared with U+E000 to U+FFFF.
  const high = next > 0xdfff ? unit + 1 : unit
  return high > 0xdbff ? afterSurrogates : String.fromCharCode(high, 0xdc00)
}

const isOrderedByCodePoints = (text: string): boolean => !/[\ud800-\uffff]/.test(text)
