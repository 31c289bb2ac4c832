import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import { literal, type Sql, sql } from '../sql.ts'
import { type FieldColumn, shortName } from './column.ts'
import type { TableLayout } from './layout.ts'

/** An index of a table, beside those of its primary key and unique constraints. Plain data. */
interface IndexDefinition {
  /** Unqualified and unquoted. */
  readonly name: string
  readonly method: 'btree' | 'gin'
  /** The keys as they stand in the definition: quoted names, or expressions in parentheses, with the operator class. */
  readonly keys: readonly string[]
  /** The extension without which the index cannot be created. Queries need no such index, but are slower without it. */
  readonly requires?: 'pg_trgm'
}

/** Types of the fields of internal models by which the server looks for their records. */
const INDEXED_IF_INTERNAL: ReadonlySet<FieldType['name']> = new Set(['foreignkey', 'integer', 'datetime'])

/** Texts of several lines are searched rather than sorted. */
const UNORDERED: ReadonlySet<FieldType['name']> = new Set(['primarykey', 'text', 'json', 'password'])

/** Types whose parts people search for with `icontains`. */
const SEARCHED: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'slug', 'url'])

/** True for a field whose values have an index in their order. */
export const isOrdered = ({ type }: Field): boolean => type.sortable && !UNORDERED.has(type.name)

/**
 * The indexes that lists need: one for each field in its order, one for the items of each list, and one for the parts of each text. Those of
 * an order end in the id, as every sort order does.
 */
export function indexesOf({ name, columns, model }: TableLayout): IndexDefinition[] {
  const known = columns.filter(({ field }) => !model.internal || INDEXED_IF_INTERNAL.has(field.type.name))
  return known.flatMap((column): IndexDefinition[] => {
    const { field } = column
    // No field has a comma in its name, so that no other index has the name of one of parts.
    const named = (suffix: string) => shortName(`${name}_${column.name}${suffix}`)
    if (field.type.list) return [{ name: named('_idx'), method: 'gin', keys: [textOf(column.sql)] }]
    const parts = SEARCHED.has(field.type.name) && field.limits.choices === undefined
    return [
      ...(isOrdered(field) && !hasUniqueOrder(column)
        ? [{ name: named('_idx'), method: 'btree', keys: [keyOf(column), '"id"'] } as const]
        : []),
      ...(parts
        ? [
            {
              name: named(',parts_idx'),
              method: 'gin',
              keys: [`${textOf(column.sql)} gin_trgm_ops`],
              requires: 'pg_trgm',
            } as const,
          ]
        : []),
    ]
  })
}

/** True if the index of the unique constraint has the order of the field, in which no two records tie. */
const hasUniqueOrder = ({ field }: FieldColumn): boolean => field.unique && !isLong(field)

const keyOf = ({ field, sql: column }: FieldColumn): string =>
  isLong(field) ? `(${textOf(beginningOf(column))})` : textOf(column)

const textOf = (fragment: Sql): string => fragment.compile().text

/** Longest text that an index takes, in characters: an entry has room for 2,704 bytes, a character takes up to 4. */
export const MAX_INDEXED_LENGTH = 600

/** The part of long texts that their index in order contains. */
export const beginningOf = (text: Sql): Sql => sql`left(${text}, ${literal(MAX_INDEXED_LENGTH)})`

/** Maximum length of an e-mail address, which its type enforces. */
const MAX_EMAIL_LENGTH = 254

/** True for a text without a limit of its length, or with a higher one than an index allows. */
export function isLong({ type, limits }: Field): boolean {
  if (!TEXTS.has(type.name)) return false
  const fixed = type.name === 'email' ? MAX_EMAIL_LENGTH : undefined
  const choices = limits.choices?.map((choice) => String(choice).length)
  const longest = choices === undefined ? (limits.max_length ?? fixed ?? Number.POSITIVE_INFINITY) : Math.max(...choices)
  return longest > MAX_INDEXED_LENGTH
}

const TEXTS: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'url', 'slug', 'choice', 'password'])
