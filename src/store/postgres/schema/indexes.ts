import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import type { Column } from '../layout/column.ts'
import { shortName } from '../layout/names.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { literal, type Sql, sql } from '../sql.ts'
import type { NamedDefinition } from './named-definition.ts'

/** Longest text that an index takes whole, in characters: an entry has room for 2,704 bytes, a character takes up to 4. */
const MAX_INDEXED_LENGTH = 600

/** Maximum length of an e-mail address, which its type enforces. */
const MAX_EMAIL_LENGTH = 254

/** Characters of a longer text that its index contains. */
export const PREFIX_LENGTH = 200

/** True for a text without a limit of its length, or with a higher one than an index allows. */
export function isLong({ type, limits }: Field): boolean {
  if (!TEXTS.has(type.name)) return false
  const fixed = type.name === 'email' ? MAX_EMAIL_LENGTH : undefined
  const choices = limits.choices?.map((choice) => String(choice).length)
  const longest = choices === undefined ? (limits.max_length ?? fixed ?? Number.POSITIVE_INFINITY) : Math.max(...choices)
  return longest > MAX_INDEXED_LENGTH
}

const TEXTS: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'url', 'slug', 'choice', 'password'])

/**
 * The beginning of a long text, by which its index is ordered: a list that is sorted by it, and then by the whole text, is sorted by the
 * text. Undefined for a column that is indexed whole, or not at all.
 */
export const prefixOf = ({ field, sql: column }: Column, alias?: Sql): Sql | undefined =>
  isLong(field) && isIndexed(field)
    ? sql`left(${alias === undefined ? column : sql`${alias}.${column}`}, ${literal(PREFIX_LENGTH)})`
    : undefined

/** A boolean divides the records into two halves at best, and texts of several lines are searched rather than sorted. */
const UNINDEXED: ReadonlySet<FieldType['name']> = new Set(['primarykey', 'boolean', 'text', 'json', 'password'])

const isIndexed = ({ type, unique }: Field): boolean => !UNINDEXED.has(type.name) && (type.sortable || type.list) && !unique

/** Types of the fields of internal models by which the server looks for their records. */
const INDEXED_IF_INTERNAL: ReadonlySet<FieldType['name']> = new Set(['foreignkey', 'integer', 'datetime'])

/** The indexes of a table beside those of its unique constraints. Each ends in the id, as every sort order does. */
export function indexesOf({ name, columns, model }: TableLayout): NamedDefinition[] {
  return columns
    .filter(({ field }) => isIndexed(field) && (!model.internal || INDEXED_IF_INTERNAL.has(field.type.name)))
    .map((column) => ({ name: shortName(`${name}_${column.name}_idx`), definition: keysOf(column) }))
}

function keysOf(column: Column): Sql {
  if (column.field.type.list) return sql`using gin (${column.sql})`
  return sql`(${prefixOf(column) ?? column.sql}, "id")`
}
