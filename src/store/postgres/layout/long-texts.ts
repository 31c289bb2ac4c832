import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'

/** Longest text that the index of a unique constraint takes, in characters: an entry has room for 2,704 bytes, a character takes up to 4. */
const MAX_INDEXED_LENGTH = 600

/** Maximum length of an e-mail address, which its type enforces. */
const MAX_EMAIL_LENGTH = 254

/** True for a text without a limit of its length, or with a higher one than the index of a unique constraint allows. */
export function isLong({ type, limits }: Field): boolean {
  if (!TEXTS.has(type.name)) return false
  const fixed = type.name === 'email' ? MAX_EMAIL_LENGTH : undefined
  const choices = limits.choices?.map((choice) => String(choice).length)
  const longest = choices === undefined ? (limits.max_length ?? fixed ?? Number.POSITIVE_INFINITY) : Math.max(...choices)
  return longest > MAX_INDEXED_LENGTH
}

const TEXTS: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'url', 'slug', 'choice', 'password'])
